"""`python -m kiosk.provision`: reads hall.toml early at a start, without the command line and all that it knows."""

import sys

from kiosk.loading import loading

with loading():
    from kiosk import i18n
    from kiosk.provision.places import Places
    from kiosk.provision.plan import report

i18n.bind()
sys.exit(report(Places()))
