"""Learners that tune themselves."""
