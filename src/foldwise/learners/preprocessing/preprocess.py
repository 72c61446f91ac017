"""What built-in learners do to a table before they learn: fitted on training rows only, like the learner itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from foldwise.arrays import AnyArray, FloatArray

if TYPE_CHECKING:
    from foldwise.data.dataset import Dataset

Container = Literal["array", "frame", "sparse"]
Categories = Literal["encode", "native", "text"]
Steps = list[tuple[str, Any]]
LABELLED = ("text", "category")
MISSING = "missing"
MOST_COLUMNS = 40  # a column with more values is encoded by target means, not by one column per value
MOST_CODES = 200  # and so many are left to learners that know categories: histogram boosting takes 255
MOST_NEW = 0.5  # but not where there are more values than this share of the rows, as of identifiers
RARE = 3  # values with fewer training rows share a column, and new ones come to it
OFTEN_MISSING = 0.05  # columns with this share of missing values say by a column of their own where they are


def prepare(
    data: Dataset,
    *,
    scale: bool = False,
    impute: bool = True,
    dense: bool = False,
    categories: Categories = "encode",
    words: bool = False,
) -> Any:
    """The preprocessing of this table for a learner of this type, or None when nothing is to be done.

    Types, numbers of distinct and of missing values of the columns decide, once for all folds; the target and the split
    decide nothing. What the steps learn (medians, means, values) they learn from training rows. Free text becomes a
    column for each of its words, sparse, for learners that take `words`, and a few dense columns for others.
    """
    from foldwise.learners.preprocessing.column_facts import column_facts, free_text, has_far_columns

    known = column_facts(data)
    columns = Columns(
        data.kinds,
        data.names,
        _container(data.X),
        distinct=known.distinct,
        missing=known.missing,
        rows=data.rows,
        is_classification=data.task != "regression",
        is_far=scale and has_far_columns(data),
        free=free_text(data),
    )
    return table_preparer(
        columns, scale=scale, impute=impute, fill_empty=not impute, dense=dense, categories=categories, words=words
    )


def category_columns(data: Dataset) -> list[str]:
    """What the category columns are called in the frame that `categories="text"` gives.

    >>> from foldwise.data.dataset import make_dataset
    >>> category_columns(make_dataset({"size": [1, 2, 3], "town": ["a", "b", "a"]}, [1, 2, 3]))
    ['k0']
    """
    from foldwise.learners.preprocessing.column_facts import free_text

    labelled = sum(kind in LABELLED for kind in data.kinds) - len(free_text(data))
    return [f"k{j}" for j in range(labelled)]


@dataclass(frozen=True)
class Columns:
    """What is known of a table before any split, which alone decides how it is prepared."""

    kinds: Sequence[str]
    names: Sequence[str]
    container: Container
    distinct: Sequence[int] = ()  # values of each column
    missing: Sequence[float] = ()  # share of the rows of each column
    rows: int | None = None
    is_classification: bool = False
    is_far: bool = False  # are there numbers far from zero, whose median is taken off before scaling?
    free: Sequence[str] = ()  # names of the columns of free text


def table_preparer(
    columns: Columns,
    *,
    scale: bool,
    impute: bool = True,
    fill_empty: bool = False,
    dense: bool = False,
    categories: Categories = "encode",
    words: bool = False,
) -> Any:
    """A scikit-learn transformer from this kind of table to numbers, or None when nothing is to be done.

    The steps follow from what is known of the columns alone, never from the rows at hand,
    so that every fold has the same ones. `fill_empty` fills only columns that have no
    value at all in the training rows, for learners that deal with other missing values themselves.

    >>> table_preparer(Columns(["number"], ["x"], "array"), scale=True)
    Pipeline(steps=[('impute', SimpleImputer(keep_empty_features=True, strategy='median')),
                    ('scale', StandardScaler())])
    >>> table_preparer(Columns(["number"], ["x"], "array"), scale=False, impute=False) is None
    True
    """
    if columns.container == "sparse":
        steps = [_dense_step()] if dense else []
        return _chain([*steps, *_number_steps(scale=scale, impute=impute, fill_empty=fill_empty, sparse=not dense)])
    number_steps = _number_steps(scale=scale, centre=columns.is_far, impute=impute, fill_empty=fill_empty)
    shares = zip(columns.names, columns.missing, strict=False)
    marked = [name for name, share in shares if impute and OFTEN_MISSING <= share < 1]
    if not marked and (columns.container == "array" or all(kind == "number" for kind in columns.kinds)):
        return _chain(number_steps)
    groups = _groups(columns, categories)
    parts = {
        "numbers": (_chain(_fresh(number_steps)), groups["number"]),
        "booleans": (_chain([_function_step(booleans_as_numbers), *_fresh(number_steps)]), groups["boolean"]),
        "dates": (_chain([_date_step(), *_fresh(number_steps)]), groups["date"]),
        "gaps": (_chain([_function_step(gaps_as_numbers)]), marked),
        "texts": (_chain(_text_steps(words=words, scale=scale)) if columns.free else None, list(columns.free)),
        "means": (_chain(_mean_steps(columns.is_classification, scale=scale)), groups["many"]),
        "categories": (_chain(_category_steps(categories)), groups["few"]),
    }
    is_sparse = words and bool(columns.free)
    return _by_column({part: found for part, found in parts.items() if found[1]}, categories, is_sparse=is_sparse)


def booleans_as_numbers(X: Any) -> FloatArray:
    """False, True and missing as 0, 1 and NaN.

    >>> import pandas as pd
    >>> booleans_as_numbers(pd.DataFrame({"a": [True, None]})).tolist()
    [[1.0], [nan]]
    """
    return X.astype("float64").to_numpy(dtype="float64", na_value=float("nan"))  # type: ignore[no-any-return]


# The names of these functions and of the steps are in keys of fits and in model files.
def gaps_as_numbers(X: Any) -> FloatArray:
    """One where a value is missing, zero elsewhere."""
    return X.isna().to_numpy(dtype="float64")  # type: ignore[no-any-return]


def text_without_gaps(X: Any) -> AnyArray:
    """Text and categories as text, with a word of its own for what is missing."""
    return X.astype(object).where(X.notna(), MISSING).map(str).to_numpy(dtype=object)  # type: ignore[no-any-return]


def text_with_gaps(X: Any) -> AnyArray:
    """Text and categories as text, NaN where missing."""
    texts = X.astype(object).map(str, na_action="ignore")
    return texts.where(X.notna(), float("nan")).to_numpy(dtype=object)  # type: ignore[no-any-return]


def as_dense(X: Any) -> FloatArray:
    """A sparse table with its zeros written out, for learners that need them."""
    return X.toarray() if hasattr(X, "toarray") else X  # type: ignore[no-any-return]


def _container(X: Any) -> Container:
    if hasattr(X, "iloc"):
        return "frame"
    return "sparse" if hasattr(X, "tocsr") else "array"


def _groups(columns: Columns, categories: Categories) -> dict[str, list[str]]:
    """The columns by what is done to them; text and categories by how many values they have."""
    # where values hardly repeat, codes would be learnt by heart and every new value sent to one arbitrary side
    codes = MOST_CODES if columns.rows is None else min(MOST_CODES, columns.rows * MOST_NEW)
    most = {"encode": MOST_COLUMNS, "native": codes, "text": float("inf")}[categories]
    counts = columns.distinct or [0] * len(columns.names)
    found: dict[str, list[str]] = {"number": [], "boolean": [], "date": [], "few": [], "many": []}
    for name, kind, count in zip(columns.names, columns.kinds, counts, strict=True):
        if name in columns.free:
            continue
        found[("few" if count <= most else "many") if kind in LABELLED else kind].append(name)
    return found


def _number_steps(*, scale: bool, impute: bool, fill_empty: bool, centre: bool = False, sparse: bool = False) -> Steps:
    from sklearn.impute import SimpleImputer
    from sklearn.preprocessing import RobustScaler, StandardScaler

    steps: Steps = []
    if impute:
        # a column that is empty in one fold must stay, or folds would have different columns
        steps.append(("impute", SimpleImputer(strategy="median", keep_empty_features=True)))
    elif fill_empty and not sparse:
        from foldwise.learners.preprocessing.empty_columns import EmptyColumnFiller

        steps.append(("fill", EmptyColumnFiller()))
    if centre:
        steps.append(("centre", RobustScaler(with_scaling=False)))
    if scale:
        steps.append(("scale", StandardScaler(with_mean=not sparse)))
    return steps


def _date_step() -> tuple[str, Any]:
    from foldwise.learners.preprocessing.date_parts import DateParts

    return "parts", DateParts()


def _mean_steps(is_classification: bool, *, scale: bool) -> Steps:
    from sklearn.preprocessing import StandardScaler

    from foldwise.learners.preprocessing.category_means import CategoryMeans

    steps = [_function_step(text_without_gaps), ("means", CategoryMeans(is_classification))]
    return [*steps, ("scale", StandardScaler())] if scale else steps


def _text_steps(*, words: bool, scale: bool) -> Steps:
    from foldwise.learners.preprocessing.text_words import FACTORS, TextWords

    return [("words", TextWords() if words else TextWords(FACTORS, scaled=scale))]


def _category_steps(categories: Categories) -> Steps:
    from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder

    if categories == "text":
        return [_function_step(text_without_gaps)]
    if categories == "native":
        nan = float("nan")
        encoder = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=nan, encoded_missing_value=nan)
        return [_function_step(text_with_gaps), ("codes", encoder)]
    encoder = OneHotEncoder(handle_unknown="infrequent_if_exist", min_frequency=RARE, sparse_output=False)
    return [_function_step(text_without_gaps), ("encode", encoder)]


def _by_column(parts: dict[str, tuple[Any, list[str]]], categories: Categories, *, is_sparse: bool = False) -> Any:
    from foldwise.learners.preprocessing.table_columns import NativeColumns, TableColumns

    transformers = [(part, "passthrough" if step is None else step, names) for part, (step, names) in parts.items()]
    is_framed = categories != "encode" and "categories" in parts
    return (NativeColumns if is_framed else TableColumns)(transformers, sparse_threshold=float(is_sparse))


def _function_step(function: Any) -> tuple[str, Any]:
    from sklearn.preprocessing import FunctionTransformer

    return "convert", FunctionTransformer(function, feature_names_out="one-to-one")


def _dense_step() -> tuple[str, Any]:
    from sklearn.preprocessing import FunctionTransformer

    return "dense", FunctionTransformer(as_dense, accept_sparse=True, feature_names_out="one-to-one")


def _fresh(steps: Steps) -> Steps:
    from sklearn.base import clone

    return [(name, clone(step)) for name, step in steps]


def _chain(steps: Steps) -> Any:
    from sklearn.pipeline import Pipeline

    return Pipeline(steps) if steps else None
