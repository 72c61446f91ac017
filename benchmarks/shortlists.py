"""How few candidates of forests and boosting choose as well as many, and what a blend adds.

    python benchmarks/shortlists.py SCRATCH            collects what is not there yet, then prints the table

For each data set, 500 training rows (seed 1): every candidate of a wide list predicts four inner folds and the test
rows once, and all predictions are kept in SCRATCH. Any shortlist is then judged without a fit: what would it have
chosen by its inner loss, and what is the test loss of that choice? The default spaces were picked on these sets.
"""

from __future__ import annotations

import pickle
import sys
import time
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import sets

import foldwise as fw
from foldwise.stats import simplex

TRAIN, TEST, SEED = 500, 2_000, 1
SETS = (
    *("compactiv", "diamonds", "laser", "airfoil", "white wine", "diabetes"),
    *("pima", "german", "phoneme", "vehicle"),
)
MARKS = [10, 15, 25, 35, 50, 75, 100, 150, 200, 300]
SHARES, LEAVES = ("sqrt", 0.33, 0.6, 1.0), (1, 2, 4, 12)
# max_leaf_nodes, min_samples_leaf, learning_rate, l2_regularization
RUNS = {
    "stumps": (2, 5, 0.15, 0),
    "4 leaves of 3": (4, 3, 0.1, 0),
    "4 leaves of 10": (4, 10, 0.1, 0),
    "4 leaves of 20": (4, 20, 0.1, 0),
    "8 leaves of 3": (8, 3, 0.1, 0),
    "8 leaves of 10": (8, 10, 0.1, 0),
    "8 leaves of 20": (8, 20, 0.1, 0),
    "6 leaves, penalty": (6, 5, 0.15, 10),
    "15 leaves, penalty": (15, 5, 0.15, 10),
    "31 leaves": (31, 20, 0.1, 0),
    "4 leaves, large steps": (4, 5, 0.2, 0),
}
EARLIER_RUNS = [name for name in RUNS if name != "4 leaves, large steps"]
Key = tuple[Any, ...]
Predictions = dict[Key, tuple[np.ndarray, np.ndarray]]  # candidate -> of the inner folds, of the test rows


class Collected:
    """All predictions for one data set."""

    def __init__(self, name: str, content: dict[str, Any]) -> None:
        self.name, self.is_number = name, content["is_number"]
        self.y, self.test_y = content["y"], content["test_y"]
        self.predictions: Predictions = content["predictions"]
        self.seconds: dict[Key, float] = content["seconds"]

    def chosen(self, keys: Sequence[Key]) -> Key:
        """The candidate with the smallest inner loss; runs for several classes are shorter."""
        return min((key for key in keys if key in self.predictions), key=self.inner_loss)

    def inner_loss(self, key: Key) -> float:
        return self.loss(self.predictions[key][0], self.y)

    def test_loss(self, key: Key) -> float:
        return self.loss(self.predictions[key][1], self.test_y)

    def loss(self, predicted: np.ndarray, y: np.ndarray) -> float:
        wrong = (predicted - y) ** 2 if self.is_number else predicted.argmax(axis=1) != y
        return float(np.mean(wrong))

    def blend(self, keys: Sequence[Key]) -> tuple[float, float]:
        """Inner and test loss of the weighted mean."""
        inner = [self.predictions[key][0].astype(float) for key in keys]
        aim = self.y.astype(float) if self.is_number else np.eye(inner[0].shape[1])[self.y]
        weights = simplex.least_squares(np.column_stack([one.ravel() for one in inner]), aim.ravel())
        test = [self.predictions[key][1] for key in keys]
        mixed = [sum(w * one for w, one in zip(weights, part, strict=True)) for part in (inner, test)]
        return self.loss(np.asarray(mixed[0]), self.y), self.loss(np.asarray(mixed[1]), self.test_y)


def collect(name: str, scratch: Path) -> Collected:
    """The predictions of every candidate, made once and kept."""
    file = scratch / f"{name.replace(' ', '_')}.pkl"
    if not file.exists():
        content = _predict_all(name)
        file.write_bytes(pickle.dumps(content))
        print(f"{name}: {sum(content['seconds'].values()):.0f} s", file=sys.stderr, flush=True)
    return Collected(name, pickle.loads(file.read_bytes()))


