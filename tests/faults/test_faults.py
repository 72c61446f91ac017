"""Every fault, in fit and in predict: the run ends by itself, the fit has its status, the others their numbers."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import leftovers
import pytest
import trial

from faults import FAULTS
from foldwise.questions.decision import FIGURES

STAGES = ["fit", "predict"]
# Cheap faults happen in every fit; nuisances in the three that hold row 0 out and crashes in one, to save time.
WHERE = {"error": {}, "invalid output": {}, "ok": {"without_rows": (0.0,), "at_strength": 100.0}}
OF_ALL_METHODS = ("low_simultaneous", "high_simultaneous", "p", "p_holm", *FIGURES)  # as differences: of others too
LIMITS = {"fit_timeout": 6.0, "fit_memory": 0.15}  # eating 0.15 GB takes a while on a busy machine


def run(folder: Path, task: str, saboteurs: Mapping[str, Any], **words: Any) -> dict[str, Any]:
    """The trial in a process of its own, which leaves nothing behind."""
    environment = leftovers.marked(folder)
    spec = json.dumps({"task": task, "saboteurs": saboteurs, "words": {"jobs": 2, "isolate": True} | words})
    command = [sys.executable, str(Path(trial.__file__)), spec]
    process = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120)
    assert process.returncode == 0, process.stderr[-2000:]
    leftovers.assert_nothing_left(environment)
    assert len(process.stdout) + len(process.stderr) < 100_000
    answer: dict[str, Any] = json.loads(process.stdout)
    return answer


@lru_cache
def undisturbed(task: str, *losses: str) -> dict[str, Any]:
    """The honest learner alone, in this process."""
    return trial.answer(task, {}, {"jobs": 1, "isolate": False, "loss": list(losses) or None})


def saboteurs(stage: str, names: list[str]) -> dict[str, Any]:
    where = {name: WHERE.get(FAULTS[name].status, trial.ONE_FIT) for name in names}
    return {name: {"fault": name, "stage": stage, "seconds": 60.0, **where[name]} for name in names}


def numbers(method: Mapping[str, Any]) -> str:
    """All a method's numbers but those of time and of the other methods."""
    left_out = ("name", "seconds", "fits_made", *OF_ALL_METHODS)
    kept = {key: value for key, value in method.items() if key not in left_out and not key.startswith("difference")}
    return json.dumps(kept)


def check(answer: Mapping[str, Any], names: list[str], expected: Mapping[str, Any]) -> None:
    right = numbers(expected["methods"]["honest"])
    assert answer["statuses"]["honest"] == expected["statuses"]["honest"] == {"ok": 12}
    assert numbers(answer["methods"]["honest"]) == right
    for name in names:
        status, found = FAULTS[name].status, answer["statuses"][name]
        wanted = {status: 12} if status in WHERE else {status: 1, "ok": 11}
        assert (name, found) == (name, wanted), answer["errors"].get(name)
        method = answer["methods"][name]
        assert (method["risk"] is None) == (status != "ok")
        if status == "ok":
            for key in ("risk", "low", "high", "selection_score", "folds", "train_risk"):
                assert (name, method[key]) == (name, expected["methods"]["honest"][key])
        else:
            assert answer["errors"][name]


@pytest.mark.slow
@pytest.mark.parametrize("stage", STAGES)
def test_faults_cost_only_their_own_fits_and_name_their_cause(stage: str, tmp_path: Path) -> None:
    names = [name for name, fault in FAULTS.items() if not fault.limit and "regression" in fault.tasks]
    always = {"always": {"fault": "exit", "stage": stage}}
    answer = run(tmp_path / "tmp", "regression", saboteurs(stage, names) | always)
    check(answer, names, undisturbed("regression"))
    assert answer["statuses"]["always"] == {"crashed": 12}
    for name, words in {"segfault": "SIGSEGV", "kill": "SIGKILL", "abort": "SIGABRT", "exit": "code 3"}.items():
        assert words in answer["errors"][name]


@pytest.mark.slow
def test_limits_end_what_would_not_end(tmp_path: Path) -> None:
    """In fit; the executor's own contract (test_survival.py) has both stages."""
    names = [name for name, fault in FAULTS.items() if fault.limit]
    answer = run(tmp_path / "tmp", "regression", saboteurs("fit", names), **LIMITS)
    check(answer, names, undisturbed("regression"))


@pytest.mark.slow
def test_wrong_answers_of_a_classifier_are_refused(tmp_path: Path) -> None:
    names = [name for name, fault in FAULTS.items() if fault.spoil]
    answer = run(tmp_path / "tmp", "classification", saboteurs("predict", names), loss=["log", "zero_one"])
    check(answer, names, undisturbed("classification", "log", "zero_one"))
