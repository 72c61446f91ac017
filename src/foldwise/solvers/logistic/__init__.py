"""Logistic regression along the path of penalties, to the optimum."""
