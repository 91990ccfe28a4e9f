"""The recipe of the card image: `python3 -m image.build --help`. Standard library and host tools only."""
