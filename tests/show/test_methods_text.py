"""The methods paragraph (questions/protocol.py) of each scheme is kept in `methods/`, and is true of the splits.

To write the texts anew after a wanted change, and to read them before they are kept:

    python tests/show/test_methods_text.py
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import Ridge
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.svm import SVR

import foldwise as fw
from foldwise.questions.protocol import protocol
from foldwise.show.methods_text import methods_paragraph, references

FOLDER = Path(__file__).parent / "methods"


def study(*, neighbours: Sequence[int] = (2, 5, 9), **words: Any) -> fw.Result:
    rng = np.random.default_rng(4)
    X = rng.normal(size=(60, 2))
    y = X[:, 0] + 0.5 * rng.normal(size=60)
    learners = {
        "ridge": fw.tune(Ridge(), alpha=[0.1, 10.0]),
        "k-nn": fw.tune(KNeighborsRegressor(), n_neighbors=neighbours),
        "plain ridge": Ridge(),
    }
    return fw.compare(learners, X, y, jobs=1, **words)


def untuned(**words: Any) -> fw.Result:
    rng = np.random.default_rng(5)
    X = rng.normal(size=(60, 2))
    y = (X[:, 0] + 0.7 * rng.normal(size=60) > 0).astype(int)
    return fw.compare({"k-nn": KNeighborsClassifier(5)}, X, y, jobs=1, **words)


SCHEMES: dict[str, Callable[[], fw.Result]] = {
    "test split": lambda: study(outer=0.3, inner=0.25),
    "test split, CV tuning": lambda: study(outer=0.3, inner=4),
    "test split in time": lambda: study(outer=0.3, inner=0.25, time=np.arange(60.0)),
    "CV": lambda: untuned(outer=10),
    "leave-one-out": lambda: untuned(outer="loo"),
    "AUC": lambda: untuned(outer=5, loss="roc_auc"),
    "nested aligned": lambda: study(outer=7, inner="aligned"),
    "nested on pairs": lambda: study(outer=5, inner="pairs"),
    "nested K1 x K2": lambda: study(outer=6, inner=4),
    "cheap variant": lambda: study(outer=6, inner="dev"),
    "repeated": lambda: study(outer=5, inner=3, repeats=2),
    "grouped": lambda: study(outer=5, inner=3, groups=np.arange(60) // 4),
    "time-ordered": lambda: study(outer=4, inner=3, time=np.arange(60.0), neighbours=(1, 2, 3)),
    "random splits, weights": lambda: study(outer=fw.MonteCarlo(3, share=0.2), inner=3, weights=np.arange(1.0, 61.0)),
}


@cache
def result_of(name: str) -> fw.Result:
    return SCHEMES[name]()


def text_of(name: str) -> str:
    result = result_of(name)
    facts, answer = protocol(result.study), result.to_dict()
    words = methods_paragraph(answer, facts)
    words = re.sub(r"Foldwise \S+ \(.*?\)", "Foldwise ... (...)", words)
    return "\n".join([*re.split(r"(?<=[.]) (?=[A-Z0-9])|(?<=; )", words), "", *references(answer, facts)]) + "\n"


def path_of(name: str) -> Path:
    return FOLDER / f"{re.sub(r'[^a-z0-9]+', '-', name.lower())}.txt"


@pytest.mark.parametrize("name", SCHEMES)
def test_the_paragraph_is_the_one_that_was_kept(name):
    assert text_of(name) == path_of(name).read_text(encoding="utf-8")


@pytest.mark.parametrize("name", SCHEMES)
def test_the_numbers_of_rows_are_those_of_the_splits(name):
    result = result_of(name)
    outer = result.splits().query("level == 'outer'")
    sizes = outer.groupby(["repeat", "fold", "part"]).size().unstack()
    text = text_of(name)

    for part in ("train", "test"):
        low, high = int(sizes[part].min()), int(sizes[part].max())
        words = str(low) if low == high else f"{low} to {high}"
        if part == "train" or "test set" in text or "test block" in text:
            assert words in text, (part, words)


@pytest.mark.parametrize("name", SCHEMES)
def test_nested_is_said_where_tuning_was_inside_several_outer_splits_and_nowhere_else(name):
    result, text = result_of(name), text_of(name)
    is_tuned = any(method.inner is not None for method in result.study.methods)
    is_nested = is_tuned and len(result.study.outer) > 1

    assert ("inside every outer training set" in text) == is_nested
    assert ("Varma S." in text) == is_nested
    assert ("Stone M." in text) == result.study.outer.is_partition


@pytest.mark.parametrize("name", SCHEMES)
def test_an_interval_is_named_as_in_the_table_or_none_is_claimed(name):
    names = set(result_of(name).table()["interval"].dropna())
    text = text_of(name)

    assert all(f"{one} interval" in text or one in text for one in names)
    assert ("No interval is given" in text) == (not names)


def test_a_search_is_told_by_the_candidates_of_one_tuning_and_by_what_ended_it():
    """Not by all that its tunings proposed together, nor as if a fixed order had looked at scores."""
    specs = {
        "timed": fw.tune(SVR(), C=fw.log_range(0.1, 10), tuner="random", budget="0.001 s"),
        "sought": fw.tune(SVR(), C=fw.log_range(0.1, 10), tuner="tpe", budget=14),
        "best": fw.best_of({"a": Ridge(), "b": fw.tune(Ridge(), alpha=[1.0, 2.0])}),
    }
    X = np.random.default_rng(0).normal(size=(30, 2))
    result = fw.compare(specs, X, X.sum(axis=1), outer=2, inner=2, jobs=1)
    text = methods_paragraph(result.to_dict(), protocol(result.study))
    assert "sought (14 candidates in each tuning) was tuned" in text
    assert "proposed by Optuna's tpe from the scores of the same tuning so far)" in text
    assert "timed (10 candidates in each tuning) was tuned" in text
    assert "in a fixed order, spread evenly over the space, and a tuning ended when its share of 0.001 s" in text
    assert "The candidates of best were those of a and b together." in text


def paragraph(result: fw.Result) -> str:
    return methods_paragraph(result.to_dict(), protocol(result.study))


def test_only_learners_that_took_the_weights_are_said_to_have_been_weighted(tmp_path):
    words = {"outer": 3, "inner": 2, "weights": np.arange(1.0, 61.0), "store": tmp_path / "run"}
    said = "Rows were weighted, in fits (not in the fits of k-nn, which can take no weights) and in losses."
    assert said in paragraph(study(**words))
    assert said in paragraph(fw.load(tmp_path / "run"))


def test_only_learners_that_were_judged_at_their_defaults_are_said_to_have_been():
    """Unless it is asked for, that is done where there are 20 candidates or more."""
    told = paragraph(study(outer=3, inner=2, neighbours=range(1, 21)))
    every = paragraph(study(outer=3, inner=2, defaults=True))

    assert " k-nn was also judged on the same outer splits at its default parameters. " in told
    assert " Each tuned learner was also judged on the same outer splits at its default parameters. " in every


def test_all_methods_that_auto_may_pick_are_named():
    rng = np.random.default_rng(6)
    learners = {f"ridge {k}": fw.tune(Ridge(), alpha=[0.1 * k, 10.0]) for k in range(1, 9)}
    result = fw.compare(learners, rng.normal(size=(40, 2)), rng.normal(size=40), outer=3, inner=2, jobs=1)

    assert "of ridge 1, ridge 2, ridge 3, ridge 4, ridge 5, ridge 6, ridge 7 and ridge 8 had" in paragraph(result)


def test_members_that_had_nothing_to_tune_are_not_said_to_have_been_tuned():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2))
    stack = fw.stack({"r": Ridge(), "k": fw.tune(KNeighborsRegressor(), n_neighbors=[2, 5])})
    text = paragraph(fw.compare({"s": stack}, X, X.sum(axis=1) + rng.normal(size=40), outer=3, inner=2, jobs=1))
    assert "s: k (2 candidates) was tuned" in text
    assert "1 candidate)" not in text


def test_inner_holdouts_say_whether_groups_stayed_whole():
    grouped = paragraph(study(outer=0.3, inner=0.25, groups=np.arange(60) // 4))
    assert "with one random split of whole groups into" in grouped
    assert "of whole groups into" not in paragraph(study(outer=0.3, inner=0.25))


def test_folds_that_were_given_and_repeated_holdouts_are_told_as_such():
    assert "; which row is in which fold was given." in paragraph(study(outer=np.arange(60) % 3, inner=2))
    assert "over 2 random splits, 30% held out, 2 repeats:" in paragraph(study(outer=0.3, inner=2, repeats=2))


def test_a_study_without_any_risk_does_not_blame_the_splits_for_it():
    answer = study(outer=3, inner=2).to_dict()
    bare = {**answer, "methods": [{"name": "ridge", "risk": None, "interval": None}]}
    text = methods_paragraph(bare, protocol(study(outer=3, inner=2).study))
    assert "No method has a risk, so no interval is given." in text
    assert "none is valid" not in text


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for scheme in SCHEMES:
        path_of(scheme).write_text(text_of(scheme), encoding="utf-8")
        print(f"## {scheme}\n{text_of(scheme)}")


def test_two_folds_have_a_regret_but_no_expected_one():
    result = study(outer=2, inner=3)
    text = methods_paragraph(result.to_dict(), protocol(result.study))
    assert (
        "The probability to be the best and the regret of taking each method come from a multivariate t on 1 " in text
    )
    assert "1 degree of freedom" in text
    assert "expected regret" not in text
