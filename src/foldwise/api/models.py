"""Fitted models in files: `save_model`, `load_model` and `model_card`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from foldwise.api import model_file
from foldwise.api.model_card import card_of, card_of_rows, remember_card, shown_card
from foldwise.data.dataset import make_dataset
from foldwise.errors import BadLearner


def save_model(model: Any, path: str | Path, *, X: Any = None, y: Any = None, pickle: bool = False) -> Path:
    """Write a fitted model to a file that `load_model` and `foldwise predict` read, with its card.

    `model`: what `result.refit()` gave, a fitted `fw.tune(...)` (its chosen model is saved), or another fitted
    scikit-learn estimator.
    `path`: a name that ends in .skops.
    `X`, `y`: the data it was trained on, to keep the types of the columns of an estimator that was not made here; for
    others they are known.
    `pickle`: write a .pkl or .joblib instead, which run code when they are read.

    >>> import tempfile, foldwise as fw
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import LogisticRegression
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = LogisticRegression(max_iter=500).fit(X, y)
    >>> path = fw.save_model(model, tempfile.mkdtemp() + "/iris.skops", X=X, y=y)
    >>> fw.load_model(path).predict(X[:2]).tolist()
    [0, 0]
    """
    _check_fitted(model)
    from foldwise.learners.answering import AnswersByModel

    inner = model.model_ if isinstance(model, AnswersByModel) else model
    if (X is None) != (y is None):
        raise BadLearner("X and y describe a model together, and one of them is missing", "Give both, or none")
    about = card_of(model) if X is None else card_of_rows(inner, make_dataset(X, y))
    return model_file.write_model(path, inner, about, pickle=pickle)


def load_model(path: str | Path, *, trust: bool = False) -> Any:
    """The fitted model of a file: a plain scikit-learn estimator.

    `path`: what `save_model`, `result.save_model` or `foldwise compare --save` wrote.
    `trust`: also read pickles, and types that are not on the list of `docs/security.md`: they can run code, so use it
    for files of your own.

    >>> import tempfile, foldwise as fw
    >>> result = fw.compare(["ridge:small"], "diabetes", outer=3, inner=2, jobs=1)
    >>> path = result.save_model(tempfile.mkdtemp() + "/diabetes.skops")
    >>> model = fw.load_model(path)
    >>> fw.model_card(model)["method"]
    'ridge:small'
    """
    import warnings

    found = model_file.load_model(path, trust=trust)
    for note in found.notes:
        warnings.warn(note, stacklevel=2)
    return remember_card(found.model, found.about)


def model_card(model: Any, *, trust: bool = False) -> dict[str, Any]:
    """What is known of a model: its data, target, columns and their types, risk with interval, versions and date.

    `model`: a model, or the path of a model file, of which nothing but the card is read.
    `trust`: read the card of a pickle too, which can run code.

    >>> import foldwise as fw
    >>> model = fw.compare(["ridge:small"], "diabetes", outer=3, inner=2, jobs=1).refit()
    >>> card = fw.model_card(model)
    >>> card["method"], card["target"]
    ('ridge:small', 'target')
    """
    about = model_file.read_card(model, trust=trust) if isinstance(model, str | Path) else card_of(model)
    return shown_card(about)


def _check_fitted(model: Any) -> None:
    from sklearn.exceptions import NotFittedError
    from sklearn.utils.validation import check_is_fitted

    try:
        check_is_fitted(model)
    except (NotFittedError, TypeError) as problem:
        what = "is not fitted" if isinstance(problem, NotFittedError) else "is no fitted estimator"
        raise BadLearner(
            f"cannot save this {type(model).__name__}: it {what}", "Give what result.refit() or .fit(X, y) returns"
        ) from None
