"""The arbiter's desk: a face of the hub, which it knows by messages only."""
