"""A study as plain values: enough to know its fits by name and to read their records."""
