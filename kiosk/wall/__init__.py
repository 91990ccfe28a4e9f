"""What spectators see: read-only, from the files of the feed, in a process of its own."""
