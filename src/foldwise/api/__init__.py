"""The questions a user can ask."""
