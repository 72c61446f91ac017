"""A package of its own: a data package of the extras installs a `tests` too, which would hide a folder without this."""
