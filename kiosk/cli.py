"""The `hallkiosk` command."""


def main() -> int:
    return 0
