"""What a prediction costs: losses per row, and measures of a whole fold."""
