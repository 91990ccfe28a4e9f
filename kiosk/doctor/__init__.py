"""`hallkiosk doctor`: looks at everything a table or hub stands on, and says in plain words what is wrong.

Each subject is a file with two halves: a probe that looks at the machine and answers a typed value, and pure checks
that turn such values into findings.
"""
