"""Simulated problems whose truth is known: how far intervals cover, comparisons hold and biases go."""
