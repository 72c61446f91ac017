"""The built-in learners, one file per kind."""
