"""What can go wrong with hardware, as one tree; each is also the standard error it stands for."""

from __future__ import annotations


class DriverError(Exception):
    """Base of everything that the drivers raise; str() is a sentence for the person at the table."""


class DeviceMissing(DriverError, FileNotFoundError):
    """The named device is not plugged in."""


class DeviceBusy(DriverError, PermissionError):
    """Another program holds the device, or this user may not open it."""


class BadDeviceName(DriverError, ValueError):
    """A device is described in a way that no driver understands."""


class BadSquare(DriverError, ValueError):
    """No such square, or no piece on it."""
