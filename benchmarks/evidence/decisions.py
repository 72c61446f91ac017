"""Do decisions hold? How often the method called the best is the best, and how much is lost by taking it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np

from evidence.alarms import BLOCK, SHARE
from evidence.paired_losses import PairedLosses
from foldwise.arrays import FloatArray, IntArray
from foldwise.lab.draws import Runs, drawn, fold_labels, repeated
from foldwise.lab.learners import Centroid, Columns, Logistic, Ridge, find_learner
from foldwise.lab.problems import ClassesProblem, LinearProblem, Problem, find_problem
from foldwise.lab.replications import Found, replicate_all
from foldwise.losses.loss import Loss
from foldwise.stats.choosing import Contest, contest_of
from foldwise.stats.differences import difference
from foldwise.stats.evidence import Evidence

NEAR = 0.01  # of the smallest risk: methods whose true risks are closer are a near tie
SURE = 0.9  # the probability to be the best that is looked at
SPREADS = (0.0, 0.05, 0.2, 0.5)  # standard deviation of what the blocks of the methods tell, as a share


@dataclass(frozen=True)
class LabStudy:
    """Some learners on one problem, judged on the same folds."""

    name: str
    problem: Problem
    learners: tuple[Any, ...]
    rows: int = 100
    folds: int = 10
    repeats: int = 1

    def __str__(self) -> str:
        times = f"{self.repeats} x {self.folds}" if self.repeats > 1 else f"{self.folds}"
        return f"{self.name}, {len(self.learners)} methods, {self.rows} rows, {times} folds"


def block_study(task: str, spread: float, methods: int, *, lead: float = 0.0, seed: int = 0, **shape: int) -> LabStudy:
    """Methods that each see columns of their own, which tell more or less by a normal draw of this spread.

    Those of the first method tell more than the others' by the `lead`, a share.
    """
    rng = np.random.default_rng([seed, methods, round(1000 * spread)])
    leads = np.where(np.arange(methods) == 0, lead, 0.0)
    sizes = np.repeat(0.5 * (1 + leads + spread * rng.standard_normal(methods)), BLOCK)
    fit = {"regression": Ridge(), "binary": Centroid(), "imbalanced": Logistic()}[task]
    learners = tuple(Columns(fit, tuple(range(j * BLOCK, (j + 1) * BLOCK))) for j in range(methods))
    width, name = methods * BLOCK, f"{task} blocks, {f'lead {lead:g}' if lead else f'spread {spread:g}'}"
    if task == "regression":
        return LabStudy(name, LinearProblem(name, width, beta=tuple(sizes)), learners, **shape)
    share = 0.5 if task == "binary" else SHARE
    return LabStudy(name, ClassesProblem(name, width, shifts=tuple(sizes), share=share), learners, **shape)


def learner_study(problem: str, learners: Sequence[str], **shape: int) -> LabStudy:
    """Different learners on one problem of the lab."""
    found = find_problem(problem)
    return LabStudy(problem, found, tuple(find_learner(name, found.task) for name in learners), **shape)


def usual_mix() -> list[LabStudy]:
    """The mix of studies that decisions are judged over: three tasks, four spreads of the truth, 2 to 8 methods."""
    shapes = ({"rows": 60, "folds": 5}, {"rows": 100, "folds": 10}, {"rows": 200, "folds": 13})
    blocks = [
        block_study(task, spread, methods, **shapes[(at + number) % 3], seed=at)
        for at, task in enumerate(("regression", "binary", "imbalanced"))
        for spread in SPREADS
        for number, methods in enumerate((2, 4, 8))
    ]
    again = [block_study("regression", spread, 4, rows=100, folds=5, repeats=5, seed=9) for spread in SPREADS]
    regression, classes = ("least squares", "ridge", "k-nn"), ("least squares", "centroid", "k-nn", "logistic")
    different = [
        learner_study(problem, regression if find_problem(problem).task == "regression" else classes, **shape)
        for problem in ("linear", "heteroscedastic", "friedman", "two classes", "13% positive", "logistic")
        for shape in shapes[:2]
    ]
    return [*blocks, *again, *different]


def decisions(
    studies: Sequence[LabStudy], *, replications: int = 200, level: float = 0.95, seed: int = 0, jobs: int | None = None
) -> Any:
    """A data frame with one row per simulated study: what is said of the method picked, and what is true of it.

    The truth is the risk of each learner at the training rows of a fold, the mean over all replications.
    """
    import pandas as pd

    works = {str(study): partial(_said, study, level) for study in studies}
    found = replicate_all(works, replications, seed=seed, jobs=jobs)
    truths = {name: np.broadcast_to(one["risks"].mean(0), one["risks"].shape) for name, one in found.items()}
    return pd.concat([_judged(name, truths[name], one) for name, one in found.items()], ignore_index=True)


def paired_decisions(
    studies: Sequence[PairedLosses],
    *,
    replications: int = 100,
    level: float = 0.95,
    seed: int = 0,
    jobs: int | None = None,
) -> Any:
    """The same for predictors on one test set and for forecasts, whose risks are drawn with every replication.

    Series that have no interval are left out.
    """
    import pandas as pd

    works = {str(study): partial(_said_of_pairs, study, level) for study in studies}
    found = replicate_all(works, replications, seed=seed, jobs=jobs)
    return pd.concat([_judged(name, one["risks"], one) for name, one in found.items()], ignore_index=True)


def _said_of_pairs(study: PairedLosses, level: float, times: int, rng: np.random.Generator) -> Mapping[str, Any]:
    drawn = [study.draw(rng) for _ in range(times)]
    lines = [
        {"risks": risks, **_line(contest, study.baseline(risks), level)}
        for evidence, risks in drawn
        if isinstance(contest := _contest(evidence), Contest)
    ]
    names = lines[0] if lines else {}
    return {name: np.array([line[name] for line in lines]) for name in names}


def _said(study: LabStudy, level: float, times: int, rng: np.random.Generator) -> Mapping[str, Any]:
    """What a study of each replication would print, and the true risks of its models."""
    X, y = drawn(study.problem, study.rows, times, rng)
    labels = fold_labels(study.problem, study.rows, study.folds)
    runs = repeated(study.problem, study.learners, (X, y), labels, rng, repeats=study.repeats)
    baseline = np.array([_baseline_risk(study.problem, target) for target in y])
    lines = [
        _line(contest, base, level) for contest, base in zip(_contests(study, runs, labels), baseline, strict=True)
    ]
    return {"risks": runs.risks.mean(-1).T, **{name: np.array([line[name] for line in lines]) for name in lines[0]}}


def _line(contest: Contest, baseline: float, level: float) -> dict[str, Any]:
    margin = (baseline - contest.risks.min()) / 10
    found = contest.choices(margin=max(margin, 0.0), level=level)
    assert found.within is not None
    return {
        "p_best": found.p_best,
        "expected_regret": found.expected_regret,
        "regret_high": found.regret_high,
        "within": found.within,
        "margin": margin,
        "estimates": contest.risks,
    }


def _baseline_risk(problem: Problem, y: FloatArray) -> float:
    """The risk of the featureless answer, as its folds would show it but for its own estimation."""
    if problem.task == "regression":
        return float(y.var(ddof=1))
    shares = np.bincount(y.astype(int)) / len(y)
    return float(1 - shares.max())


def _contests(study: LabStudy, runs: Runs, labels: IntArray) -> list[Contest]:
    """The contest of every replication, by the comparison that a study prints."""
    found = []
    for at in range(runs.losses.shape[2]):
        evidence = [
            evidence_of(study, runs.losses[j, :, at], runs.scores[j, at], labels) for j in range(len(runs.losses))
        ]
        contest = _contest(evidence)
        assert isinstance(contest, Contest), contest
        found.append(contest)
    return found


def _contest(evidence: Sequence[Evidence]) -> Contest | str:
    """The contest by the comparisons that a study prints."""
    pairs = [difference(one, other, names=("a", "b")) for one, other in combinations(evidence, 2)]
    return contest_of([float(one.fold_losses.mean()) for one in evidence], pairs)


def evidence_of(study: LabStudy, losses: FloatArray, scores: FloatArray, labels: IntArray) -> Evidence:
    """The losses[run, row] of one replication as a study would have them: each split has the rows of its fold.

    Repeats were made on rows in another order; here every run has the folds of the first, and its own scores.
    """
    rows = np.arange(study.rows)
    tests = tuple(rows[labels == fold] for fold in range(study.folds)) * study.repeats
    means = losses.mean(0)
    return Evidence(
        fold_losses=scores,
        row_losses=tuple(means[test] for test in tests),
        test_rows=tests,
        train_counts=tuple(study.rows - len(test) for test in tests),
        kind="folds",
        is_partition=True,
        repeats=study.repeats,
        folds=study.folds,
        loss=Loss(study.problem.loss, np.subtract, bounds=(0.0, 1.0) if study.problem.loss == "zero_one" else None),
        rows=study.rows,
        groups=study.problem.groups(study.rows),
    )


def _judged(name: str, truth: FloatArray, found: Found) -> Any:
    """What was said of the method picked, and what is true of it by truth[replication, method].

    Of methods that are equally good the first counts as the best: to call another one that is an error.
    """
    import pandas as pd

    smallest, rows = truth.min(-1), np.arange(len(truth))
    regrets, picks = truth - smallest[:, None], found["p_best"].argmax(-1)
    gaps = np.sort(truth, -1)[:, 1] / smallest - 1
    is_within = found["within"] >= 0.95
    return pd.DataFrame(
        {
            "study": name,
            "methods": truth.shape[-1],
            "gap": gaps,
            "is_near_tie": gaps < NEAR,
            "p_best": found["p_best"][rows, picks],
            "is_best": picks == truth.argmin(-1),
            "stated_regret": found["expected_regret"][rows, picks] / smallest,
            "regret": regrets[rows, picks] / smallest,
            "regret_high": found["regret_high"][rows, picks] / smallest,
            "margin": found["margin"] / smallest,
            "called_within": is_within.sum(-1),
            "truly_within": (is_within & (regrets <= found["margin"][:, None])).sum(-1),
        }
    )
