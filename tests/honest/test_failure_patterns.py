"""Whatever fails or is not done: no mean over fewer folds than planned, and no number without its mark.

The truth is a second reading by plain loops over what every fit came to.
"""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from synthetic import ROWS, World, make_world

POLICIES = ["fail", "baseline", "drop_candidate"]
RATES = st.sampled_from([0.0, 0.02, 0.1, 0.5])


class Loops:
    """The rules of the three policies, one fit at a time."""

    def __init__(self, world: World) -> None:
        self.world, self.policy = world, world.study.on_failure
        self.target, self.weights = world.study.target, world.study.weights

    def loss(self, name, candidate, split):
        """A number, or the reason why there is none."""
        outcome = self.world.outcome(name, candidate, split)
        if outcome is None:
            return "missing"
        if isinstance(outcome, str):
            return self.mean(self.featureless(split), split.test) if self.policy == "baseline" else "failed"
        return self.mean(outcome, split.test)

    def mean(self, answers, rows):
        total = weight = 0.0
        for row in rows:
            w = 1.0 if self.weights is None else self.weights[row]
            own = (
                (answers[row] - self.target[row]) ** 2 if answers.ndim == 1 else -np.log(answers[row][self.target[row]])
            )
            total, weight = total + w * own, weight + w
        return total / weight

    def featureless(self, split):
        if self.weights is None:
            return np.full(ROWS, sum(self.target[row] for row in split.train) / len(split.train))
        shares = np.zeros(3)
        for row in split.train:
            shares[self.target[row]] += self.weights[row]
        return np.tile(shares / shares.sum(), (ROWS, 1))

    def choice(self, method, splits):
        """The first candidate with the smallest mean over all splits, and that mean; or why there is none."""
        table = [[self.loss(method.name, at, split) for split in splits] for at in range(len(method.candidates))]
        outcomes = [self.world.outcome(method.name, at, split) for at in range(len(table)) for split in splits]
        if self.policy == "fail" and any(isinstance(outcome, str) for outcome in outcomes):
            return "failed", None
        if any(outcome is None for outcome in outcomes):
            return "missing", None
        means = {at: sum(row) / len(row) for at, row in enumerate(table) if "failed" not in row}
        if not means:
            return "failed", None
        best = min(means.values())
        return next(at for at, mean in means.items() if mean == best), best

    def folds(self, method):
        """Of each outer split: the loss or why there is none, the candidate, its score, and whether it is own."""
        found = []
        for at, split in enumerate(self.world.study.outer):
            candidate, score = (0, None) if method.inner is None else self.choice(method, method.inner.splits[at])
            if isinstance(candidate, str):
                found.append((candidate, None, None, None))
                continue
            loss = self.loss(method.name, candidate, split)
            own = (
                None
                if isinstance(loss, str)
                else not isinstance(self.world.outcome(method.name, candidate, split), str)
            )
            found.append((loss, candidate, score, own))
        return found

    def risk(self, method):
        losses = [fold[0] for fold in self.folds(method)]
        return None if any(isinstance(loss, str) for loss in losses) else sum(losses) / len(losses)

    def auto(self, risks):
        """The mean of the losses of the method that each fold's own tuning prefers, of those that did not fail."""
        tuned = [method for method in self.world.study.methods if method.inner is not None]
        ends = {method.name: self.choice(method, method.inner.final) for method in tuned}
        if not all(method.is_finished for method in self.world.result.methods if method.method in tuned):
            return None
        tuned = [method for method in tuned if ends[method.name][1] is not None and risks[method.name] is not None]
        tuned = [method for method in tuned if any(fold[3] for fold in self.folds(method))]
        if len(tuned) < 2:
            return None
        each = zip(*(self.folds(method) for method in tuned), strict=True)
        return np.mean([min(folds, key=lambda fold: fold[2])[0] for folds in each])

    def status(self, method):
        losses = [fold[0] for fold in self.folds(method)]
        words = {"failed": "failed", "missing": "unfinished"}
        return next((words[word] for word in words if word in losses), "ok")


def close(found, expected):
    return found is None if expected is None else found == pytest.approx(expected, rel=1e-9)


