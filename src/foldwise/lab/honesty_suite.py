"""Is the whole honest here? Noise must look like noise, planted leaks must be found, p-values must be calibrated."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from foldwise.api.compare import compare
from foldwise.api.permutation import permutation_test
from foldwise.api.result import Result
from foldwise.arrays import FloatArray
from foldwise.errors import BadStudy, nearest
from foldwise.lab.leaks import LEAKS
from foldwise.learners.listing import list_learners
from foldwise.questions.contest import BASELINE
from foldwise.splits.bootstrap import Bootstrap
from foldwise.splits.holdout import MonteCarlo

PARTS = ("noise", "leaks", "permutations")
TOO_GOOD = -3.5  # standard errors below what chance allows: 1 in 4,000 for each of a hundred cases
SPREAD = 0.5  # of the losses of rows, at least: those of a guess between two classes
SCHEMES: dict[str, dict[str, Any]] = {
    "test split, dev split": {"outer": 0.3, "inner": 0.3},
    "test split, folds": {"outer": 0.3, "inner": 4},
    "nested folds": {"outer": 3, "inner": 2},
    "aligned, lines": {"outer": 7, "inner": "lines"},
    "aligned, pairs": {"outer": 6, "inner": "pairs"},
    "one dev split": {"outer": 6, "inner": "dev"},
    "repeated folds": {"outer": 4, "inner": 3, "repeats": 2},
    "random splits": {"outer": MonteCarlo(4, 0.3), "inner": 3},
    "bootstrap": {"outer": Bootstrap(4), "inner": 3},
    "leave-one-out": {"outer": "loo", "inner": 3},
    "groups": {"outer": 5, "inner": 3, "groups": True},
    "time": {"outer": 2, "inner": 0.3, "time": True},
}
QUICK = {"regression": ("ridge", "k-nn", "tree"), "binary": ("logistic", "k-nn", "tree")}
FEW = 3  # learners that are tried under every scheme
IN_TIME = "seasonal-naive"  # needs an order in time


def honesty(
    *,
    parts: Sequence[str] = PARTS,
    learners: Sequence[str] | None = None,
    full: bool = False,
    rows: int = 60,
    seed: int = 0,
    jobs: int | None = None,
) -> Any:
    """A data frame with one line per case: what was asked, what is expected and found, and whether that is honest.

    `parts`: "noise": learners on features that tell nothing, under every scheme, must not be better than chance;
    "leaks": traps planted on purpose are found, and not without them; "permutations": p-values of noise are as often
    below 0.25 as they should. `learners`: built-in names (None: all that are installed). `full`: every learner under
    every scheme, else every learner under nested folds and every scheme with up to three of them. `rows`: of noise.

    `seed`: names the random draws; the same seed gives the same answer.
    `jobs`: worker processes (None: one per core).

    >>> found = honesty(parts=["noise"], learners=["linear"], rows=30, jobs=1)
    >>> bool(found["honest"].all())
    True
    """
    import pandas as pd

    for part in parts:
        if part not in PARTS:
            raise BadStudy(f"there is no part {part!r} of the honesty suite", nearest(part, PARTS))
    lines: list[dict[str, Any]] = []
    if "noise" in parts:
        lines += _noise(learners, full=full, rows=rows, seed=seed, jobs=jobs)
    if "leaks" in parts:
        lines += _leaks(seed)
    if "permutations" in parts:
        lines.append(_permutations(seed))
    return pd.DataFrame(lines, columns=["part", "case", "scheme", "expected", "found", "honest"])


def _noise(
    learners: Sequence[str] | None, *, full: bool, rows: int, seed: int, jobs: int | None
) -> Iterator[dict[str, Any]]:
    for task in ("regression", "binary"):
        draw = np.random.default_rng([seed, rows, task == "binary"])
        X, y = draw.normal(size=(rows, 3)), draw.normal(size=rows)
        y = (y - y.mean()) / y.std(ddof=1)
        target = np.where(y > np.median(y), "yes", "no") if task == "binary" else y
        every = _able(learners, task)
        is_few = len(every) <= FEW
        for scheme, words in SCHEMES.items():
            is_every = full or scheme == "nested folds"
            names = every if is_every else [name for name in every if name in QUICK[task] or is_few]
            if names:
                roles: dict[str, Any] = {role: np.arange(rows) // 3 for role in ("groups", "time") if role in words}
                asked = {**words, **roles, "budget": 2, "seed": seed, "jobs": jobs, "guards": False, "defaults": False}
                yield from _beside_chance(compare(names, X, target, effort="quick", **asked), task, scheme)


def _able(learners: Sequence[str] | None, task: str) -> list[str]:
    """Names of the learners for a task that are installed; the baseline is a row of every study."""
    table = list_learners()
    is_able = table["task"].isin(["any", "regression" if task == "regression" else "classification"])
    known = [str(name) for name in table[is_able & table["installed"]]["name"] if name not in (BASELINE, IN_TIME)]
    return known if learners is None else [name for name in known if name in learners]


def _beside_chance(result: Result, task: str, scheme: str) -> Iterator[dict[str, Any]]:
    """The risk of each method beside the smallest there can be: the variance of the noise, or one half."""
    chance = 1.0 if task == "regression" else 0.5
    for method in result.methods:
        line = {"part": "noise", "case": f"{method.method.name}, {task}", "scheme": scheme}
        if method.status != "ok":
            yield {**line, "expected": f"at least {chance}", "found": method.status, "honest": False}
            continue
        error = _standard_error(method.evidence.row_losses or (), method.evidence.test_rows, result.study.rows)
        below = (method.risk - chance) / error
        found = f"{method.risk:.3f} ({below:+.1f} standard errors)"
        yield {**line, "expected": f"at least {chance}", "found": found, "honest": bool(below > TOO_GOOD)}


def _standard_error(losses: Sequence[FloatArray], tested: Sequence[Any], rows: int) -> float:
    """Of a mean over rows, each counted once however often it was tested."""
    sums, counts = np.zeros(rows), np.zeros(rows)
    for found, at in zip(losses, tested, strict=True):
        sums[at] += found
        counts[at] += 1
    means = sums[counts > 0] / counts[counts > 0]
    return float(max(means.std(ddof=1), SPREAD) / np.sqrt(len(means)))


def _leaks(seed: int) -> Iterator[dict[str, Any]]:
    for at, leak in enumerate(LEAKS):
        if not leak.is_known:
            continue
        for is_planted in (True, False):
            codes = leak.found(is_planted, np.random.default_rng([seed, at]))
            hits = [code for code in codes if code in leak.codes]
            case = leak.name if is_planted else f"not {leak.name}"
            expected = " or ".join(leak.codes) if is_planted else "nothing of the kind"
            told = ", ".join(hits) or "nothing of the kind"
            is_right = bool(hits) == is_planted
            yield {"part": "leaks", "case": case, "expected": expected, "found": told, "honest": is_right}


def _permutations(seed: int, count: int = 40, alpha: float = 0.25) -> dict[str, Any]:
    """How often p of noise is at most alpha, within three and a half standard errors."""
    ps = []
    for at in range(count):
        draw = np.random.default_rng([seed, at, 7])
        X, y = draw.normal(size=(24, 2)), draw.normal(size=24)
        ps.append(permutation_test("linear", X, y, permutations=7, outer=4, seed=seed, jobs=1, guards=False).p)
    share, error = float(np.mean(np.array(ps) <= alpha)), float(np.sqrt(alpha * (1 - alpha) / count))
    return {
        "part": "permutations",
        "case": f"p <= {alpha} in {count} tables of noise",
        "expected": f"{alpha} (standard error {error:.2f})",
        "found": f"{share:.2f}",
        "honest": bool(abs(share - alpha) < -TOO_GOOD * error),
    }
