"""Splits as values: made once, from the seed, before any fit."""
