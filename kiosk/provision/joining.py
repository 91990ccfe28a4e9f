"""How far a table's way into the hall is, as the screen reads it; who only reads it need not load the network."""

from __future__ import annotations

from typing import Literal

import msgspec

State = Literal["looking", "asking", "code", "refused", "in"]
#: What is typed at a standby's terminal, as `kiosk.hub.standby` has it: it takes the place of the hub.
TAKE_OVER = "take over"


class Joining(msgspec.Struct, frozen=True):
    """How far the table is: `hub` host:port, `code` what the arbiter types, `why` a refusal, `socket` the table's."""

    state: State
    hub: str = ""
    code: str = ""
    why: str = ""
    socket: str = ""
