"""The players' screen of one table: a face of the table's service, which it knows by its socket only."""
