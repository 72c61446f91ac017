"""Intervals, comparisons and their formulas: arrays in, numbers out."""
