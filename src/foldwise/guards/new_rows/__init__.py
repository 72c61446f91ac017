"""Checks of new rows beside the table a model was fitted on; none changes a prediction."""
