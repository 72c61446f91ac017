"""Classes as clouds of points: naive Bayes and the discriminants."""

from __future__ import annotations

from typing import Any

from foldwise.errors import BadSpace
from foldwise.learners.zoo.entry import CLASSIFICATION, Blocks, Entry, Facts, Size, Written, pick
from foldwise.spaces.parameter import Choice, as_parameter, log_range


def _make_naive_bayes(facts: Facts) -> Any:
    from sklearn.naive_bayes import GaussianNB

    return GaussianNB()


def _naive_bayes_space(facts: Facts, size: Size) -> Written:
    return {"var_smoothing": log_range(1e-9, 10.0, pick(size, 6, 21, 51))}


def _make_lda(facts: Facts) -> Any:
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

    return LinearDiscriminantAnalysis(solver="lsqr", shrinkage=0.1)


def _make_qda(facts: Facts) -> Any:
    from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis

    return QuadraticDiscriminantAnalysis(solver="eigen", shrinkage=0.1)


def _complete_lda(blocks: Blocks, facts: Facts) -> Blocks:
    """The decomposition `svd` does without the shrinkage that ours begins with."""
    return [{"shrinkage": [None], **block} if _is_svd(block) else block for block in blocks]


def _is_svd(block: dict[str, Any]) -> bool:
    return "solver" in block and as_parameter(block["solver"]) == Choice(("svd",))


def _complete_qda(blocks: Blocks, facts: Facts) -> Blocks:
    """`reg_param` belongs to the other way of decomposing, which needs more rows of each class than columns."""
    if any({"reg_param", "shrinkage"} <= set(block) for block in blocks):
        problem = "shrinkage and reg_param belong to two ways of decomposing, eigen and svd"
        raise BadSpace(f"learner 'qda': {problem}", "Keep one of them")
    svd = {"solver": ["svd"], "shrinkage": [None]}
    return [{**svd, **block} if "reg_param" in block or _is_svd(block) else block for block in blocks]


def _drawn(size: Size) -> Any:
    # a little is always drawn, or a class with fewer rows than columns could not be learnt
    return log_range(1e-3, 1.0, pick(size, 5, 16, 46))


ENTRIES = (
    Entry(
        "naive-bayes",
        "Gaussian columns, independent within a class",
        _make_naive_bayes,
        _naive_bayes_space,
        {"var_smoothing": "high"},
        tasks=CLASSIFICATION,
        instead="linear",
        solver="all smoothings of a fold from one fit",
        scale=True,
        takes_sparse=False,
    ),
    Entry(
        "lda",
        "linear discriminant: one covariance for all classes, drawn towards a ball",
        _make_lda,
        lambda facts, size: {"shrinkage": _drawn(size)},
        {"shrinkage": "high"},
        tasks=CLASSIFICATION,
        instead="ridge",
        solver="all shrinkages of a fold from one covariance",
        scale=True,
        takes_sparse=False,
        takes_weights=False,
        complete=_complete_lda,
    ),
    Entry(
        "qda",
        "quadratic discriminant: a covariance for each class, drawn towards a ball",
        _make_qda,
        lambda facts, size: {"shrinkage": _drawn(size)},
        {"shrinkage": "high", "reg_param": "high"},
        tasks=CLASSIFICATION,
        instead="kernel-ridge",
        solver="all shrinkages of a fold from one decomposition per class",
        scale=True,
        takes_sparse=False,
        takes_weights=False,
        complete=_complete_qda,
    ),
)
