"""What the members of a combined method answered, side by side: the table its final learner is fitted on.

The rows that the inner splits held out are learnt from, with the predictions of each member's chosen
candidate. The rows to be judged are answered by the members' models of the whole training part.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from foldwise.arrays import AnyArray, FloatArray, IntArray
from foldwise.splits.split import Split, Splits
from foldwise.studies.reading import Reading
from foldwise.studies.study import Method, Stage, Study
from foldwise.studies.tuning_run import Choice

WEIGHTS = "weights"  # what a final learner leaves beside its responses: the weight of each member, for every row


class HeldOut(NamedTuple):
    """Rows held out inside a training part, and the members' predictions of them, `columns[row, member]`."""

    rows: IntArray
    columns: FloatArray


def members_of(study: Study, method: Method) -> list[Method]:
    """The members of a combined method, as methods of the study."""
    known = {one.name: one for one in study.methods}
    return [known[name] for _, name in method.members]


def held_out(reading: Reading, method: Method, stage: Stage | None) -> HeldOut | None:
    """Out-of-fold predictions inside a stage, or inside all rows (None), as soon as every member has chosen."""
    found: list[HeldOut] = []
    for part in members_of(reading.study, method):
        choice, splits = _tuned(reading, part, stage)
        own = None if choice.candidate is None else _own_held_out(reading, part, choice.candidate, splits)
        if own is None:
            return None
        found.append(own)
    return HeldOut(found[0].rows, np.hstack([own.columns for own in found]))


def answered(reading: Reading, method: Method, stage: Stage, rows: IntArray) -> FloatArray | None:
    """What the members' models of a stage's training part answer for these rows."""
    found = []
    for part in members_of(reading.study, method):
        candidate = _tuned(reading, part, stage)[0].candidate
        own = None if candidate is None else reading.answer(part, candidate, stage.split, part.member_response, rows)
        if own is None:
            return None
        found.append(as_columns(own, part.member_response))
    return np.hstack(found)


def as_columns(answer: AnyArray, response: str) -> FloatArray:
    """One column per number a member gives; of probabilities all but the first class, which follows from the others.

    >>> as_columns(np.array([[0.2, 0.8]]), "predict_proba")
    array([[0.8]])
    """
    if answer.ndim == 1:
        return answer[:, None].astype(np.float64)
    return answer[:, 1:] if response == "predict_proba" else answer


def final_key(study: Study, method: Method) -> str:
    """The name of the fit of a final learner on all rows."""
    return study.fit_key(method.settings[0], "all rows")


def weights_of(reading: Reading, method: Method, split: Split | None) -> dict[str, float] | None:
    """The weight of each member on a split, or on all rows (None); empty where its final learner has none to show."""
    study = reading.study
    record = reading.store.get(final_key(study, method) if split is None else study.key(method, 0, split))
    if record is None or not record.is_ok:
        return None
    weights = record.responses.get(WEIGHTS)
    if weights is None or not len(weights):
        return {}
    return {name: round(float(weight), 6) for (name, _), weight in zip(method.members, weights[0], strict=True)}


def _tuned(reading: Reading, part: Method, stage: Stage | None) -> tuple[Choice, Splits]:
    """A member's choice for a stage, or on all rows, and the inner splits it was made on."""
    assert part.inner is not None
    if stage is None:
        assert part.inner.final is not None
        return reading.final_choice(part), part.inner.final
    inner = part.inner.splits if stage.level == "outer" else part.extra_inner
    assert inner is not None
    return reading.stage_choice(part, stage._replace(inner=inner[stage.at])), inner[stage.at]


def _own_held_out(reading: Reading, part: Method, candidate: int, splits: Splits) -> HeldOut | None:
    """One member's predictions of the rows its splits hold out; the mean where a row is held out more than once."""
    answers = [reading.answer(part, candidate, split, part.member_response, split.test) for split in splits]
    columns = [as_columns(answer, part.member_response) for answer in answers if answer is not None]
    if len(columns) < len(splits):
        return None
    rows, place = np.unique(np.concatenate([split.test for split in splits]), return_inverse=True)
    sums = np.zeros((len(rows), columns[0].shape[1]))
    np.add.at(sums, place, np.vstack(columns))
    return HeldOut(rows, sums / np.bincount(place)[:, None])
