"""FW2xx: codes of columns."""

from __future__ import annotations

from foldwise.guards.code import Code

TARGET_COPY = Code("FW201", "a feature is the target", "refuse")
GIVEN_AWAY = Code("FW202", "a feature gives the target away", "warn")
TOO_GOOD = Code("FW203", "a feature is too good alone", "warn")
CONSTANT = Code("FW204", "constant column", "note")
ALL_MISSING = Code("FW205", "a column without values", "note")
ROW_NUMBER = Code("FW206", "a row number among the features", "warn")
FREE_TEXT = Code("FW207", "free text taken as a category", "note")
TELLING_MISSING = Code("FW208", "missing values tell the target", "warn")
LATER = Code("FW209", "a feature from after the outcome", "warn")
NUMBERS_AS_TEXT = Code("FW210", "numbers taken as text", "warn")
TWO_SPELLINGS = Code("FW211", "one word in two spellings", "warn")
CODES: tuple[Code, ...] = (
    TARGET_COPY,
    GIVEN_AWAY,
    TOO_GOOD,
    CONSTANT,
    ALL_MISSING,
    ROW_NUMBER,
    FREE_TEXT,
    TELLING_MISSING,
    LATER,
    NUMBERS_AS_TEXT,
    TWO_SPELLINGS,
)
