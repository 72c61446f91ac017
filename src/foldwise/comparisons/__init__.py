"""Differences of risks on the same splits."""
