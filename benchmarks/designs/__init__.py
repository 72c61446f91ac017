"""Published simulation designs, run again: our numbers beside the expected ones."""
