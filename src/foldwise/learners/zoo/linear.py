"""Linear learners."""

from __future__ import annotations

from typing import Any

from foldwise.learners.zoo.entry import (
    CLASSIFICATION,
    REGRESSION,
    Blocks,
    Entry,
    Facts,
    Size,
    Written,
    nothing,
    pick,
    scaled_target,
)
from foldwise.spaces.parameter import as_parameter, log_range

# Tolerances at which scikit-learn's own steps end where our solvers do, to six digits.
TIGHT = 1e-10
MOST_STEPS = 100_000  # enough passes for more columns than rows at the smallest penalty


def _make_linear(facts: Facts) -> Any:
    from sklearn.linear_model import LinearRegression

    return LinearRegression()


def _make_ridge(facts: Facts) -> Any:
    from sklearn.linear_model import Ridge, RidgeClassifier

    return RidgeClassifier() if facts.is_classification else Ridge()


def _ridge_space(facts: Facts, size: Size) -> Written:
    # the penalty is added to a sum over rows, so large tables need larger penalties
    return {"alpha": log_range(1e-4, 1e6, pick(size, 11, 41, 101))}


def _make_lasso(facts: Facts) -> Any:
    from sklearn.linear_model import Lasso

    return scaled_target(Lasso(tol=TIGHT, max_iter=MOST_STEPS))


def _lasso_space(facts: Facts, size: Size) -> Written:
    # with columns and target of variance 1 nothing is left at a penalty of 1
    return {"alpha": log_range(1e-4, 1.0, pick(size, 9, 41, 81))}


def _make_elastic_net(facts: Facts) -> Any:
    from sklearn.linear_model import ElasticNet

    return scaled_target(ElasticNet(tol=TIGHT, max_iter=MOST_STEPS))


def _elastic_net_space(facts: Facts, size: Size) -> Written:
    shares = pick(size, [0.5], [0.1, 0.5, 0.9], [0.05, 0.1, 0.3, 0.5, 0.7, 0.9, 0.95, 1.0])
    return {"alpha": log_range(1e-4, 10.0, pick(size, 10, 30, 40)), "l1_ratio": shares}


def _make_logistic(facts: Facts) -> Any:
    from sklearn.linear_model import LogisticRegression

    # below this tolerance rounding stops its steps now and then, with a warning
    return LogisticRegression(solver="newton-cg", tol=TIGHT, max_iter=1000)


def _logistic_space(facts: Facts, size: Size) -> Written:
    """Squared penalties; of two classes absolute ones too, which a fast method serves there; large: everything."""
    squared = {"C": log_range(1e-4, 1e3, pick(size, 8, 29, 57)), "l1_ratio": [0.0]}
    absolute = {"C": log_range(1e-2, 10.0, pick(size, 4, 7, 13)), "l1_ratio": [1.0]}
    mixed = {"C": log_range(1e-2, 1.0, 5), "l1_ratio": [0.5] if facts.task == "binary" else [0.5, 1.0]}
    blocks = [squared]
    if facts.task == "binary" and size != "small":
        blocks.append(absolute)
    if size == "large":
        blocks.append(mixed)
    return [_solved(block, facts) for block in blocks]


def _complete_logistic(blocks: Blocks, facts: Facts) -> Blocks:
    """The method that serves each kind of penalty, where the user asks for several kinds but names none."""
    found: list[dict[str, Any]] = []
    for block in blocks:
        if "l1_ratio" not in block or "solver" in block:
            found.append(block)
            continue
        kinds: dict[str, list[Any]] = {}
        for share in as_parameter(block["l1_ratio"]).grid():
            kinds.setdefault(_solver(share, facts), []).append(share)
        found += [_solved({**block, "l1_ratio": shares}, facts) for shares in kinds.values()]
    return found


def _solved(block: dict[str, Any], facts: Facts) -> dict[str, Any]:
    solver = _solver(block["l1_ratio"][0], facts)
    # liblinear measures its ends otherwise; steps of saga get so short that the last digits are not worth their number
    ends = {"liblinear": {"tol": [1e-11]}, "saga": {"tol": [1e-6]}}
    return {**block, "solver": [solver], **ends.get(solver, {})}


def _solver(share: Any, facts: Facts) -> str:
    if share == 0:
        return "newton-cg"
    return "liblinear" if share == 1 and facts.task != "multiclass" else "saga"


ENTRIES = (
    Entry(
        "linear",
        "least squares",
        _make_linear,
        nothing,
        {},
        tasks=REGRESSION,
        instead="logistic",
        solver="all folds from one decomposition",
        scale=True,
    ),
    Entry(
        "ridge",
        "linear, squared penalty",
        _make_ridge,
        _ridge_space,
        {"alpha": "high"},
        solver="all penalties of all folds from one decomposition",
        scale=True,
        words=True,
    ),
    Entry(
        "lasso",
        "linear, absolute penalty: few columns are used",
        _make_lasso,
        _lasso_space,
        {"alpha": "high"},
        tasks=REGRESSION,
        instead="logistic",
        solver="all penalties of a fold along one path",
        scale=True,
    ),
    Entry(
        "elastic-net",
        "linear, absolute and squared penalty",
        _make_elastic_net,
        _elastic_net_space,
        {"alpha": "high", "l1_ratio": "high"},
        tasks=REGRESSION,
        instead="logistic",
        solver="all penalties of a fold along one path",
        scale=True,
    ),
    Entry(
        "logistic",
        "linear, probabilities by the logistic function; squared, absolute or both penalties",
        _make_logistic,
        _logistic_space,
        {"C": "low", "l1_ratio": "high", "solver": ["liblinear", "saga", "newton-cg"], "tol": "high"},
        tasks=CLASSIFICATION,
        instead="ridge",
        solver="all penalties of a fold, each from the last one",
        scale=True,
        words=True,
        complete=_complete_logistic,
    ),
)
