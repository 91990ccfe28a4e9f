"""Pairing systems: state before the round in, pairs, bye and reasons out.

`state` has the values, `registry` the systems by name, `legality` the independent check of every answer.

The Dutch system: `dutch_engine` is its door. `dutch_round` gathers what a round's brackets share (with `colours` and
`floats`), `dutch_pairing` goes through the brackets, `dutch_completion` knows who can be paired at all,
`dutch_perfect` finds first perfect candidates and `dutch_bracket` the best of the others (by `dutch_matching` and
`dutch_exact_matching`). `dutch_criteria`, `dutch_explain` and `dutch_obstacle` say why. `dutch_2017` is the edition
before, `baku` the acceleration.

Around it: `event_state` (from a report to a state), `checker` (re-pairs an event), `manual_round` (judges a round made
by hand), `event_plan` and `event_generator` (random events), `berger` (round robins).
"""
