"""Tie-breaks by FIDE's C.07, edition of 1 March 2026: one family per file, a registry, and a reason for every value."""
