"""A study as plain values: enough to name its fits and to read their records."""
