"""The table of codes, one file per family."""
