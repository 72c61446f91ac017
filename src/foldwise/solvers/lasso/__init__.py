"""Lasso and elastic net along the path of penalties, to the optimum."""
