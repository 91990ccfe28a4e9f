"""The hall's service: one process keeps the event's log, speaks with tables and desks, and decides nothing by itself.

`core` turns inputs into committed events and messages and is the only place with state; `service` is the shell
around it (processes, threads, network); `views` shows the state; `export` and `replay` read a finished log.
"""
