"""Simulations with known truth, behind the pages docs/coverage.md and docs/decide.md."""
