"""`python -m kiosk` is the `hallkiosk` command."""

import sys

from kiosk.loading import loading

with loading():
    from kiosk.cli import main

sys.exit(main())
