"""Numbers that compiled code of scikit-learn and SciPy follows without looking, checked once a model is loaded.

A tree whose child is node 10 million, or a neighbour's class beyond the last, is read or written outside of memory.
Fits leave no such thing; a file can.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from foldwise.api.model_schema import Refused


def check_state(model: Any) -> None:
    """Refuse a model that compiled code could not predict with safely."""
    for part in _parts(model):
        for base in type(part).__mro__:
            if check := _CHECKS.get(base.__name__):
                try:
                    is_sound = bool(check(part))
                except Exception:  # what is missing or of another kind
                    is_sound = False
                if not is_sound:
                    raise Refused(f"holds a {type(part).__name__} that no fit leaves")


def _parts(model: Any) -> Iterator[Any]:
    """The model and all objects in it, each once."""
    left, seen = [model], set()
    while left:
        part = left.pop()
        if id(part) in seen or part is None or isinstance(part, str | bytes | int | float):
            continue
        seen.add(id(part))
        if isinstance(part, dict):
            left += part.values()
        elif isinstance(part, list | tuple | set):
            left += part
        elif isinstance(part, np.ndarray):
            left += part.ravel().tolist() if part.dtype == object else []
        else:
            yield part
            left += getattr(part, "__dict__", {}).values()
            if hasattr(part, "func") and hasattr(part, "keywords"):  # a partial
                left += [part.func, part.args, part.keywords]


def _within(numbers: Any, low: int, high: int) -> bool:
    """Are all whole numbers from `low` to below `high`?"""
    found = np.asarray(numbers)
    return found.dtype.kind in "iu" and bool(((found >= low) & (found < high)).all())


def _is_tree(tree: Any) -> bool:
    left, right, count = tree.children_left, tree.children_right, tree.node_count
    inner = np.flatnonzero(left != -1)
    is_below = (left[inner] > inner).all() and (right[inner] > inner).all()  # so that every path ends
    is_inside = _within(left[inner], 0, count) and _within(right[inner], 0, count)
    return count > 0 and bool(is_below) and is_inside and _within(tree.feature[inner], 0, tree.n_features)


def _is_tree_learner(learner: Any) -> bool:
    tree = getattr(learner, "tree_", None)
    return tree is None or _columns(learner) == tree.n_features


def _is_forest(forest: Any) -> bool:
    trees = getattr(forest, "estimators_", None)
    return trees is None or all(_is_tree_learner(one) and one.n_features_in_ == _columns(forest) for one in trees)


def _is_histogram_boosting(boosting: Any) -> bool:
    if not hasattr(boosting, "_predictors"):
        return True
    # The columns are counted after categories were put first.
    columns, bins = boosting._n_features, boosting._bin_mapper
    known = np.asarray(bins.is_categorical_)
    is_same = len(bins.bin_thresholds_) == len(known) == columns == _columns(boosting)
    return is_same and all(_is_predictor(one, columns, known) for row in boosting._predictors for one in row)


def _is_predictor(predictor: Any, columns: int, is_categorical: Any) -> bool:
    nodes = predictor.nodes
    inner = np.flatnonzero(nodes["is_leaf"] == 0)
    left, right, column = (nodes[name][inner].astype(np.int64) for name in ("left", "right", "feature_idx"))
    is_inside = _within(left, 0, len(nodes)) and _within(right, 0, len(nodes)) and _within(column, 0, columns)
    is_below = (left > inner).all() and (right > inner).all()
    if not (len(nodes) and is_inside and is_below):
        return False
    by_category = nodes["is_categorical"][inner] != 0
    sets = nodes["bitset_idx"][inner][by_category].astype(np.int64)
    stored = [predictor.raw_left_cat_bitsets, predictor.binned_left_cat_bitsets]
    return all(_within(sets, 0, len(one)) and one.shape[1:] == (8,) for one in stored) and bool(
        is_categorical[column[by_category]].all()
    )


def _is_search_tree(tree: Any) -> bool:
    data, places, nodes, bounds = (np.asarray(array) for array in tree.get_arrays())
    leaf_size, levels, count = tree.__getstate__()[4:7]
    rows = len(data)
    is_sized = len(nodes) == count == 2**levels - 1 == bounds.shape[1] and bounds.shape[2] == data.shape[1]
    start, end = nodes["idx_start"], nodes["idx_end"]
    is_inside = _within(places, 0, rows) and len(places) == rows and _within(start, 0, rows + 1)
    inner = np.flatnonzero(nodes["is_leaf"] == 0)
    return (
        is_sized
        and is_inside
        and _within(end, 0, rows + 1)
        and bool((start <= end).all())
        and bool((2 * inner + 2 < count).all())
        and leaf_size > 0
    )


def _is_neighbours(learner: Any) -> Any:
    if not hasattr(learner, "_fit_X"):
        return True
    rows, columns = learner._fit_X.shape
    is_same = columns == _columns(learner) and rows == learner.n_samples_fit_
    tree = learner._tree
    is_same = is_same and (tree is None or np.asarray(tree.data).shape == (rows, columns))
    if not is_same or not hasattr(learner, "_y"):
        return is_same
    if not hasattr(learner, "classes_"):
        return len(learner._y) == rows
    many = learner.classes_ if isinstance(learner.classes_, list) else [learner.classes_]
    codes = np.asarray(learner._y).reshape(rows, -1)
    return codes.shape[1] == len(many) and all(_within(codes[:, k], 0, len(one)) for k, one in enumerate(many))


def _is_svm(svm: Any) -> Any:
    """The vectors, their coefficients and constants are as many as libsvm reads."""
    if not hasattr(svm, "support_vectors_"):
        return True
    vectors, counts = svm.support_vectors_, np.asarray(svm._n_support)
    is_classifier = svm._impl in ("c_svc", "nu_svc")
    classes = len(counts) if is_classifier else 2
    rows, pairs = vectors.shape[0], classes * (classes - 1) // 2
    is_counted = not is_classifier or (counts.sum() == rows and (counts >= 0).all() and len(svm.classes_) == classes)
    return (
        isinstance(svm.kernel, str)
        and svm.kernel != "precomputed"
        and is_counted
        and vectors.shape[1] == _columns(svm)
        and len(svm.support_) == rows
        and svm._dual_coef_.shape == (classes - 1, rows)
        and _entries(svm._dual_coef_) == (classes - 1) * rows
        and len(svm._intercept_) == pairs
        and {len(svm._probA), len(svm._probB)} <= {0, pairs}
    )


def _entries(table: Any) -> int:
    return int(table.data.size if hasattr(table, "indptr") else table.size)


def _is_spline(spline: Any) -> Any:
    knots, coefficients, degree = np.asarray(spline.t), np.asarray(spline.c), spline.k
    count = len(knots) - degree - 1
    is_plain = knots.dtype == coefficients.dtype == np.float64 and knots.ndim == 1
    return (
        is_plain
        and 0 <= degree < 100
        and count >= degree + 1
        and coefficients.shape[0] >= count
        and bool((np.diff(knots) >= 0).all() and np.isfinite(knots).all())
    )


def _is_one_hot(encoder: Any) -> bool:
    """The columns that codes are written to are there."""
    if not hasattr(encoder, "categories_"):
        return True
    counts = [len(values) for values in encoder.categories_]
    if encoder._infrequent_enabled:
        rare = encoder._infrequent_indices
        counts = [n if one is None else n - one.size + 1 for n, one in zip(counts, rare, strict=True)]
        places = encoder._default_to_infrequent_mappings
        pairs = zip(counts, places, strict=True)
        if not all(one is None or _within(one, 0, n) for n, one in pairs):
            return False
    dropped = encoder._drop_idx_after_grouping
    if dropped is not None:
        if not all(one is None or 0 <= one < n for n, one in zip(counts, dropped, strict=True)):
            return False
        counts = [n if one is None else n - 1 for n, one in zip(counts, dropped, strict=True)]
    return list(encoder._n_features_outs) == counts and len(counts) == _columns(encoder)


def _is_conformal(model: Any) -> bool:
    """Each fold has a model and a number for every row it held out; only answers of models are asked for."""
    scores, counts, masses = model.scores, model.unit_counts, model.masses
    arrays = [*scores, *(masses or [])]
    is_row = model.unit == "row" and masses is None
    is_group = model.unit == "group" and [len(one) for one in masses or []] == [len(one) for one in scores]
    return (
        len(model.fold_models) == len(scores) == len(counts) > 0
        and all(type(count) is int and 0 < count <= len(own) for count, own in zip(counts, scores, strict=True))
        and all(isinstance(one, np.ndarray) and one.dtype == np.float64 and one.ndim == 1 for one in arrays)
        and (is_row or is_group)
        and getattr(model, "response", "predict_proba") in ("predict_proba", "decision_function")
    )


def _is_generator(state: Any) -> Any:
    return 0 <= state.get_state(legacy=False)["state"]["pos"] <= 624


def _columns(learner: Any) -> int:
    found = learner.n_features_in_
    if isinstance(found, bool) or not isinstance(found, int | np.integer):
        raise TypeError(found)
    return int(found)


_CHECKS: dict[str, Callable[[Any], Any]] = {
    "Tree": _is_tree,
    "BaseDecisionTree": _is_tree_learner,
    "BaseForest": _is_forest,
    "BaseHistGradientBoosting": _is_histogram_boosting,
    "KDTree": _is_search_tree,
    "BallTree": _is_search_tree,
    "NeighborsBase": _is_neighbours,
    "BaseLibSVM": _is_svm,
    "BSpline": _is_spline,
    "OneHotEncoder": _is_one_hot,
    "RandomState": _is_generator,
    "ConformalModel": _is_conformal,
}
