"""What failed is told by its kind (questions/failures.py), in notes, table, page and JSON."""

from __future__ import annotations

import pytest
from synthetic import make_world


@pytest.fixture(scope="module")
def world():
    return make_world("numbers", "fail", 11, failing=0.3)


def test_failures_are_counted_by_what_became_of_the_fit(world):
    answer = world.result.to_dict()
    for method in answer["methods"]:
        mine = [it for (name, *_), it in world.outcomes.items() if name == method["name"] and isinstance(it, str)]
        kinds = {failure["status"].split(":")[0]: failure["count"] for failure in method["failures"]}
        assert sum(kinds.values()) == method["failed"]
        if method["name"] in ("ridge", "baseline"):  # untuned: every outcome is needed
            assert kinds == {kind: mine.count(kind) for kind in set(mine)}


def test_a_crash_is_told_with_its_signal_and_the_commonest_kind_comes_first(world):
    answer = world.result.to_dict()
    failures = answer["methods"][0]["failures"]
    assert {"status": "crashed: SIGSEGV", "first": "killed by SIGSEGV"}.items() <= {
        key: value for failure in failures if failure["status"].startswith("crashed") for key, value in failure.items()
    }.items()
    assert [failure["count"] for failure in failures] == sorted((f["count"] for f in failures), reverse=True)
    words = ", ".join(f"{failure['count']} {failure['status']}" for failure in failures)
    note = next(note for note in world.result.notes if note.startswith("knn: "))
    assert f"fits failed ({words}); first: {failures[0]['first']}; so it has no risk (on_failure='fail')" in note


def test_a_final_tuning_that_failed_leaves_the_risk_and_says_that_no_candidate_was_chosen():
    """The risk rests on its own folds; what is lost is the candidate to take to all rows."""
    for seed in range(200):
        world = make_world("numbers", "fail", seed, failing=0.01)
        method = world.result.methods[0]
        if method.status == "ok" and method.failures:
            break
    assert world.result.reading.final_choice(method.method).candidate is None
    assert any("knn:" in note and "no candidate could be chosen on all rows" in note for note in world.result.notes)
