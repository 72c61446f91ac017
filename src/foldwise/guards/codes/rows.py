"""FW1xx: codes of rows."""

from __future__ import annotations

from foldwise.guards.code import Code

DUPLICATES = Code("FW101", "equal rows in training and test", "warn")
NEAR_DUPLICATES = Code("FW102", "nearly equal rows in training and test", "warn")
IDENTIFIER = Code("FW103", "an identifier among the features", "warn")
UNDECLARED_GROUPS = Code("FW104", "groups that are not declared", "warn")
UNDECLARED_TIME = Code("FW105", "time that is not declared", "warn")
ALIKE_NEIGHBOURS = Code("FW106", "rows are like those before them", "warn")
CONFLICTS = Code("FW107", "equal rows with other classes", "note")
BETWEEN = Code("FW108", "rows made from other rows", "warn")
CODES: tuple[Code, ...] = (
    DUPLICATES,
    NEAR_DUPLICATES,
    IDENTIFIER,
    UNDECLARED_GROUPS,
    UNDECLARED_TIME,
    ALIKE_NEIGHBOURS,
    CONFLICTS,
    BETWEEN,
)
