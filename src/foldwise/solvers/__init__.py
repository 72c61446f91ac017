"""Exact fast answers: arrays in, arrays out, found by the kind of estimator."""
