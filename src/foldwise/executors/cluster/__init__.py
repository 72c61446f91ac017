"""Fits on a cluster."""
