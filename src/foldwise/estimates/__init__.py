"""Risks with their intervals, read from losses alone."""
