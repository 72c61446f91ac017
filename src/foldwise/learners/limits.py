"""What parts that do not know their own limits take: values of other packages, and of scikit-learn's kernels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Limit:
    """Numbers, or whole numbers, from `low` (or above it) to `high`.

    >>> Limit(2, is_whole=True).refuses(1), Limit(2, is_whole=True).refuses(2)
    ('a whole number from 2 on', '')
    """

    low: float
    high: float = float("inf")
    is_whole: bool = False
    is_open: bool = False  # without `low` itself
    is_endless: bool = False  # with infinity

    def refuses(self, value: Any) -> str:
        """What the value should have been, or nothing where it is taken."""
        kind = int | np.integer if self.is_whole else int | float | np.number
        is_number = isinstance(value, kind) and not isinstance(value, bool)
        is_inside = is_number and (self.low < value if self.is_open else self.low <= value) and value <= self.high
        if is_inside and value == float("inf") and not self.is_endless:
            return str(self).replace("a number", "a finite number")
        return "" if is_inside else str(self)

    def __str__(self) -> str:
        start = f"above {self.low:g}" if self.is_open else f"from {self.low:g}"
        end = f" to {self.high:g}" if self.high < float("inf") else "" if self.is_open else " on"
        return f"{'a whole number' if self.is_whole else 'a number'} {start}{end}"


# Whose parts are meant: a user's own class may have the name of one of them.
PACKAGES = ("sklearn.", "lightgbm.", "xgboost.", "foldwise.")
_POSITIVE, _NOT_NEGATIVE, _SHARE = Limit(0, is_open=True), Limit(0), Limit(0, 1, is_open=True)
_COUNT = Limit(1, is_whole=True)
_BOTH = {
    "n_estimators": _COUNT,
    "learning_rate": _POSITIVE,
    "reg_lambda": _NOT_NEGATIVE,
    "reg_alpha": _NOT_NEGATIVE,
    "min_child_weight": _NOT_NEGATIVE,
    "subsample": _SHARE,
    "colsample_bytree": _SHARE,
}
_LIGHTGBM = {
    **_BOTH,
    "num_leaves": Limit(2, 131_072, is_whole=True),
    "min_child_samples": Limit(0, is_whole=True),
    "min_split_gain": _NOT_NEGATIVE,
}
_XGBOOST = {**_BOTH, "max_depth": Limit(0, is_whole=True), "gamma": _NOT_NEGATIVE}
_PENALTY = {"alpha": _NOT_NEGATIVE}
LIMITS: dict[str, dict[str, Limit]] = {
    **dict.fromkeys(("LGBMClassifier", "LGBMRegressor"), _LIGHTGBM),
    **dict.fromkeys(("XGBClassifier", "LabelledXGBClassifier", "XGBRegressor"), _XGBOOST),
    # a penalty for each target, or a noise for each row: there is one target, and rows differ between folds
    **dict.fromkeys(("Ridge", "RidgeClassifier", "KernelRidge", "GaussianProcessRegressor"), _PENALTY),
    "Matern": {"nu": Limit(0, is_open=True, is_endless=True), "length_scale": _POSITIVE},
    "RBF": {"length_scale": _POSITIVE},
    "ConstantKernel": {"constant_value": _POSITIVE},
}


def beyond(owner: Any, leaf: str, value: Any) -> str:
    """What a parameter of this part must be, where it is known and the value is not; else nothing.

    >>> from sklearn.gaussian_process.kernels import RBF
    >>> beyond(RBF(), "length_scale", 0.0)
    'a number above 0'
    """
    limit = LIMITS.get(type(owner).__name__, {}).get(leaf) if type(owner).__module__.startswith(PACKAGES) else None
    has_default = not (leaf == "n_estimators" and type(owner).__name__.startswith("LGBM"))
    if limit is None or (value is None and has_default):
        return ""
    is_list = isinstance(value, np.ndarray | list | tuple) and np.size(value) > 0
    return "" if is_list and leaf == "length_scale" else limit.refuses(value)  # one for each column
