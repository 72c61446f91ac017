"""What the members of a blend predicted: the table its weights are fitted on.

The weights are fitted on the rows that the inner splits held out, predicted by each member's chosen
candidate. The rows to be judged are predicted by the members' models of the whole training set.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from foldwise.arrays import AnyArray, FloatArray, IntArray
from foldwise.splits.split import Split, Splits
from foldwise.studies.reading import Reading
from foldwise.studies.study import Method, Stage, Study
from foldwise.studies.tuning_run import Choice

WEIGHTS = "weights"  # an extra response of a blend: the weight of each member, for every row


class HeldOut(NamedTuple):
    """Rows held out inside a training set, and the members' predictions of them, `columns[row, member]`."""

    rows: IntArray
    columns: FloatArray


def members_of(study: Study, method: Method) -> list[Method]:
    """The members of a blend, as methods of the study."""
    methods = {other.name: other for other in study.methods}
    return [methods[name] for _, name in method.members]


def held_out(reading: Reading, method: Method, stage: Stage | None) -> HeldOut | None:
    """Out-of-fold predictions inside a stage, or inside all rows (None), as soon as every member has chosen."""
    by_member: list[HeldOut] = []
    for member in members_of(reading.study, method):
        choice, splits = _tuned(reading, member, stage)
        rows = None if choice.candidate is None else _held_out_by(reading, member, choice.candidate, splits)
        if rows is None:
            return None
        by_member.append(rows)
    return HeldOut(by_member[0].rows, np.hstack([rows.columns for rows in by_member]))


def answered(reading: Reading, method: Method, stage: Stage, rows: IntArray) -> FloatArray | None:
    """Predictions of the members' models of a stage's training set for these rows."""
    columns = []
    for member in members_of(reading.study, method):
        candidate, response = _tuned(reading, member, stage)[0].candidate, member.member_response
        answer = None if candidate is None else reading.answer(member, candidate, stage.split, response, rows)
        if answer is None:
            return None
        columns.append(as_columns(answer))
    return np.hstack(columns)


def as_columns(answer: AnyArray) -> FloatArray:
    """One column per number that a member predicts; probabilities without the first class, which follows.

    >>> as_columns(np.array([[0.2, 0.8]]))
    array([[0.8]])
    """
    return answer[:, None].astype(np.float64) if answer.ndim == 1 else answer[:, 1:]


def final_key(study: Study, method: Method) -> str:
    """The name of the fit of a blend's weights on all rows."""
    return study.fit_key(method.identities[0], "all rows")


def weights_of(reading: Reading, method: Method, split: Split | None) -> dict[str, float] | None:
    """The weight of each member on a split, or on all rows (None); None where they are not known."""
    study = reading.study
    record = reading.store.get(final_key(study, method) if split is None else study.key(method, 0, split))
    if record is None or not record.is_ok:
        return None
    weights = record.responses[WEIGHTS][0]
    return {name: round(float(weight), 6) for (name, _), weight in zip(method.members, weights, strict=True)}


def _tuned(reading: Reading, member: Method, stage: Stage | None) -> tuple[Choice, Splits]:
    """A member's choice for a stage, or on all rows, and the inner splits it was made on."""
    assert member.inner is not None
    if stage is None:
        assert member.inner.final is not None
        return reading.final_choice(member), member.inner.final
    return reading.choice(member, stage.at), member.inner.splits[stage.at]


def _held_out_by(reading: Reading, member: Method, candidate: int, splits: Splits) -> HeldOut | None:
    """One member's predictions of the rows its splits hold out; the mean where a row is held out more than once."""
    answers = [reading.answer(member, candidate, split, member.member_response, split.test) for split in splits]
    columns = [as_columns(answer) for answer in answers if answer is not None]
    if len(columns) < len(splits):
        return None
    rows, places = np.unique(np.concatenate([split.test for split in splits]), return_inverse=True)
    sums = np.zeros((len(rows), columns[0].shape[1]))
    np.add.at(sums, places, np.vstack(columns))
    return HeldOut(rows, sums / np.bincount(places)[:, None])
