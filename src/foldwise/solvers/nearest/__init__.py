"""k nearest neighbours: the rows of all training sets searched once."""
