"""No test measures wall time, property tests neither: a busy machine is no fault of the rules."""

from hypothesis import settings

settings.register_profile("hall", deadline=None)
settings.load_profile("hall")
