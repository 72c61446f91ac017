"""Checks for leaks and traps, one file per family."""
