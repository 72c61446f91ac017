"""Where batches of fits run."""
