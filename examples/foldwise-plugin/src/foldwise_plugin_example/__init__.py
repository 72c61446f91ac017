"""Parts of one's own for Foldwise, found by name."""
