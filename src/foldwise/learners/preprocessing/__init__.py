"""What built-in learners do to a table before they learn."""
