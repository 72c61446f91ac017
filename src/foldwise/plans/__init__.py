"""The question, and which fits it still needs."""
