"""What fits left, and where it is kept."""
