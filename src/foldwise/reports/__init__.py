"""The answer for people: words, text and pages, made from the answer alone."""
