"""Numbers and sentences read from the records of a study; nothing here runs a fit."""
