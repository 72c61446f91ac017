"""FW5xx: codes of results, read from the records."""

from __future__ import annotations

from foldwise.guards.code import Code

EDGE = Code("FW501", "choice at the end of a space", "note")
UNSETTLED = Code("FW502", "folds disagree on the candidate", "note")
OVERTUNED = Code("FW503", "selection score too good", "note")
NO_BETTER = Code("FW504", "no better than the baseline", "note")
BLIND = Code("FW505", "loss blind to rare classes", "warn")
TOO_GOOD = Code("FW506", "risk too good to be true", "warn")
UNSTABLE = Code("FW507", "one fold unlike the others", "note")
MISFIT = Code("FW508", "over- or underfitting", "note")
SEED = Code("FW509", "the seed matters more than the data", "warn", is_slow=True)
UNREPEATABLE = Code("FW510", "results not reproducible", "warn", is_slow=True)

CODES: tuple[Code, ...] = (
    EDGE,
    UNSETTLED,
    OVERTUNED,
    NO_BETTER,
    BLIND,
    TOO_GOOD,
    UNSTABLE,
    MISFIT,
    SEED,
    UNREPEATABLE,
)
