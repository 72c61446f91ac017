"""Is the whole honest here? Noise must look like noise, planted leaks must be found, p-values must be calibrated."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from foldwise.api.check import check, check_new
from foldwise.api.compare import compare
from foldwise.api.permutation import permutation_test
from foldwise.lab.exhibit import BLUE, GREY, ORANGE, Exhibit, exhibit, finish, times
from foldwise.learners.listing import list_learners
from foldwise.splits.holdout import Bootstrap

TOO_GOOD = -4.5  # standard errors below chance; of 1,000 cases of noise the smallest was -3.6
LEAST_SPREAD = 0.5  # of the losses of rows: those of a guess between two classes
ROWS, LEAK_ROWS = 60, 160
SCHEMES: dict[str, dict[str, Any]] = {
    "nested folds": {"outer": 3, "inner": 2},
    "test split, dev split": {"outer": 0.3, "inner": 0.3},
    "aligned, lines": {"outer": 7, "inner": "lines"},
    "aligned, pairs": {"outer": 6, "inner": "pairs"},
    "repeated folds": {"outer": 4, "inner": 3, "repeats": 2},
    "bootstrap": {"outer": Bootstrap(4), "inner": 3},
    "leave-one-out": {"outer": "loo", "inner": 3},
    "groups": {"outer": 5, "inner": 3, "groups": np.arange(ROWS) // 3},
    "time": {"outer": 2, "inner": 0.3, "time": np.arange(ROWS)},
}
LEAKS = {
    "rows that occur twice": ("FW101",),
    "groups that are not declared": ("FW104",),
    "time that is not declared": ("FW105", "FW106"),
    "the target among the features": ("FW201",),
    "missing values that tell the target": ("FW208",),
    "two columns that make up the target": ("FW202", "FW506"),
    "new rows in other units": ("FW603",),
}


@exhibit("honesty", "Noise is noise, planted leaks are found, p-values are calibrated")
def honesty(size: float, seed: int) -> Exhibit:
    """Every scheme with quick learners; at full size all installed learners, under nested folds."""
    noise = [case for task in ("regression", "binary") for case in noise_cases(task, seed, is_full=size >= 1)]
    cases = [*noise, *leak_cases(seed), permutation_case(seed, times(40, size))]
    wrong = [case["case"] for case in cases if not case["honest"]]
    z = np.sort([case.pop("z") for case in noise if "z" in case])
    sentence = (
        f"{len(cases)} cases, of which {len(wrong) or 'none'} turned out wrong{': ' * bool(wrong)}{'; '.join(wrong)}."
    )

    def draw(axes: Any) -> None:
        axes.plot(z, range(len(z)), "o", markersize=3, color=BLUE, label="learner and scheme")
        axes.axvline(0, color=GREY, linestyle=":", label="chance")
        axes.axvline(TOO_GOOD, color=ORANGE, linestyle="--", label="too good to be true")
        axes.set_yticks([])
        finish(axes, "standard errors above chance, on noise", "")

    return Exhibit(cases, sentence, not wrong, draw)


def noise_cases(task: str, seed: int, *, is_full: bool = False) -> Iterator[dict[str, Any]]:
    """Risks on features that say nothing, beside the variance of the noise, or one half."""
    rng = np.random.default_rng([seed, task == "binary"])
    X, y = rng.normal(size=(ROWS, 3)), rng.normal(size=ROWS)
    target = y > np.median(y) if task == "binary" else (y - y.mean()) / y.std(ddof=1)
    table = list_learners().query("installed and name not in ('baseline', 'seasonal-naive')")
    table = table[table["task"].isin(["any", "regression" if task == "regression" else "classification"])]
    options: dict[str, Any] = {
        "budget": 2,
        "seed": seed,
        "effort": "quick",
        "guards": False,
        "defaults": False,
        "progress": False,
    }
    for scheme, splits in SCHEMES.items():
        quick = ["ridge" if task == "regression" else "logistic", "k-nn", "tree"]
        names = table["name"].tolist() if is_full and scheme == "nested folds" else quick
        for case in beside_chance(compare(names, X, target, **splits, **options), 0.5 if task == "binary" else 1.0):
            yield {"part": f"noise, {task}", "scheme": scheme, **case}


def beside_chance(result: Any, chance: float) -> Iterator[dict[str, Any]]:
    """The risk of each method beside the smallest there can be."""
    for method in result.methods:
        case = {"case": method.method.name, "expected": f"at least {chance}", "found": method.status, "honest": False}
        if method.status == "ok":
            tested, losses = np.concatenate(method.evidence.test_rows), np.concatenate(method.evidence.row_losses)
            means = np.bincount(tested, losses)[np.unique(tested)] / np.unique(tested, return_counts=True)[1]
            z = (method.risk - chance) / (max(means.std(ddof=1), LEAST_SPREAD) / np.sqrt(len(means)))
            case |= {"found": f"{method.risk:.3f} ({z:+.1f} standard errors)", "honest": bool(z > TOO_GOOD), "z": z}
        yield case


def leak_cases(seed: int) -> Iterator[dict[str, Any]]:
    """Each leak planted, and the same set-up without it: is it found, and only it?"""
    for is_planted in (True, False):
        for (leak, codes), reported in zip(LEAKS.items(), _reported(is_planted, seed), strict=True):
            hits = ", ".join(sorted({*codes} & {*reported})) or "nothing of the kind"
            expected = " or ".join(codes) if is_planted else "nothing of the kind"
            case = leak if is_planted else f"not {leak}"
            honest = (hits != "nothing of the kind") == is_planted
            yield {"part": "leaks", "case": case, "expected": expected, "found": hits, "honest": honest}


def _reported(is_planted: bool, seed: int) -> Iterator[list[str]]:
    """The codes found in one table for each of `LEAKS`, with the leak or without it."""
    import pandas as pd

    rng = np.random.default_rng([seed, 5])
    X, noise, half = rng.normal(size=(LEAK_ROWS, 4)), rng.normal(size=LEAK_ROWS), rng.normal(size=LEAK_ROWS)
    y = X[:, 0] - X[:, 1] + 1.5 * rng.normal(size=LEAK_ROWS)
    frame, owner = pd.DataFrame(X).rename(columns="x{}".format), rng.permutation(np.repeat(np.arange(40), 4))
    walk = rng.normal(size=(300, 3)).cumsum(axis=0)
    walk = walk if is_planted else rng.permutation(walk)

    def codes(X: Any, y: Any = y) -> list[str]:
        return list(check(["linear"], X, y, outer=5, task="regression").codes)

    twice = np.r_[0:LEAK_ROWS, 0:40] if is_planted else np.arange(LEAK_ROWS)
    yield codes(X[twice], y[twice])
    yield codes(frame.assign(number=owner, age=rng.integers(20, 60, 40)[owner]) if is_planted else frame)
    yield codes(walk[:, :2], walk[:, 2])
    yield codes(np.column_stack([X, y if is_planted else noise]))
    is_missing = y > np.quantile(y, 0.7) if is_planted else rng.random(LEAK_ROWS) < 0.3
    yield codes(np.column_stack([X, np.where(is_missing, np.nan, noise)]))
    parts = np.column_stack([X, half, y - half]) if is_planted else X
    yield list(compare(["linear"], parts, y, outer=5, silence="FW201", progress=False).findings.codes)
    model = compare(["linear"], X, y, outer=5, progress=False).refit()
    yield list(check_new(model, X[:10] * np.array([1000.0 if is_planted else 1.0, 1, 1, 1])).codes)


def permutation_case(seed: int, count: int, alpha: float = 0.25) -> dict[str, Any]:
    """How often p of noise is at most alpha, within 3.5 standard errors."""
    ps = []
    for place in range(count):
        rng = np.random.default_rng([seed, place, 7])
        X, y = rng.normal(size=(24, 2)), rng.normal(size=24)
        ps.append(permutation_test("linear", X, y, permutations=7, outer=4, seed=seed, jobs=1, guards=False).p)
    share, error = float(np.mean(np.array(ps) <= alpha)), float(np.sqrt(alpha * (1 - alpha) / count))
    expected, is_right = f"{alpha} (standard error {error:.2f})", abs(share - alpha) < 3.5 * error
    case = f"p <= {alpha} in {count} tables of noise"
    return {"part": "permutations", "case": case, "expected": expected, "found": f"{share:.2f}", "honest": is_right}
