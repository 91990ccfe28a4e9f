"""From one file, hall.toml, to a hub or a table: what an appliance does at every start."""
