"""Write docs/_extra/pages/: a report page of every kind of study, for the manual (`make docs`) and not for git.

Data are the sets that come with scikit-learn, and tables drawn from a fixed seed where none has groups or times.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import foldwise as fw

FOLDER = Path(__file__).parent / "_extra" / "pages"
SEED = 7


def regression(share: float) -> Any:
    """Numbers: diabetes, four tuned learners, and every chart of residuals."""
    rows = _some("diabetes", share).rename(columns={"target": "progression"})
    learners = ["ridge:small", "k-nn:small", "forest:small", "svm:small"]
    options = {"loss": ["squared", "absolute"], "outer": 7, "inner": 3}
    return fw.compare(learners, rows, "progression", **options, seed=SEED, jobs=1)


def binary(share: float) -> Any:
    """Two classes: breast cancer, judged by probabilities."""
    rows = _some("breast_cancer", share)
    rows["tumour"] = np.where(rows.pop("target") == 1, "benign", "malignant")
    learners = ["logistic:small", "k-nn:small", "forest:small", "naive-bayes"]
    options = {"loss": ["log", "zero_one"], "positive": "malignant", "outer": 7, "inner": 3}
    return fw.compare(learners, rows, "tumour", **options, seed=SEED, jobs=1)


def multiclass(share: float) -> Any:
    """Three classes: wine."""
    rows = _some("wine", share)
    rows["cultivar"] = np.array(["Barolo", "Grignolino", "Barbera"])[rows.pop("target")]
    learners = ["lda", "k-nn:small", "forest:small", "tree:small"]
    return fw.compare(learners, rows, "cultivar", outer=7, inner=3, seed=SEED, jobs=1)


def groups(share: float) -> Any:
    """Visits of one patient stay together: the risk for a new patient."""
    patients = max(12, round(60 * share))
    rng = np.random.default_rng(SEED)
    patient = np.repeat(np.arange(patients), 5)
    level = rng.normal(size=patients)[patient]
    age = rng.integers(25, 80, size=patients)[patient]
    frame = pd.DataFrame(
        {
            "patient": [f"P{number:02d}" for number in patient],
            "age": age,
            "sex": rng.choice(["female", "male"], size=patients)[patient],
            "dose": rng.choice([5.0, 10.0, 20.0], size=len(patient)),
            "weight": np.round(72 + 9 * level + rng.normal(0, 3, size=len(patient)), 1),
        }
    )
    noise = 6 * rng.normal(size=patients)[patient] + rng.normal(0, 5, size=len(patient))
    frame["pressure"] = np.round(105 + 0.5 * age + 6 * level - 0.6 * frame["dose"] + noise, 1)
    frame.loc[rng.random(len(frame)) < 0.05, "weight"] = np.nan
    learners = ["ridge:small", "k-nn:small", "forest:small"]
    return fw.compare(learners, frame, "pressure", groups="patient", outer=6, inner=3, seed=SEED, jobs=1)


def time(share: float) -> Any:
    """Forecasts twelve months ahead, which must beat the same month of the year before."""
    months = max(96, round(240 * share))
    rng = np.random.default_rng(SEED)
    at = np.arange(months)
    sales = 100 + 0.2 * at + 10 * np.sin(at * 2 * np.pi / 12) + rng.normal(0, 3, months)
    frame = pd.DataFrame({"month": pd.date_range("2006-01-01", periods=months, freq="MS"), "sales": sales.round(1)})
    frame["last year"] = frame["sales"].shift(12)
    frame["two years ago"] = frame["sales"].shift(24)
    learners = {
        "ridge": "ridge:small",
        "k-nn": "k-nn:small",
        "same month last year": fw.learner("seasonal-naive", period=12),
    }
    splits = fw.TimeOrdered(6, horizon=12 if months > 150 else 6)
    return fw.compare(learners, frame.dropna(), "sales", time="month", outer=splits, seed=SEED, jobs=1)


def benchmark(share: float) -> Any:
    """The same learners on several data sets."""
    data = {name: {"X": _some(name, share), "y": "target"} for name in ("iris", "wine", "breast_cancer")}
    digits = _some("digits", share / 3)
    data["digits, a third"] = {"X": digits, "y": "target"}
    return fw.benchmark(data, ["k-nn:small", "tree:small", "naive-bayes", "lda"], outer=7, seed=SEED, jobs=1)


KINDS: dict[str, tuple[str, Callable[[float], Any]]] = {
    "regression": ("Disease progression of diabetes patients", regression),
    "binary": ("Malignant or benign", binary),
    "multiclass": ("Which of three cultivars", multiclass),
    "groups": ("Blood pressure of a new patient", groups),
    "time": ("Sales twelve months ahead", time),
    "benchmark": ("Four learners on four data sets", benchmark),
}


def write(kind: str, folder: Path = FOLDER, *, share: float = 1.0) -> Path:
    """Make the page of one kind from this share of its rows."""
    title, study = KINDS[kind]
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{kind}.html"
    study(share).report(path, title=title)
    return path


def _some(name: str, share: float) -> pd.DataFrame:
    """A share of the rows of a built-in set, drawn at random so that every class is there."""
    from sklearn import datasets

    frame = getattr(datasets, f"load_{name}")(as_frame=True).frame
    return frame.sample(frac=share, random_state=SEED).reset_index(drop=True)


if __name__ == "__main__":
    for one in sys.argv[1:] or KINDS:
        print(write(one), flush=True)
