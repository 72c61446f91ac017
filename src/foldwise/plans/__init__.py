"""A study that can be run, and the fits it still needs."""
