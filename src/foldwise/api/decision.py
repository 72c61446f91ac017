"""What `result.decision` gives back: a data frame that says which method to take."""

from __future__ import annotations

from html import escape
from typing import Any

import numpy as np
import pandas as pd

from foldwise.questions.answer import Answer
from foldwise.questions.decision import FIGURES, advice


class DecisionTable(pd.DataFrame):
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
        table = self.to_string(index=False, float_format="{:.4g}".format)
        return "\n".join(part for part in (table, self._words) if part)

    def _repr_html_(self) -> str:
        return f"{self.to_html(index=False, float_format='{:.4g}'.format)}<p>{escape(self._words)}</p>"

    @property
    def _words(self) -> str:
        return self.advice or self.note or ""


def make_decision(answer: Answer) -> DecisionTable:
    """The decision figures of an answer, the contestants first and by their risk."""
    decided, best = answer.decided, answer.best.method.name if answer.best else None
    order = {name: place for place, name in enumerate(decided.stakes)}
    risks = sorted(answer.risks, key=lambda risk: order.get(risk.name, len(order)))
    columns: dict[str, Any] = {
        "method": [risk.name for risk in risks],
        "risk": np.array([risk.risk for risk in risks], np.float64),
    }
    for key in FIGURES:
        column = [getattr(decided.of(risk.name), key) for risk in risks]
        columns[key] = pd.array(column, dtype="boolean") if key == "within_margin" else np.array(column, np.float64)
    frame = DecisionTable(columns)
    frame.margin, frame.within = decided.decision.margin, decided.decision.within
    frame.note, frame.advice = decided.decision.note, advice(decided, best)
    return frame
