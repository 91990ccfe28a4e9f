"""`python -m kiosk` is the `hallkiosk` command."""

import sys

from kiosk.cli import main

sys.exit(main())
