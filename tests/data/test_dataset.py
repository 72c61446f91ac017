"""Data sets from every kind of table (data/tables.py): the same columns, types and fingerprint."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from foldwise.data.dataset import make_dataset
from foldwise.errors import BadData

TEXT = "str" if pd.__version__ >= "3" else "object"  # what pandas keeps text in

NAMES = ["x0", "x1", "x2"]
X = np.array([[1.0, 0, 2], [0, 0, 3], [4, 0, 0], [0, 5, 6]])
Y = np.array([0.5, 1.5, -2, 3])

SAME_NUMBERS = {
    "list": X.tolist(),
    "int array": X.astype(int),
    "float32 array": X.astype(np.float32),
    "fortran array": np.asfortranarray(X),
    "object array": X.astype(object),
    "matrix without zeros' sign": np.where(X == 0, -0.0, X),
    "masked": np.ma.masked_invalid(X),
    "csr": sparse.csr_matrix(X),
    "csc array": sparse.csc_array(X),
    "coo": sparse.coo_matrix(X.astype(int)),
    "pandas nameless": pd.DataFrame(X),
    "pandas": pd.DataFrame(X, columns=NAMES),
    "pandas index": pd.DataFrame(X, columns=NAMES, index=list("dcba")),
    "pandas nullable": pd.DataFrame(X, columns=NAMES).convert_dtypes(),
    "pandas arrow": pd.DataFrame(X, columns=NAMES).astype("int64[pyarrow]"),
    "polars": pl.DataFrame(X, schema=NAMES),
    "arrow": pa.table(dict(zip(NAMES, X.T, strict=True))),
    "dict": dict(zip(NAMES, X.T, strict=True)),
}


@pytest.mark.parametrize("table", SAME_NUMBERS.values(), ids=SAME_NUMBERS)
def test_the_same_numbers_have_the_same_fingerprint_in_every_container(table):
    data = make_dataset(table, Y)
    assert data.fingerprint == make_dataset(X, Y).fingerprint
    assert data.names == tuple(NAMES)
    assert data.kinds == ("number",) * 3
    taken = data.take([3, 0])
    np.testing.assert_array_equal(taken.toarray() if sparse.issparse(taken) else np.asarray(taken), X[[3, 0]])


def mixed_pandas() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "n": [1, 2, 3],
            "b": [True, False, True],
            "t": ["x", None, "y"],
            "k": pd.Categorical(["v", "u", None]),
            "d": pd.to_datetime(["2020-01-01", None, "2021-05-05"]),
        }
    )


def mixed_others() -> list[object]:
    frame = pl.DataFrame(
        {
            "n": [1, 2, 3],
            "b": [True, False, True],
            "t": ["x", None, "y"],
            "k": ["v", "u", None],
            "d": ["2020-01-01", None, "2021-05-05"],
        }
    ).with_columns(pl.col("k").cast(pl.Categorical), pl.col("d").str.to_date())
    old_text = mixed_pandas().astype({"t": object, "k": TEXT})
    return [frame, frame.to_arrow(), old_text]


def test_mixed_frames_have_the_same_fingerprint_and_the_same_columns():
    data = make_dataset(mixed_pandas(), [1.5, 2, 3])
    assert data.kinds == ("number", "boolean", "text", "category", "date")
    assert [str(dtype) for dtype in data.X.dtypes] == ["float64", "bool", TEXT, "category", "datetime64[us]"]
    for table in mixed_others():
        other = make_dataset(table, [1.5, 2, 3])
        assert other.fingerprint == data.fingerprint
        if other.kinds == data.kinds:
            pd.testing.assert_frame_equal(other.X, data.X)


def test_an_object_array_with_text_becomes_a_frame():
    data = make_dataset([[1, "a"], [2, "b"], [None, "a"]], [1.5, 2, 3])
    assert data.kinds == ("number", "text")
    assert list(data.X.columns) == ["x0", "x1"]
    np.testing.assert_array_equal(data.X["x0"], [1, 2, np.nan])


def fingerprints_of_changes() -> dict[str, str]:
    frame, target = mixed_pandas(), [1.5, 2.0, 3.0]
    cells = {"n": 9, "b": True, "t": "z", "k": "v", "d": pd.Timestamp("2020-01-02")}
    changed = {
        f"cell of {name}": frame.astype(object).assign(**{name: [*frame[name][:1], value, *frame[name][2:]]})
        for name, value in cells.items()
    }
    tables = {
        "nothing": frame,
        **changed,
        "name": frame.rename(columns={"n": "m"}),
        "row order": frame.iloc[[1, 0, 2]],
        "column order": frame[["b", "n", "t", "k", "d"]],
        "boolean to number": frame.astype({"b": int}),
        "fewer columns": frame[["n", "b", "t", "k"]],
    }
    return {
        **{name: make_dataset(table, target).fingerprint for name, table in tables.items()},
        "target": make_dataset(frame, [1.5, 2.0, 4.0]).fingerprint,
        "target as classes": make_dataset(frame, ["a", "b", "a"]).fingerprint,
        "positive class": make_dataset(frame, ["a", "b", "a"], positive="a").fingerprint,
    }


def test_every_change_of_contents_changes_the_fingerprint():
    found = fingerprints_of_changes()
    assert len(set(found.values())) == len(found)


@given(st.integers(2, 30), st.integers(1, 4), st.integers(0, 5), st.randoms(use_true_random=False))
def test_one_changed_cell_changes_the_fingerprint_in_dense_and_sparse_tables(rows, columns, filled, random):
    table = np.zeros((rows, columns))
    for _ in range(filled):
        table[random.randrange(rows), random.randrange(columns)] = random.choice([1.0, np.nan, 2.5])
    target = np.arange(rows) + 0.5
    before = make_dataset(table, target).fingerprint
    assert make_dataset(sparse.csr_matrix(table), target).fingerprint == before
    table[random.randrange(rows), random.randrange(columns)] += 7
    if not np.isnan(table).any():
        assert make_dataset(table, target).fingerprint != before


def test_roles_may_be_columns_which_then_leave_the_features():
    frame = pd.DataFrame(
        {
            "a": [1, 2, 3],
            "y": [0.5, 1, 2],
            "g": ["q", "p", "q"],
            "w": [1, 0, 2],
            "when": ["2020-01-03", "2020-01-01", "2020-01-02"],
        }
    )
    for table in (frame, pl.from_pandas(frame), pa.Table.from_pandas(frame)):
        data = make_dataset(table, "y", groups="g", weights="w", time="when", stratify="g")
        assert data.names == ("a",)
        assert data.groups is not None
        assert data.groups.tolist() == data.strata.tolist() == [1, 0, 1]
        assert data.weights.tolist() == [1, 0, 2]
        assert np.argsort(data.time).tolist() == [1, 2, 0]


def test_given_columns_match_by_position_whatever_holds_them():
    frame = pd.DataFrame({"a": [1, 2, 3]}, index=[2, 1, 0])
    targets = [
        [1, 2.5, 3],
        np.array([[1], [2.5], [3]]),
        pd.Series([1, 2.5, 3], index=[5, 6, 7]),
        pd.DataFrame({"y": [1, 2.5, 3]}),
        pl.Series([1.0, 2.5, 3]),
        pa.chunked_array([[1, 2.5, 3]]),
        (1, 2.5, 3),
        pl.DataFrame({"y": [1.0, 2.5, 3]}),
    ]
    for target in targets:
        assert make_dataset(frame, target).y.tolist() == [1, 2.5, 3]


def test_dropped_columns_are_gone_and_reach_neither_names_nor_fingerprint():
    frame = pd.DataFrame({"a": [1, 2], "b": [3, 4], "c": [5, 6]})
    assert make_dataset(frame, [0.5, 1], drop="b").fingerprint == make_dataset(frame[["a", "c"]], [0.5, 1]).fingerprint
    assert make_dataset(X, Y, drop=["x1"]).X.tolist() == X[:, [0, 2]].tolist()
    assert make_dataset(sparse.csr_matrix(X), Y, drop=["x1"]).X.toarray().tolist() == X[:, [0, 2]].tolist()


def test_classes_are_sorted_labels_and_the_positive_one_is_last():
    data = make_dataset(X, ["b", "a", "b", "b"])
    assert (data.task, data.classes, data.codes.tolist(), data.strata.tolist()) == (
        "binary",
        ("a", "b"),
        [1, 0, 1, 1],
        [1, 0, 1, 1],
    )
    assert data.y.dtype == object
    turned = make_dataset(X, ["b", "a", "b", "b"], positive="a")
    assert (turned.classes, turned.target.tolist()) == (("b", "a"), [0, 1, 0, 0])
    assert make_dataset(X, [0, 1, 0, 1], positive="0").classes == (1, 0)


def test_labels_keep_their_type():
    assert make_dataset(X, [0.0, 1.0, 1, 0]).y.dtype == np.int64
    assert make_dataset(X, [True, False, True, True]).classes == (False, True)
    numbers = make_dataset(X, pd.Series([3, 5, 3, 8], dtype="category"))
    assert (numbers.task, numbers.classes) == ("multiclass", (3, 5, 8))
    assert make_dataset(pd.DataFrame(X).assign(y=pd.Categorical([1, 2, 1, 2])), "y").classes == (1, 2)
    bands = pd.cut(pd.Series([1.0, 2.0, 3.0, 4.0]), [0, 2, 4])
    assert make_dataset(X, bands).classes == make_dataset(X, bands.astype(str)).classes == ("(0, 2]", "(2, 4]")


def test_stratify_follows_the_task_unless_told_otherwise():
    labels = ["b", "a", "b", "a"]
    assert make_dataset(X, Y).strata is None
    assert make_dataset(X, labels, stratify=False).strata is None
    assert make_dataset(X, labels, stratify=True).strata.tolist() == [1, 0, 1, 0]
    assert make_dataset(X, Y, stratify=[5, 5, 2, 2]).strata.tolist() == [1, 1, 0, 0]
    with pytest.raises(BadData, match="stratify=True needs classes, but the task is regression"):
        make_dataset(X, Y, stratify=True)


@pytest.mark.parametrize(
    "table", [X, sparse.csr_matrix(X), pd.DataFrame(X), mixed_pandas()], ids=["array", "csr", "frame", "mixed"]
)
@pytest.mark.parametrize("part", ["all", "some", "repeated"])
def test_take_gives_a_fresh_writable_copy_of_the_same_container(table, part):
    data = make_dataset(table, np.arange(table.shape[0]) + 0.5)
    rows = {"all": np.arange(data.rows), "some": [0, 2], "repeated": [0, 0, 1]}[part]
    before, taken = data.take(rows), data.take(rows)
    assert type(taken) is type(data.X)
    if isinstance(taken, pd.DataFrame):
        assert list(taken.index) == list(range(len(rows)))
        taken.loc[0, taken.columns[0]] = 99.0
        pd.testing.assert_frame_equal(data.take(rows), before)
        assert not np.shares_memory(before.iloc[:, 0].to_numpy(), data.X.iloc[:, 0].to_numpy())
    else:
        taken[0, 0] = 99.0
        assert (data.take(rows) != before).sum() == 0


def test_number_frames_and_arrays_give_learners_the_same_memory_order():
    taken = make_dataset(pd.DataFrame(X), Y).take([0, 2])
    assert np.asarray(taken).flags.c_contiguous
    assert make_dataset(np.asfortranarray(X), Y).take([0, 2]).flags.c_contiguous


def test_arrays_of_a_dataset_cannot_be_written_to():
    data = make_dataset(X, Y, weights=[1, 1, 1, 2])
    for array in (data.X, data.y, data.weights):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 7
    assert X.flags.writeable


def test_unknown_values_in_the_features_are_left_to_the_learners():
    data = make_dataset([[np.nan], [np.inf], [1]], [1.5, 2, 3])
    np.testing.assert_array_equal(data.X[:, 0], [np.nan, np.inf, 1])


def test_a_dataset_prints_on_one_line_with_its_size():
    assert repr(make_dataset(X, Y)) == "Dataset(4 rows x 3 columns, regression)"


FRAME = pd.DataFrame({"price": [1.0, 2, 3], "size": [1, 2, 4], "shop": ["a", None, "b"]})
REFUSED = {
    "no rows": (lambda: make_dataset(np.empty((0, 2)), []), "the table has no rows"),
    "one row": (lambda: make_dataset([[1, 2]], [1]), "the table has one row"),
    "one dimension": (lambda: make_dataset([1, 2], [1, 2]), r"X has 1 dimension, .*reshape\(-1, 1\)"),
    "three dimensions": (lambda: make_dataset(np.zeros((2, 2, 2)), [1, 2]), "X has 3 dimensions"),
    "series": (lambda: make_dataset(FRAME["size"], [1, 2, 3]), "X is one series.*to_frame"),
    "ragged": (lambda: make_dataset([[1, 2], [3]], [1, 2]), "X has 2 values in row 0 but 1 in row 1"),
    "not a table": (lambda: make_dataset(object(), [1]), "X is a object, which cannot be read"),
    "lazy frame": (lambda: make_dataset(pl.LazyFrame({"a": [1]}), [1]), r"LazyFrame.*collect\(\)"),
    "complex": (lambda: make_dataset(np.array([[1j], [2]]), [1, 2.5]), "column 'x0' holds complex numbers"),
    "complex sparse": (lambda: make_dataset(sparse.csr_matrix([[1j], [2]]), [1, 2.5]), "sparse matrix of complex128"),
    "nested": (
        lambda: make_dataset(pd.DataFrame({"a": [[1], [2]]}), [1, 2.5]),
        "column 'a' holds a value of type list in row 0",
    ),
    "nested polars": (
        lambda: make_dataset(pl.DataFrame({"a": [[1], [2]]}), [1, 2.5]),
        "column 'a' holds a value of type ndarray",
    ),
    "struct": (
        lambda: make_dataset(pl.DataFrame({"a": [{"b": 1}, {"b": 2}]}), [1, 2.5]),
        "column 'a' holds a value of type",
    ),
    "duplicate": (
        lambda: make_dataset(pd.DataFrame([[1, 2, 3]] * 2, columns=list("aab")), [1, 2.5]),
        "duplicate column names: 'a'",
    ),
    "duplicate after naming": (
        lambda: make_dataset(pd.DataFrame([[1, 2]] * 2, columns=[1, "1"]), [1, 2.5]),
        "duplicate column names: '1'",
    ),
    "duplicate arrow": (
        lambda: make_dataset(pa.table([[1, 2], [1, 2]], names=["a", "a"]), [1, 2.5]),
        "duplicate column names",
    ),
    "no target": (lambda: make_dataset(FRAME), "there is no target"),
    "no feature": (lambda: make_dataset(FRAME[["price"]], "price"), "no feature column left"),
    "unknown target": (lambda: make_dataset(FRAME, "prize"), "no column 'prize' for the target. Did you mean 'price'?"),
    "unknown groups": (
        lambda: make_dataset(FRAME, "price", groups="shp"),
        "no column 'shp' for groups. Did you mean 'shop'?",
    ),
    "unknown drop": (
        lambda: make_dataset(FRAME, "price", drop=["sise"]),
        "cannot drop column 'sise'.*Did you mean 'size'?",
    ),
    "name without names": (
        lambda: make_dataset(X, "y"),
        "the target is the column name 'y', but X has no column names",
    ),
    "several targets": (lambda: make_dataset(X, np.ones((4, 2))), "the target has 2 columns"),
    "short target": (lambda: make_dataset(X, [1, 2.5]), "the target has 2 rows, but X has 4"),
    "short groups": (lambda: make_dataset(X, Y, groups=[1]), "groups has 1 rows, but X has 4"),
    "short weights": (lambda: make_dataset(X, Y, weights=[1]), "weights has 1 rows, but X has 4"),
    "short time": (lambda: make_dataset(X, Y, time=[1, 2, 3]), "time has 3 rows, but X has 4"),
    "scalar weights": (lambda: make_dataset(X, Y, weights=3), "weights is 3, not a column"),
    "nan target": (
        lambda: make_dataset(X, [1, np.nan, 2, np.nan]),
        r"the target has missing values in 2 rows \(first: row 1",
    ),
    "none target": (
        lambda: make_dataset(X, ["a", "b", None, "a"]),
        r"the target has missing values in 1 row \(first: row 2",
    ),
    "inf target": (lambda: make_dataset(X, [1, 2, -np.inf, 3]), r"the target is infinite in 1 row \(first: row 2"),
    "date target": (lambda: make_dataset(X, np.arange(4).astype("datetime64[D]")), "the target holds dates"),
    "constant": (lambda: make_dataset(X, [2.5] * 4), "the target is constant: all 4 rows are 2.5"),
    "one class": (lambda: make_dataset(X, ["a"] * 4), "one class: all 4 rows are 'a'"),
    "missing groups": (
        lambda: make_dataset(FRAME, "price", groups="shop"),
        r"groups has missing values in 1 row \(first: row 1",
    ),
    "missing strata": (lambda: make_dataset(FRAME, "price", stratify="shop"), "stratify has missing values"),
    "positive unknown": (
        lambda: make_dataset(X, ["yes", "no", "yes", "no"], positive="yess"),
        "'yess' is not among the classes. Did you mean 'yes'?",
    ),
    "positive of regression": (
        lambda: make_dataset(X, Y, positive=1),
        "positive=1 needs a binary target, but the task is regression",
    ),
    "codes of regression": (lambda: make_dataset(X, Y).codes, "a regression target has no classes"),
}


@pytest.mark.parametrize(("make", "words"), REFUSED.values(), ids=REFUSED)
def test_tables_that_cannot_be_used_are_refused_in_words(make, words):
    with pytest.raises(BadData, match=words):
        make()


def test_labels_of_the_target_in_another_order_are_told():
    frame = pd.DataFrame({"a": np.arange(6.0)}, index=list("abcdef"))
    y = pd.Series(np.arange(6.0) % 4, index=list("bacdef"))
    assert [code for code, _ in make_dataset(frame, y).notes if code == "order"] == ["order"]
    assert not [code for code, _ in make_dataset(frame, y.reindex(frame.index)).notes if code == "order"]
    assert not [code for code, _ in make_dataset(frame, y.reset_index(drop=True)).notes if code == "order"]