@settings(max_examples=2 * settings.default.max_examples)
@given(
    kind=st.sampled_from(["numbers", "classes"]),
    policy=st.sampled_from(POLICIES),
    seed=st.integers(0, 10**6),
    failing=RATES,
    missing=RATES,
)
def test_every_number_is_that_of_the_plain_loops_or_null(kind, policy, seed, failing, missing):
    world = make_world(kind, policy, seed, failing=failing, missing=missing)
    loops, answer = Loops(world), world.result.to_dict()
    rows = {row["name"]: row for row in answer["methods"]}
    assert answer["on_failure"] == policy
    risks = {}
    for method in world.study.methods:
        row, folds = rows[method.name], loops.folds(method)
        risks[method.name] = expected = loops.risk(method)
        assert close(row["risk"], expected)
        assert row["status"] == loops.status(method)
        assert row["own_folds"] == sum(fold[3] is True for fold in folds)
        for fold, (loss, candidate, score, own) in zip(row["folds"], folds, strict=True):
            assert close(fold["loss"], None if isinstance(loss, str) else loss)
            assert fold["candidate"] == (None if candidate is None else method.candidates[candidate])
            assert close(fold["selection_score"], score)
            assert fold["own"] is own
        if method.inner is not None:
            assert close(row["selection_score"], loops.choice(method, method.inner.final)[1])
        if expected is not None and any(fold[3] is False for fold in folds):
            assert (row["low"], row["interval"]) == (None, None)
            assert f"{row['own_folds']} of {len(folds)} folds own" in row["target"]
    able = {name: risk for name, risk in risks.items() if risk is not None}
    rivals = {name: able[name] for name in able if rows[name]["own_folds"] or name == "baseline"}
    is_any = any(name != "baseline" for name in able)
    best = min(rivals, key=lambda name: (rivals[name], name != "baseline", name), default=None) if is_any else None
    assert answer["best"] == best
    for one in risks:
        for other in risks:
            found = world.result.difference(one, other)
            if risks[one] is None or risks[other] is None:
                assert np.isnan(found.value)
                assert (found.low, found.p) == (None, None)
            else:
                assert found.value == pytest.approx(risks[one] - risks[other], rel=1e-9, abs=1e-12)
    assert close(rows["auto"]["risk"] if "auto" in rows else None, loops.auto(risks))


@given(
    kind=st.sampled_from(["numbers", "classes"]),
    policy=st.sampled_from(POLICIES),
    seed=st.integers(0, 10**6),
    failing=RATES,
    missing=st.sampled_from([0.02, 0.3, 0.9, 1.0]),
)
def test_a_result_of_a_study_that_was_stopped_answers_every_question(kind, policy, seed, failing, missing):
    world = make_world(kind, policy, seed, failing=failing, missing=missing)
    result, answer = world.result, world.result.to_dict()
    json.dumps(answer, allow_nan=False)
    names = [method.name for method in world.study.methods]
    assert result.table()["method"].tolist()[: len(names)] == names
    assert result.choices().shape == (len(world.study.outer) * len(names), 9)
    assert {"method", "row", "loss"} <= set(result.losses().columns)
    assert result.splits().shape[1] == 6
    if kind == "numbers":
        assert len(result.table(mean="rows")) >= len(names)
    is_done = all(method.is_finished for method in result.methods)
    assert result.is_finished == answer["finished"] == is_done
    for text in (repr(result), result.report(), result._repr_html_(), result.explain()):
        assert "Traceback" not in text
    shown, explained = (" ".join(text.split()) for text in (repr(result), result.explain()))
    assert ("not finished" in shown) == ("not finished" in explained) == (not is_done)
    if not is_done and result.best is not None:
        assert "So far" in repr(result) or "Every other method failed" in repr(result)
    for one in names:
        assert result.difference(one, names[0]).names == (one, names[0])
    if failing == 0 and missing == 1.0:
        assert (result.best, {row["status"] for row in answer["methods"]}) == (None, {"unfinished"})


@given(kind=st.sampled_from(["numbers", "classes"]), seed=st.integers(0, 10**6), missing=st.sampled_from([0.0, 0.1]))
def test_without_failures_the_policies_give_one_answer(kind, seed, missing):
    answers = [make_world(kind, policy, seed, missing=missing).result.to_dict() for policy in POLICIES]
    for answer in answers:
        assert answer.pop("on_failure") in POLICIES
        assert answer == answers[0]


def test_an_unfinished_method_says_how_far_it_has_come():
    world = make_world("numbers", "fail", 3, missing=0.05)
    notes = {row["name"]: row["status"] for row in world.result.to_dict()["methods"]}
    done = sum(state != "missing" for state in world.result.methods[0].states)
    there = sum(outcome is not None for (name, *_), outcome in world.outcomes.items() if name == "knn")
    assert notes["knn"] == "unfinished"
    text = next(note for note in world.result.notes if note.startswith("knn: not finished"))
    assert f"{done} of 4 outer folds done" in text
    assert int(text.split(" of ")[1].split(", ")[1]) <= there
    assert f"of {3 * (12 + 3) + 4} fits" in text
