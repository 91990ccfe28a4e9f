"""Pairing systems: state before the round in, pairs, bye and reasons out.

`state` has the values, `registry` the systems by name, `legality` the independent check of every answer.
"""
