"""Formulas over plain arrays and numbers, for every room that needs them."""
