"""Does the interval of the method that was picked hold? Beside the plain one and Bonferroni's over all methods."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from evidence.decisions import LabStudy, block_study, evidence_of, learner_study
from foldwise.lab.draws import drawn, fold_labels, repeated
from foldwise.lab.replications import replicate_all
from foldwise.stats.comparison import Comparison
from foldwise.stats.cross_validated import CORRECTED_T
from foldwise.stats.differences import difference
from foldwise.stats.evidence import Evidence
from foldwise.stats.multiple import shared_level
from foldwise.stats.winning import level_of_winner

INTERVALS = ("plain", "winner's", "Bonferroni")
LEADS = {"equal": 0.0, "near": 0.1, "clear": 1.0}  # how much more the columns of the first method tell


def winner_studies() -> list[LabStudy]:
    """2, 4 and 8 methods that are equal, nearly so, or of which one is clearly the best; and different learners."""
    shapes = ({"rows": 60, "folds": 5}, {"rows": 100, "folds": 10}, {"rows": 200, "folds": 13})
    blocks = [
        block_study(task, 0.0, methods, lead=lead, seed=at, **shapes[(at + number) % 3])
        for at, task in enumerate(("regression", "binary", "imbalanced"))
        for lead in LEADS.values()
        for number, methods in enumerate((2, 4, 8))
    ]
    again = [block_study("regression", 0.0, 4, lead=lead, rows=100, folds=5, repeats=5) for lead in LEADS.values()]
    different = [
        learner_study("linear", ("least squares", "ridge", "k-nn", "mean"), rows=100, folds=10),
        learner_study("two classes", ("least squares", "centroid", "k-nn", "logistic"), rows=100, folds=10),
    ]
    return [*blocks, *again, *different]


def winners(
    studies: Sequence[LabStudy], *, replications: int = 500, level: float = 0.95, seed: int = 0, jobs: int | None = None
) -> Any:
    """A data frame: how often each interval of the picked method holds its risk, and its width in plain ones.

    The risk is that of the picked learner at the training rows of a fold, the mean over all replications.
    """
    import pandas as pd

    works = {str(study): partial(_ends, study, level) for study in studies}
    found = replicate_all(works, replications, seed=seed, jobs=jobs)
    lines = []
    for study in studies:
        one = found[str(study)]
        truth = one["risks"].mean(0)[one["picked"]]
        width = (one["plain"][:, 1] - one["plain"][:, 0]).mean()
        for name in INTERVALS:
            low, high = one[name].T
            line = {"study": str(study), "methods": len(study.learners), "interval": name, "replications": len(truth)}
            holds = float(((low <= truth) & (truth <= high)).mean())
            error = float(np.sqrt(holds * (1 - holds) / len(truth)))
            lines.append({**line, "coverage": holds, "error": error, "width": float((high - low).mean() / width)})
    return pd.DataFrame(lines)


def _ends(study: LabStudy, level: float, times: int, rng: np.random.Generator) -> Mapping[str, Any]:
    """The three intervals of the method that each replication picks."""
    X, y = drawn(study.problem, study.rows, times, rng)
    labels = fold_labels(study.problem, study.rows, study.folds)
    runs = repeated(study.problem, study.learners, (X, y), labels, rng, repeats=study.repeats)
    picked, lines = runs.scores.mean(-1).argmin(0), []
    for at, best in enumerate(picked.tolist()):
        methods = range(len(study.learners))
        evidence = [evidence_of(study, runs.losses[j, :, at], runs.scores[j, at], labels) for j in methods]
        lines.append(_intervals(evidence, best, level))
    return {
        "risks": runs.risks.mean(-1).T,
        "picked": picked,
        **{name: np.array([line[name] for line in lines]) for name in INTERVALS},
    }


def _intervals(evidence: Sequence[Evidence], best: int, level: float) -> dict[str, tuple[float, float]]:
    details = [CORRECTED_T.ends(one, level).details for one in evidence]
    pairs = [
        Comparison(0.0, p=1.0) if one is evidence[best] else difference(one, evidence[best], names=("a", "b"))
        for one in evidence
    ]
    found = level_of_winner(evidence, details, pairs, level=level)
    assert found is not None
    levels = {"plain": level, "winner's": found, "Bonferroni": shared_level(level, len(evidence))}
    ends = {name: CORRECTED_T.ends(evidence[best], each) for name, each in levels.items()}
    return {name: (end.low, end.high) for name, end in ends.items()}
