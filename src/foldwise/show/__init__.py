"""Text and pages for people, made from the answer alone."""
