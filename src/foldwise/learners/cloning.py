"""Clones as scikit-learn makes them, without reading the signature of a class again for each of them."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

# a copy of these is as good as they are
_CONSTANT = frozenset([type(None), bool, int, float, str, bytes, *(np.dtype(code).type for code in "?bhilqBHILQefd")])
_BESIDE = ("_metadata_request", "_skl_callbacks", "_sklearn_output_config")  # what clones keep besides parameters


def cloned(estimator: Any) -> Any:
    """What `sklearn.base.clone` gives, which is asked itself for whatever is not plain.

    >>> from sklearn.linear_model import Ridge
    >>> cloned(Ridge(alpha=2.0))
    Ridge(alpha=2.0)
    """
    kind: Any = type(estimator)
    names = _plain_names(kind)
    if names is not None and not any(hasattr(estimator, name) for name in _BESIDE):
        parameters = {name: _cloned_value(getattr(estimator, name)) for name in names}
        made = kind(**parameters)
        if all(getattr(made, name) is value for name, value in parameters.items()):
            return made
    from sklearn.base import clone

    return clone(estimator)  # which says what is wrong where a constructor keeps something else


def _cloned_value(value: Any) -> Any:
    kind: Any = type(value)
    if kind in _CONSTANT:
        return value
    if kind is list or kind is tuple:
        return kind([_cloned_value(part) for part in value])
    if _plain_names(kind) is not None:
        return cloned(value)
    from sklearn.base import clone

    return clone(value, safe=False)


@lru_cache(512)
def _plain_names(kind: Any) -> tuple[str, ...] | None:
    """The parameters of a class that says nothing of its own about them, nor about clones; None for all others."""
    from sklearn.base import BaseEstimator
    from sklearn.pipeline import Pipeline

    if not issubclass(kind, BaseEstimator) or kind.__sklearn_clone__ is not BaseEstimator.__sklearn_clone__:
        return None
    if kind.get_params not in (BaseEstimator.get_params, Pipeline.get_params):
        return None
    if kind._get_param_names.__func__ is not BaseEstimator._get_param_names.__func__:
        return None
    try:
        return tuple(kind._get_param_names())
    except (RuntimeError, ValueError):  # no signature to go by
        return None
