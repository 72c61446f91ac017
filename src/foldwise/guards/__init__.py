"""Leaks and traps, found before anyone believes the numbers."""
