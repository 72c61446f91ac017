"""FW3xx: codes of splits."""

from __future__ import annotations

from foldwise.guards.code import Code

MISSING_CLASS = Code("FW301", "a class that is tested but not trained on", "warn")
LARGE_GROUP = Code("FW302", "a group with most of the rows", "note")
ROW_ORDER = Code("FW303", "test rows from before training rows", "warn")
UNLIKE_TARGETS = Code("FW304", "folds with unlike targets", "note")
SMALL_STRATA = Code("FW305", "a class with few rows for the folds", "note")
SMALL_DEV = Code("FW306", "a dev set too small for the candidates", "note")
UNLIKE_PARTS = Code("FW307", "test rows unlike training rows", "note", is_slow=True)
CODES: tuple[Code, ...] = (
    MISSING_CLASS,
    LARGE_GROUP,
    ROW_ORDER,
    UNLIKE_TARGETS,
    SMALL_STRATA,
    SMALL_DEV,
    UNLIKE_PARTS,
)
