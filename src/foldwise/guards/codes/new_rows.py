"""FW6xx: codes of new rows, beside those a model was fitted on."""

from __future__ import annotations

from foldwise.guards.code import Code

UNFIT = Code("FW601", "columns do not fit the model", "refuse")
UNSEEN = Code("FW602", "categories never seen", "note")
OUTSIDE = Code("FW603", "values outside the training range", "note")
MISSING = Code("FW604", "missing values never seen", "warn")
DRIFT = Code("FW605", "new rows unlike the training rows", "warn")
TRAINED = Code("FW606", "test rows were trained on", "warn")

CODES: tuple[Code, ...] = (UNFIT, UNSEEN, OUTSIDE, MISSING, DRIFT, TRAINED)
