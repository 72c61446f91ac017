"""Do decisions hold? How often the method called the best is the best, what is lost by taking it, and its interval."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from sklearn.base import clone
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor

import foldwise as fw
from evidence.paired_losses import PairedLosses
from evidence.problems import blocks, find_problem
from foldwise.arrays import FloatArray
from foldwise.lab.problems import Problem
from foldwise.stats.choices import Contest, contest_of
from foldwise.stats.differences import difference
from foldwise.stats.multiple import shared_level

NEAR = 0.01  # of the smallest risk: methods whose true risks are closer are a near tie
SURE = 0.9  # the probability to be the best that is looked at
TABLES, FRESH = 400, 500  # from which true risks are worked out: tables, and rows that a model of each predicts
SPREADS = (0.0, 0.05, 0.2, 0.5)  # standard deviation of how informative the blocks of the methods are, as a share
LEADS = {"equal": 0.0, "near": 0.1, "clear": 1.0}  # how much more informative the columns of the first method are
SHAPES = ((60, 5), (100, 10), (200, 13))  # rows and folds
TASKS = ("regression", "binary", "imbalanced")
REGRESSION = {"least squares": LinearRegression(), "ridge": Ridge(10.0), "k-nn": KNeighborsRegressor(7)}
CLASSES = {
    "lda": LinearDiscriminantAnalysis(),
    "naive bayes": GaussianNB(),
    "k-nn": KNeighborsClassifier(7),
    "logistic": LogisticRegression(),
}


@dataclass(frozen=True, eq=False)
class Design:
    """Some learners on one problem, judged on the same folds."""

    name: str
    problem: Problem
    learners: dict[str, Any]
    rows: int = 100
    folds: int = 10
    repeats: int = 1

    def __str__(self) -> str:
        times = f"{self.repeats} x {self.folds}" if self.repeats > 1 else f"{self.folds}"
        return f"{self.name}, {len(self.learners)} methods, {self.rows} rows, {times} folds"


def block_design(
    task: str, methods: int, *, spread: float = 0.0, lead: float = 0.0, seed: int = 0, **shape: int
) -> Design:
    """Methods that each see their own block of columns, more or less informative by a normal draw of this spread.

    That of the first method is more informative than the others' by the `lead`, a share.
    """
    rng = np.random.default_rng([seed, methods, round(1000 * spread)])
    sizes = 0.5 * (1 + lead * (np.arange(methods) == 0) + spread * rng.standard_normal(methods))
    return Design(f"{task} blocks, {f'lead {lead:g}' if lead else f'spread {spread:g}'}", *blocks(task, sizes), **shape)


def designs() -> list[Design]:
    """Three tasks, several spreads and leads, 2 to 8 methods; repeated folds; and different learners on one problem."""
    kinds = [{"spread": spread} for spread in SPREADS] + [{"lead": lead} for lead in LEADS.values() if lead]
    mix = [
        block_design(task, methods, **kind, seed=at, rows=rows, folds=folds)
        for at, task in enumerate(TASKS)
        for kind in kinds
        for number, methods in enumerate((2, 4, 8))
        for rows, folds in [SHAPES[(at + number) % 3]]
    ]
    mix += [block_design("regression", 4, **kind, seed=9, rows=100, folds=5, repeats=5) for kind in kinds]
    for name in ("linear", "heteroscedastic", "friedman", "two classes", "13% positive", "logistic"):
        problem = find_problem(name)
        learners = REGRESSION if problem.task == "regression" else CLASSES
        mix += [Design(name, problem, learners, rows, folds) for rows, folds in SHAPES[:2]]
    return mix


def decisions(
    mix: Sequence[Design], *, replications: int = 100, tables: int = TABLES, seed: int = 0, jobs: int | None = 1
) -> pd.DataFrame:
    """One row per simulated study: what is said of the method picked, and what is true of it.

    The truth is the risk of each learner at the training rows of a fold, the mean over all replications. `covers` and
    `width` are of the winner's interval, of Bonferroni's, and of the plain one.
    """
    frames = []
    for design in mix:
        with Parallel(n_jobs=jobs) as workers:
            lines = workers(delayed(_said)(design, [seed, place]) for place in range(replications))
        truth = np.broadcast_to(true_risks(design, seed, tables), (replications, len(design.learners)))
        frames.append(_judged(str(design), truth, pd.DataFrame(lines)))
    return pd.concat(frames, ignore_index=True)


def true_risks(design: Design, seed: int, tables: int) -> FloatArray:
    """The risk of each learner at the training rows of a fold, the mean over fresh tables."""
    rng, rows = np.random.default_rng([seed, 1]), design.rows * (design.folds - 1) // design.folds
    risks = np.zeros(len(design.learners))
    for _ in range(tables):
        X, y = _drawn(design, rows, rng)
        nodes = design.problem.rows(rng, (FRESH,))
        models = (clone(learner).fit(X, y) for learner in design.learners.values())
        risks += [float(design.problem.risk(nodes, model.predict(nodes))) / tables for model in models]
    return np.full_like(risks, risks.mean()) if "spread 0," in str(design) else risks  # equal by symmetry


def _drawn(design: Design, rows: int, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
    """A table; of classes one with a row of each class in every fold."""
    while True:
        X, y = design.problem.draw(rows, rng)
        if design.problem.task == "regression" or np.bincount(y.astype(int), minlength=2).min() >= design.folds:
            return X, y


def _said(design: Design, seed: list[int]) -> dict[str, Any]:
    """What one study says of its methods."""
    X, y = _drawn(design, design.rows, np.random.default_rng(seed))
    options = {"outer": design.folds, "repeats": design.repeats, "seed": seed[1], "jobs": 1}
    result = fw.compare(design.learners, X, y, guards=False, progress=False, **options)
    table = result.decision().set_index("method").loc[list(design.learners)]  # not by risk, and no baseline
    winner, best = result.to_dict()["winner"], next(m for m in result.methods if m.method.name == result.best)
    plain, shared = best.estimate(), best.estimate(level=shared_level(0.95, len(table)))
    return {
        "p_best": table["p_best"].to_numpy(float),
        "expected_regret": table["expected_regret"].to_numpy(float),
        "regret_high": table["regret_high"].to_numpy(float),
        "is_within": table["within_margin"].fillna(False).to_numpy(bool),
        "margin": max(result.methods[-1].risk - best.risk, 0.0) / 10,
        "winner's": (winner["low_simultaneous"], winner["high_simultaneous"]),
        "Bonferroni": (shared.low, shared.high),
        "plain": (plain.low, plain.high),
    }


def paired_decisions(mix: Sequence[PairedLosses], *, replications: int = 100, seed: int = 0) -> pd.DataFrame:
    """The same for predictors on one test set and for forecasts, whose risks are drawn with every replication.

    Series that have no interval are left out.
    """
    frames = []
    for number, losses in enumerate(mix):
        rng, lines = np.random.default_rng([seed, number]), []
        for _ in range(replications):
            evidence, risks = losses.draw(rng)
            pairs = [difference(one, other, names=("a", "b")) for one, other in combinations(evidence, 2)]
            contest = contest_of([float(each.fold_losses.mean()) for each in evidence], pairs)
            if not isinstance(contest, Contest):
                continue
            margin = max(losses.baseline(risks) - contest.risks.min(), 0.0) / 10
            said = contest.choices(margin=margin, level=0.95)
            values = {name: getattr(said, name) for name in ("p_best", "expected_regret", "regret_high")}
            lines.append({"risks": risks, **values, "is_within": np.asarray(said.within) >= 0.95, "margin": margin})
        if lines:
            frames.append(_judged(str(losses), np.array([line["risks"] for line in lines]), pd.DataFrame(lines)))
    return pd.concat(frames, ignore_index=True)


def _judged(name: str, truth: FloatArray, said: pd.DataFrame) -> pd.DataFrame:
    """What was said of the method picked, and what is true of it by truth[replication, method].

    Of methods that are equally good the first counts as the best: to call another one that is an error.
    """
    smallest, rows = truth.min(-1), np.arange(len(truth))
    arrays = {column: np.stack(said[column].to_list()) for column in said if column not in ("risks", "margin")}
    regrets, picks, margin = truth - smallest[:, None], arrays["p_best"].argmax(-1), said["margin"].to_numpy()
    gaps = np.sort(truth, -1)[:, 1] / smallest - 1
    frame = pd.DataFrame(
        {
            "study": name,
            "methods": truth.shape[-1],
            "gap": gaps,
            "is_near_tie": gaps < NEAR,
            "p_best": arrays["p_best"][rows, picks],
            "is_best": picks == truth.argmin(-1),
            "stated_regret": arrays["expected_regret"][rows, picks] / smallest,
            "regret": regrets[rows, picks] / smallest,
            "regret_high": arrays["regret_high"][rows, picks] / smallest,
            "called_within": arrays["is_within"].sum(-1),
            "truly_within": (arrays["is_within"] & (regrets <= margin[:, None])).sum(-1),
        }
    )
    for interval in ("winner's", "Bonferroni", "plain"):
        if interval in arrays:
            low, high = arrays[interval].T
            frame[f"{interval} covers"] = (low <= truth[rows, picks]) & (truth[rows, picks] <= high)
            frame[f"{interval} width"] = high - low
    return frame
