"""What is said of each scheme, sentence by sentence, is kept in `wording/`; none may claim more than its target.

To write the texts anew after a wanted change, and to read them before they are kept:

    python tests/api/test_wording.py
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor

import foldwise as fw
from foldwise.show.verdict import verdict

FOLDER = Path(__file__).parent / "wording"


def regression() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(4)
    X = rng.normal(size=(60, 2))
    return X, X[:, 0] + 0.5 * rng.normal(size=60)


def classification() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(5)
    X = rng.normal(size=(60, 2))
    return X, (X[:, 0] + 0.7 * rng.normal(size=60) > 0).astype(int)


def plain(**words: Any) -> fw.Result:
    return fw.compare({"ridge": Ridge(), "k-nn": KNeighborsRegressor(3)}, *regression(), jobs=1, **words)


def nested(**words: Any) -> fw.Result:
    learners = {
        "ridge": fw.tune(Ridge(), alpha=[0.1, 10.0]),
        "k-nn": fw.tune(KNeighborsRegressor(), n_neighbors=[2, 5]),
    }
    return fw.compare(learners, *regression(), jobs=1, **words)


def classes(**words: Any) -> fw.Result:
    learners = {"logistic": LogisticRegression(), "k-nn": KNeighborsClassifier(5)}
    return fw.compare(learners, *classification(), jobs=1, **words)


SCHEMES: dict[str, Callable[[], fw.Result]] = {
    "test split": lambda: classes(outer=0.3),
    "test split, unbounded loss": lambda: nested(outer=0.3, inner=0.25),
    "CV, untuned": lambda: plain(outer=10),
    "nested, aligned": lambda: nested(outer=7, inner="aligned"),
    "nested K1 x K2": lambda: nested(outer=6, inner=4),
    "cheap variant": lambda: nested(outer=6, inner="dev"),
    "repeated": lambda: plain(outer=5, repeats=3),
    "grouped": lambda: plain(outer=5, groups=np.arange(60) // 4),
    "test split of groups": lambda: plain(outer=0.3, groups=np.arange(60) // 4),
    "time-ordered": lambda: plain(outer=5, time=np.arange(60.0)),
    "test split in time": lambda: plain(outer=0.3, time=np.arange(60.0)),
    "leave-one-out": lambda: plain(outer="loo"),
    "AUC": lambda: classes(outer=5, loss="roc_auc"),
    "AUC of a test split": lambda: classes(outer=0.5, loss="roc_auc"),
    "influence curve on request": lambda: classes(outer=5, loss="roc_auc", interval="influence curve"),
    "Bayle on request": lambda: plain(outer=10, interval="bayle"),
    "nothing to learn": lambda: fw.compare(
        {"k-nn": KNeighborsRegressor(1)}, np.zeros((40, 1)), regression()[1][:40], outer=5, jobs=1
    ),
}
TEST_SETS = {name for name in SCHEMES if "test split" in name}
THESE_MODELS = {"influence curve on request", "Bayle on request"}
NO_INTERVAL = {"test split in time", "leave-one-out"}

# Words that would claim what no estimate here can.
OVERCLAIMS = [
    "significan", "prove", "confidence interval of the model", "confidence", "guarantee", "certain", "definitely",
    "truly", "the true risk", "will have", "is better than", "outperform", "95% chance", "95% probab", "best model",
    "equal to",
]  # fmt: skip

REGRET = r"(?m)^(take .+: its (expected )?regret is|.+ within .+ of the best).* with 95% probability"


@cache
def made(name: str) -> fw.Result:
    return SCHEMES[name]()


@cache
def told(name: str) -> str:
    """All that is said: the verdict, the explanation, and each method's estimate in one line."""
    result = made(name)
    lines = [f"{method.method.name}: {method.estimate()}" for method in result.methods]
    sentences = "\n".join(verdict(result.to_dict()).replace(". ", ".\n").splitlines())
    return "\n\n".join([sentences, result.explain(), "\n".join(lines)]) + "\n"


def kept_words(name: str) -> str:
    """What is kept: all but the figures of the coverage simulations, which have a page of their own."""
    kept = re.sub(r"(?m)^(Measured coverage of the .+ interval.* at 95%: ).*$", r"\1...", told(name))
    return re.sub(r"(?m)^(Probability to be the best.* Measured: ).*$", r"\1...", kept)


def path_of(name: str) -> Path:
    return FOLDER / f"{re.sub(r'[^a-z0-9]+', '-', name.lower()).strip('-')}.txt"


@pytest.mark.parametrize("name", SCHEMES)
def test_the_words_are_those_that_were_kept(name):
    assert kept_words(name) == path_of(name).read_text(encoding="utf-8")


def test_every_text_that_is_kept_belongs_to_a_scheme():
    assert {path.name for path in FOLDER.glob("*.txt")} == {path_of(name).name for name in SCHEMES}


@pytest.mark.parametrize("name", SCHEMES)
def test_no_sentence_claims_more_than_its_target(name):
    text = re.sub(REGRET, "", told(name).lower())  # what is said of a regret is no claim about a risk
    for words in OVERCLAIMS:
        assert words not in text, f"{words!r} is in what is said of {name}"
    assert ("these models" in text or re.search(r"these \d+ models", text) is not None) == (name in THESE_MODELS)
    assert ("this predictor" in text) == (name in TEST_SETS)


@pytest.mark.parametrize("name", sorted(set(SCHEMES) - TEST_SETS - THESE_MODELS))
def test_a_risk_over_splits_is_that_of_a_learner_at_so_many_training_rows(name):
    sizes = [len(split.train) for split in made(name).study.outer]
    rows = f"{min(sizes)} to {max(sizes)}" if name == "time-ordered" else round(np.mean(sizes))
    lines = [line for line in told(name).splitlines() if re.match(r"(ridge|k-nn|logistic|baseline): ", line)]
    assert lines
    for line in lines:
        assert f"learner at {rows} training rows" in line
    assert f"{rows} training rows" in told(name).splitlines()[0]


@pytest.mark.parametrize("name", SCHEMES)
def test_an_interval_is_named_with_its_level_and_assumption_or_refused_with_a_reason(name):
    text = told(name)
    if name in NO_INTERVAL:
        assert "no valid interval here" in text
        assert "(no interval)" in text
        assert "95%" not in text
    else:
        assert "95%" in text
        assert "independent" in text
        assert "approximate" in text or "holds for every number of them" in text


@pytest.mark.parametrize("name", sorted(set(SCHEMES) - NO_INTERVAL))
def test_the_verdict_gives_the_interval_that_holds_for_the_best_of_all(name):
    result = made(name)
    among = len(result.methods) - (result.best != "baseline")  # which is no rival
    assert f"for the best of {among}:" in verdict(result.to_dict())


@pytest.mark.parametrize("name", SCHEMES)
def test_every_interval_comes_with_what_it_was_measured_to_cover_and_the_delivered_model_with_none(name):
    named = set(re.findall(r"\(.*, 95% ([^)]+)\)", told(name)))
    assert set(re.findall(r"Measured coverage of the (.+) interval \(.+\) at 95%", told(name))) == named
    assert "No number here is the risk of the delivered model" in told(name)


def test_nothing_is_told_apart_without_an_interval():
    for name in NO_INTERVAL:
        assert "beyond chance cannot be said here" in told(name)
        assert "excludes 0" not in told(name)
        assert "beats" not in told(name)


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for old in FOLDER.glob("*.txt"):
        old.unlink()
    for scheme in SCHEMES:
        path_of(scheme).write_text(kept_words(scheme), encoding="utf-8")
