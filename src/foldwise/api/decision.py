"""What `result.decision` gives back: a data frame that says which method to take."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

import numpy as np
import pandas as pd

from foldwise.questions.decision import FIGURES
from foldwise.show.advice import advice, contestants


class Decision(pd.DataFrame):
    """One row per method: the probability to be the best, and the regret of taking it; prints the advice below.

    `margin` is the regret that does not matter, `within` the methods that are within it with the probability of the
    level, `advice` what follows from it in words, and `note` why there are no figures where there are none.
    """

    _metadata = ["margin", "within", "advice", "note"]
    margin: float | None
    within: list[str] | None
    advice: str
    note: str | None

    @property
    def _constructor(self) -> type[pd.DataFrame]:
        return pd.DataFrame  # a part of it is a plain table

    def __repr__(self) -> str:
        return "\n".join(
            part for part in (self.to_string(index=False, float_format="{:.4g}".format), self._words) if part
        )

    def _repr_html_(self) -> str:
        return f"{self.to_html(index=False, float_format='{:.4g}'.format)}<p>{escape(self._words)}</p>"

    @property
    def _words(self) -> str:
        return self.advice or self.note or ""


def make_decision(answer: Mapping[str, Any]) -> Decision:
    """The decision figures of an answer, the contestants first and by their risk."""
    known = contestants(answer)
    rows = [*known, *(method for method in answer["methods"] if method not in known)]
    columns: dict[str, Any] = {"method": [row["name"] for row in rows]}
    for key in ("risk", *FIGURES):
        column = [row[key] for row in rows]
        columns[key] = pd.array(column, dtype="boolean") if key == "within_margin" else np.array(column, np.float64)
    frame = Decision(columns)
    found = answer["decision"]
    frame.margin, frame.within, frame.note = found["margin"], found["within"], found["note"]
    frame.advice = " ".join(advice(answer))
    return frame
