"""What is said of every kind of study, on the screen and in its details, is kept in `wording/`; none claims too much.

A better sentence changes it here and where it is made, and nowhere else. To write the kept texts anew, and to read them
before they are committed:

    python tests/test_wording.py
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor

import foldwise as fw

FOLDER = Path(__file__).parent / "wording"


def regression() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(4)
    X = rng.normal(size=(60, 2))
    return X, X[:, 0] + 0.5 * rng.normal(size=60)


def plain(**options: Any) -> fw.Result:
    learners = {"ridge": Ridge(), "k-nn": KNeighborsRegressor(3)}
    return fw.compare(learners, *regression(), jobs=1, progress=False, **options)


def tuned(**options: Any) -> fw.Result:
    ridge, k_nn = fw.tune(Ridge(), alpha=[0.1, 10.0]), fw.tune(KNeighborsRegressor(), n_neighbors=[2, 5])
    return fw.compare({"ridge": ridge, "k-nn": k_nn}, *regression(), jobs=1, progress=False, **options)


def classes(**options: Any) -> fw.Result:
    rng = np.random.default_rng(5)
    X = rng.normal(size=(60, 2))
    y = np.where(X[:, 0] + 0.7 * rng.normal(size=60) > 0, "yes", "no")
    learners = {"logistic": LogisticRegression(), "k-nn": KNeighborsClassifier(5)}
    return fw.compare(learners, X, y, jobs=1, progress=False, **options)


STUDIES: dict[str, Callable[[], fw.Result]] = {
    "test set": lambda: classes(outer=0.3),
    "test set, unbounded loss": lambda: tuned(outer=0.3, inner=0.25),
    "test set of groups": lambda: plain(outer=0.3, groups=np.arange(60) // 4),
    "test set in time": lambda: plain(outer=0.3, time=np.arange(60.0)),
    "test set, AUC": lambda: classes(outer=0.5, loss="roc_auc"),
    "folds, untuned": lambda: plain(outer=10),
    "folds, aligned": lambda: tuned(outer=7, inner="aligned"),
    "folds, nested": lambda: tuned(outer=6, inner=4, optimism=True),
    "folds, repeated": lambda: plain(outer=5, repeats=3),
    "folds of groups": lambda: plain(outer=5, groups=np.arange(60) // 4),
    "folds, AUC and error": lambda: classes(outer=5, loss=["roc_auc", "zero_one"]),
    "folds, Bayle": lambda: plain(outer=10, interval="bayle"),
    "leave one out": lambda: plain(outer="loo"),
    "time-ordered": lambda: plain(outer=5, time=np.arange(60.0)),
    "nothing to learn": lambda: fw.compare(
        {"k-nn": KNeighborsRegressor(1)}, np.zeros((40, 1)), regression()[1][:40], outer=5, jobs=1, progress=False
    ),
}
NO_INTERVAL = {"test set in time", "leave one out"}

# Claims that no estimate here can support.
OVERCLAIMS = (
    "significan", "prove", "confidence interval of the model", "guarantee", "certain", "definitely", "truly",
    "the true risk", "the true error", "will have", "is better than", "outperform", "95% chance", "95% probab",
    "best model", "equal to", "told apart",
)  # fmt: skip


@cache
def made(name: str) -> fw.Result:
    return STUDIES[name]()


@cache
def told(name: str) -> str:
    """The screen and the details on a terminal of 100 columns, without seconds and the table that has them."""
    with patch.dict(os.environ, COLUMNS="100"):
        text = f"{made(name)}\n\n\n{made(name).details()}\n"
    text = re.sub(r"(?s)(All numbers\n─+\n\n).*?\n\n", r"\1…\n\n", text)
    return re.sub(r"\b[\d.]+ s\b", "… s", text)


def path_of(name: str) -> Path:
    return FOLDER / f"{re.sub(r'[^a-z0-9]+', '-', name.lower()).strip('-')}.txt"


@pytest.mark.parametrize("name", STUDIES)
def test_the_words_are_those_that_were_kept(name: str) -> None:
    assert told(name) == path_of(name).read_text(encoding="utf-8"), "if it is better now: python tests/test_wording.py"


def test_every_text_that_is_kept_belongs_to_a_study() -> None:
    assert {path.name for path in FOLDER.glob("*.txt")} == {path_of(name).name for name in STUDIES}


@pytest.mark.parametrize("name", STUDIES)
def test_nothing_is_claimed_that_no_estimate_supports(name: str) -> None:
    assert [words for words in OVERCLAIMS if words in told(name).lower()] == []


@pytest.mark.parametrize("name", STUDIES)
def test_an_interval_is_named_or_refused_with_a_reason(name: str) -> None:
    words = " ".join(told(name).split())
    named = {method["interval"] for method in made(name).to_dict()["methods"]}
    assert (named == {None}) == (name in NO_INTERVAL)
    assert all(interval in words for interval in named - {None})
    assert ("no interval is valid here" in words) == ("(95% CI" not in words) == (name in NO_INTERVAL)


@pytest.mark.parametrize("name", STUDIES)
def test_a_risk_is_that_of_models_with_so_many_training_rows(name: str) -> None:
    counts = [len(split.train) for split in made(name).study.outer]
    rows = f"{min(counts)} to {max(counts)}" if name == "time-ordered" else round(np.mean(counts))
    assert f"{rows} training rows" in told(name)


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for old in FOLDER.glob("*.txt"):
        old.unlink()
    for study in STUDIES:
        path_of(study).write_text(told(study), encoding="utf-8")
