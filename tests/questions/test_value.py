"""questions/value.py and questions/notes.py: typed answers in plain values, and the notes beside them."""

from __future__ import annotations

import json
from dataclasses import dataclass

import numpy as np

import foldwise as fw
from foldwise.questions.value import Value


@dataclass(frozen=True)
class Inner(Value):
    low: float


@dataclass(frozen=True)
class Outer(Value):
    inner: Inner
    names: tuple[str, ...]
    table: np.ndarray


def test_a_value_is_plain_down_to_its_last_field():
    value = Outer(Inner(float("inf")), ("a", "b"), np.array([[1, 2]]))

    assert value.to_dict() == {"inner": {"low": None}, "names": ["a", "b"], "table": [[1, 2]]}


def test_an_answer_is_json_without_a_number_that_json_lacks():
    result = fw.compare(["linear"], "diabetes", outer=3, jobs=1)

    assert json.loads(json.dumps(result.to_dict(), allow_nan=False)) == result.to_dict()


def test_a_note_stands_once_and_gives_way_to_the_finding_that_says_it():
    result = fw.compare(["linear", "k-nn:small"], "diabetes", outer=3, inner=2, jobs=1)
    notes = result.to_dict()["notes"]

    assert len({note["text"] for note in notes}) == len(notes)
    said = {"FW405": "ledger", "FW501": "edge", "FW505": "imbalance"}
    codes = {said.get(finding.code) for finding in result.findings}
    assert not codes & {note["code"] for note in notes}
