"""Fits on this machine."""