def _predict_all(name: str) -> dict[str, Any]:
    from sklearn.model_selection import KFold, StratifiedKFold

    table = sets.load(name, most=TRAIN + TEST, seed=SEED)
    order = np.random.default_rng(SEED).permutation(len(table.y))
    train, test = np.split(order, [min(TRAIN, 2 * len(order) // 3)])
    y = table.y if table.is_number else np.unique(table.y, return_inverse=True)[1]
    cut = (KFold if table.is_number else StratifiedKFold)(4, shuffle=True, random_state=SEED)
    folds = [(train[fit], train[held]) for fit, held in cut.split(train, y[train])]
    found: dict[Key, list[np.ndarray]] = {}
    seconds: dict[Key, float] = {}
    for at, (fit, held) in enumerate([*folds, (train, test)]):
        for key, predict in _candidates(table, y, seed=at):
            started = time.process_time()
            for shown, answer in predict(fit, held).items():
                found.setdefault(shown, []).append(answer)
            seconds[key] = seconds.get(key, 0.0) + time.process_time() - started
    place = np.argsort(np.concatenate([held for _, held in folds]))
    back = np.argsort(np.argsort(train))
    predictions = {key: (np.concatenate(parts[:4])[place][back], parts[4]) for key, parts in found.items()}
    return {
        "is_number": table.is_number,
        "y": y[train],
        "test_y": y[test],
        "predictions": predictions,
        "seconds": seconds,
    }


Predict = Callable[[np.ndarray, np.ndarray], dict[Key, np.ndarray]]


def _candidates(table: sets.Table, y: np.ndarray, *, seed: int) -> list[tuple[Key, Predict]]:
    """Everything that predicts: a run of boosting gives all its marks."""
    from sklearn import ensemble

    end = "Regressor" if table.is_number else "Classifier"
    response = "predict" if table.is_number else "predict_proba"
    codes, whole = _encoded(table.X), np.nan_to_num(_encoded(table.X), nan=-999.0)

    def forest(kind: str, share: Any, leaf: int) -> Predict:
        make = getattr(ensemble, kind + end)

        def predict(fit: np.ndarray, held: np.ndarray) -> dict[Key, np.ndarray]:
            model = make(100, max_features=share, min_samples_leaf=leaf, random_state=seed).fit(whole[fit], y[fit])
            return {(kind, share, leaf): getattr(model, response)(whole[held])}

        return predict

    def boosting(run: str) -> Predict:
        make = getattr(ensemble, f"HistGradientBoosting{end}")
        nodes, rows, rate, penalty = RUNS[run]

        def predict(fit: np.ndarray, held: np.ndarray) -> dict[Key, np.ndarray]:
            model = make(
                max_iter=min(MARKS[-1], max(100, 600 // table.classes)),
                max_leaf_nodes=nodes,
                min_samples_leaf=rows,
                learning_rate=rate,
                l2_regularization=penalty,
                early_stopping=False,
                random_state=seed,
            ).fit(codes[fit], y[fit])
            stages = enumerate(getattr(model, f"staged_{response}")(codes[held]), start=1)
            return {("boosting", run, mark): np.array(answer) for mark, answer in stages if mark in MARKS}

        return predict

    def other(name: str) -> Predict:
        def predict(fit: np.ndarray, held: np.ndarray) -> dict[Key, np.ndarray]:
            model = fw.tune(name, inner=4, jobs=1).fit(table.X.iloc[fit].reset_index(drop=True), y[fit])
            return {(name,): getattr(model, response)(table.X.iloc[held].reset_index(drop=True))}

        return predict

    kinds = [("RandomForest", share, leaf) for share in SHARES for leaf in LEAVES]
    kinds += [("ExtraTrees", share, leaf) for share in SHARES for leaf in LEAVES]
    return [
        *((key, forest(*key)) for key in kinds),
        *((("boosting", run), boosting(run)) for run in RUNS),
        *(((name,), other(name)) for name in dict.fromkeys((*_cheap(table.is_number), *_others(table.is_number)))),
    ]


def _cheap(is_number: bool) -> tuple[str, ...]:
    return ("ridge" if is_number else "logistic", "k-nn", "tree")


def _others(is_number: bool) -> tuple[str, ...]:
    """What today's default set has beside forests and boosting."""
    linear, _, _ = _cheap(is_number)
    return (linear, "k-nn", "tree:small", *(["kernel-ridge:small"] if is_number else []))


def _encoded(X: pd.DataFrame) -> np.ndarray:
    """Numbers, with categories by their place in the alphabet."""
    columns = {
        name: X[name].astype(float) if X[name].dtype.kind in "biuf" else pd.factorize(X[name].astype(str), sort=True)[0]
        for name in X
    }
    return pd.DataFrame(columns).to_numpy(float)


def _forests(kind: str, *listed: tuple[Any, int]) -> list[Key]:
    return [(kind, share, leaf) for share, leaf in listed]


def _runs(*listed: tuple[str, int]) -> list[Key]:
    return [("boosting", run, mark) for run, most in listed for mark in MARKS if mark <= most]


EARLIER = [(share, leaf) for share in SHARES for leaf in (1, 4, 12)]
SHORT = [("sqrt", 1), (1.0, 1), (0.6, 4)]
SHORTLISTS: dict[str, tuple[list[Key], list[Key]]] = {  # beside those of the earlier space
    "forest: 3 of 12": (_forests("RandomForest", *SHORT), _forests("RandomForest", *EARLIER)),
    "forest: 2 shares": (_forests("RandomForest", *SHORT[:2]), _forests("RandomForest", *EARLIER)),
    "extra-trees: 3 of 12": (_forests("ExtraTrees", *SHORT), _forests("ExtraTrees", *EARLIER)),
    "boosting: 2 runs of 10": (
        _runs(("4 leaves, large steps", 300), ("15 leaves, penalty", 150)),
        _runs(*((run, 150 if run == "31 leaves" else 300) for run in EARLIER_RUNS)),
    ),
    "boosting: 1 run": (
        _runs(("4 leaves, large steps", 300)),
        _runs(*((run, 150 if run == "31 leaves" else 300) for run in EARLIER_RUNS)),
    ),
}


def _geometric(ratios: Sequence[float]) -> float:
    return float(np.exp(np.mean(np.log(ratios))))


def pick_loss(data: Collected, *, is_new: bool, is_cheap: bool = True) -> float:
    """The test loss of what a whole study would pick, by inner losses: a default set, or that of version 0.1.

    Today's has kernel ridge for numbers and a small tree (`is_cheap=False`); the one before had neither.
    """
    lists = [SHORTLISTS[name][0 if is_new else 1] for name in ("forest: 3 of 12", "boosting: 2 runs of 10")]
    lists += [SHORTLISTS["extra-trees: 3 of 12"][0]] if is_new else []
    names = (_cheap if is_cheap else _others)(data.is_number)
    members: list[Key] = [(name,) for name in names] + [data.chosen(keys) for keys in lists]
    rows = [(data.inner_loss(key), data.test_loss(key)) for key in members]
    return min([*rows, data.blend(members)] if is_new else rows)[1]


def main() -> None:
    warnings.simplefilter("ignore")
    scratch = Path(sys.argv[1])
    scratch.mkdir(exist_ok=True)
    every = [collect(name, scratch) for name in SETS]
    print(f"| list | {' | '.join(SETS)} | mean |\n|{' --- |' * (len(SETS) + 2)}")
    for name, (short, long) in SHORTLISTS.items():
        ratios = [data.test_loss(data.chosen(short)) / data.test_loss(data.chosen(long)) for data in every]
        print(f"| {name} | {' | '.join(f'{ratio:.3f}' for ratio in ratios)} | {_geometric(ratios):.3f} |")
    for name, is_cheap in (("the study's pick", True), ("with kernel ridge and a small tree", False)):
        ratios = [pick_loss(data, is_new=True, is_cheap=is_cheap) / pick_loss(data, is_new=False) for data in every]
        print(f"| {name} | {' | '.join(f'{ratio:.3f}' for ratio in ratios)} | {_geometric(ratios):.3f} |")


if __name__ == "__main__":
    main()
