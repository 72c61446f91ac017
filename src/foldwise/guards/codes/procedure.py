"""FW4xx: codes of the procedure."""

from __future__ import annotations

from foldwise.guards.code import Code

SCALED = Code("FW401", "columns scaled before the splits", "note")
COMPONENTS = Code("FW402", "principal components made before the splits", "note")
TARGET_MEANS = Code("FW403", "target means made before the splits", "warn")
SELECTED = Code("FW404", "columns selected by the target before the splits", "warn")
AGAIN = Code("FW405", "test set used again", "note")
FITTED = Code("FW406", "a fitted part inside a learner", "warn")
REUSED_STUDY = Code("FW407", "a search that goes on with a study", "warn")
WATCHED = Code("FW408", "early stopping on rows that are tested", "warn")
FILLED = Code("FW409", "missing values filled in by the target", "warn")

CODES: tuple[Code, ...] = (SCALED, COMPONENTS, TARGET_MEANS, SELECTED, AGAIN, FITTED, REUSED_STUDY, WATCHED, FILLED)
