"""How candidates are tried: one protocol, one file per tuner."""
