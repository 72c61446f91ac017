"""What `fw.compare` says where there is nothing to say: how often is each sentence false?

python benchmarks/study_claims.py                  200 studies of each kind, a few minutes
python benchmarks/study_claims.py --studies 40     a quick look

The sentences are those that are printed. Every claim may be false in 5 of 100 studies.
"""

from __future__ import annotations

import argparse
import re
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

import foldwise as fw
from foldwise.questions.overview import Overview

CLAIMS = {
    "it beats the baseline": r"It beats the baseline",
    "a method is told apart from the best": r"difference to .* excludes 0",
    "tuning helped (or harmed)": r"Tuning (helped|harmed)",
}
BLOCK = 3


def noise(rng: np.random.Generator) -> fw.Result:
    """Numbers that no column explains; two tuned learners."""
    X, y = rng.standard_normal((80, 5)), rng.standard_normal(80)
    return fw.compare(
        _tuned(Ridge(), KNeighborsRegressor()), X, y, outer=10, inner=4, defaults=True, jobs=1, **_words(rng)
    )


def noise_classes(rng: np.random.Generator, share: float = 0.5) -> fw.Result:
    """Classes that no column explains; two tuned learners."""
    X, y = rng.standard_normal((100, 5)), np.zeros(100, int)
    while min(y.sum(), 100 - y.sum()) < 6:
        y = (rng.random(100) < share).astype(int)
    learners = _tuned(LogisticRegression(), KNeighborsClassifier())
    return fw.compare(learners, X, y, outer=5, inner=4, defaults=True, jobs=1, **_words(rng))


def imbalanced_noise(rng: np.random.Generator) -> fw.Result:
    """The same with 13% positives."""
    return noise_classes(rng, 0.13)


def equal_learners(rng: np.random.Generator, *, repeats: int = 1) -> fw.Result:
    """Three learners that see three columns each, all equally useful."""
    X = rng.standard_normal((100, 3 * BLOCK))
    y = X.sum(axis=1) + rng.standard_normal(100)
    learners = {f"block {at}": _block(at) for at in range(3)}
    return fw.compare(learners, X, y, outer=10, repeats=repeats, jobs=1, **_words(rng))


def repeated_equal_learners(rng: np.random.Generator) -> fw.Result:
    """The same, run five times."""
    return equal_learners(rng, repeats=5)


KINDS: dict[str, tuple[Callable[[np.random.Generator], fw.Result], tuple[str, ...]]] = {
    "pure noise, 80 rows": (noise, tuple(CLAIMS)),
    "noise classes, 100 rows": (noise_classes, tuple(CLAIMS)),
    "noise classes, 13% positives": (imbalanced_noise, tuple(CLAIMS)),
    "equal learners": (equal_learners, tuple(CLAIMS)[1:2]),  # which do beat the baseline
    "equal learners, 5 repeats": (repeated_equal_learners, tuple(CLAIMS)[1:2]),
}


def false_claims(kind: str, *, studies: int, seed: int = 0) -> dict[str, float]:
    """The share of studies of a kind in which each claim is made that cannot be true there."""
    make, claims = KINDS[kind]
    said = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for number in range(studies):
            said.append(Overview(make(np.random.default_rng([seed, number])).answer).lead()[0].text)
    return {claim: float(np.mean([bool(re.search(CLAIMS[claim], words)) for words in said])) for claim in claims}


def _tuned(linear: Any, nearest: Any) -> dict[str, Any]:
    grid = {"alpha": [0.1, 1.0, 10.0, 100.0]} if isinstance(linear, Ridge) else {"C": [0.01, 0.1, 1.0, 10.0]}
    return {"linear": fw.tune(linear, **grid), "nearest": fw.tune(nearest, n_neighbors=[1, 3, 7, 15, 30])}


def _words(rng: np.random.Generator) -> dict[str, Any]:
    return {"seed": int(rng.integers(2**31))}


def _block(at: int) -> Any:
    return make_pipeline(FunctionTransformer(_columns, kw_args={"at": at}), LinearRegression())


def _columns(X: Any, at: int) -> Any:
    return np.asarray(X)[:, at * BLOCK : (at + 1) * BLOCK]


def main(words: Sequence[str] | None = None) -> None:
    """Print the table of rates."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--studies", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args(words)
    print(
        f"{asked.studies} studies of each kind; a rate of 0.05 has an error of {(0.0475 / asked.studies) ** 0.5:.3f}\n"
    )
    print("| studies | what is said | rate |\n| --- | --- | --- |")
    for kind in KINDS:
        for claim, rate in false_claims(kind, studies=asked.studies, seed=asked.seed).items():
            print(f"| {kind} | {claim} | {rate:.3f} |", flush=True)


if __name__ == "__main__":
    main()
