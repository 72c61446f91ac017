"""Estimators of our own that built-in learners are made of."""
