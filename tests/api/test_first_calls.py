"""What users type first, and what they see: api/calls.py, api/options.py, data/tables.py."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.stats import loguniform
from sklearn.datasets import load_diabetes
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.linear_model import Lasso, LinearRegression, LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV, HalvingGridSearchCV, RandomizedSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import foldwise as fw
from foldwise.errors import FoldwiseError

QUICK = {"outer": 3, "inner": 2, "jobs": 1}
LINE = {"learners": "linear", **QUICK}
GRID = {"alpha": [0.1, 10.0]}


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    rng = np.random.default_rng(3)
    table = pd.DataFrame(rng.normal(size=(42, 3)), columns=["size", "age", "rooms"])
    return table.assign(price=2 * table["size"] + rng.normal(size=42))


@pytest.fixture
def here(frame, tmp_path, monkeypatch) -> Path:
    """A folder with a table, and what is none."""
    monkeypatch.chdir(tmp_path)
    frame.to_csv("homes.csv", index=False)
    Path("empty.csv").write_text("")
    Path("header.csv").write_text("size,price\n")
    Path("folder").mkdir()
    return tmp_path


def names(result: fw.Result) -> list[str]:
    return [method["name"] for method in result.to_dict()["methods"]]


# Right calls of the same study: what is typed, with X, y, the frame and learners at hand.
SAME = {
    "compare(learners, X, y)": lambda X, y, f, L: fw.compare(L, X, y, **QUICK),
    "compare(X, y, learners=)": lambda X, y, f, L: fw.compare(X, y, learners=L, **QUICK),
    "compare(X, learners=, y=)": lambda X, y, f, L: fw.compare(X, learners=L, y=y, **QUICK),
    "compare(learners, X=, y=)": lambda X, y, f, L: fw.compare(L, X=X, y=y, **QUICK),
    "compare(learners, X, y=)": lambda X, y, f, L: fw.compare(L, X, y=y, **QUICK),
    "compare(y, X=, learners=)": lambda X, y, f, L: fw.compare(y, X=X, learners=L, **QUICK),
    "compare(X=, y=, learners=)": lambda X, y, f, L: fw.compare(X=X, y=y, learners=L, **QUICK),
    "compare(frame, name)": lambda X, y, f, L: fw.compare(f, "price", learners=L, **QUICK),
    "compare(learners, frame, name)": lambda X, y, f, L: fw.compare(L, f, "price", **QUICK),
    "compare(file, name)": lambda X, y, f, L: fw.compare("homes.csv", "price", learners=L, **QUICK),
    "compare(path, name)": lambda X, y, f, L: fw.compare(Path("homes.csv"), "price", learners=L, **QUICK),
    "compare(learners, file, name)": lambda X, y, f, L: fw.compare(L, "homes.csv", "price", **QUICK),
    "compare(dict of columns, name)": lambda X, y, f, L: fw.compare(f.to_dict("list"), "price", learners=L, **QUICK),
    "compare(polars, name)": lambda X, y, f, L: fw.compare(pl.from_pandas(f), "price", learners=L, **QUICK),
    "compare(X, frame of one column)": lambda X, y, f, L: fw.compare(X, f[["price"]], learners=L, **QUICK),
}


@pytest.mark.few(6)
@pytest.mark.parametrize("call", SAME.values(), ids=SAME)
def test_the_forms_of_a_call_ask_the_same_and_answer_what_a_loop_answers(call, frame, here):
    X, y = frame.drop(columns="price"), frame["price"]
    result = call(X, y, frame, {"line": LinearRegression()})

    folds = [part for _, part in result.splits().query("level == 'outer'").groupby("fold")]
    cut = [tuple(fold.loc[fold["part"] == side, "row"].to_numpy() for side in ("train", "test")) for fold in folds]
    by_hand = -cross_val_score(LinearRegression(), X, y, cv=cut, scoring="neg_mean_squared_error").mean()
    assert names(result) == ["line", "baseline"]
    assert result.to_dict()["methods"][0]["risk"] == pytest.approx(by_hand, rel=1e-10)


def test_no_learners_are_the_default_ones(frame):
    asked = fw.plan(frame, "price", outer=3, inner=2, budget=2, pilot=False)
    trees = ["tree", "forest", "extra-trees", "boosting"]
    assert [method["name"] for method in asked.methods] == [
        "ridge",
        "k-nn",
        *trees,
        "kernel-ridge",
        "blend",
        "baseline",
    ]
    assert fw.plan("diabetes", outer=3, inner=2, budget=2, pilot=False).rows == 442


def test_lists_are_a_table(frame):
    X, y = frame.drop(columns="price").to_numpy().tolist(), frame["price"].tolist()
    assert names(fw.compare(X, y, **LINE)) == ["linear", "baseline"]


def test_a_built_in_set_knows_its_target(frame):
    for result in (
        fw.compare("diabetes", **LINE),
        fw.compare("linear", "diabetes", **QUICK),
        fw.compare(["linear"], X="diabetes", **QUICK),
        fw.compare("linear", "diabetes", "target", **QUICK),
    ):
        assert result.to_dict()["rows"] == 442
    patients = frame.rename(columns={"price": "diabetes"})  # a column of that name is a column
    assert fw.compare(patients, "diabetes", **LINE).to_dict()["rows"] == 42
    assert fw.compare("linear", patients, "diabetes", **QUICK).to_dict()["rows"] == 42


LEARNERS = {
    "a name": ("linear", ["linear"]),
    "an estimator": (Ridge(), ["Ridge"]),
    "a list": (["linear", Ridge(), Ridge(2.0)], ["linear", "Ridge", "Ridge 2"]),
    "a dictionary": ({"a": Ridge(), "b": "linear"}, ["a", "b"]),
    "a pair": (("mine", Ridge()), ["mine"]),
    "pairs": ([("a", Ridge()), ("b", "linear"), Lasso()], ["a", "b", "Lasso"]),
    "a tuple of names": (("linear", "ridge:small"), ["linear", "ridge:small"]),
    "a pipeline": (make_pipeline(StandardScaler(), Ridge()), ["Ridge"]),
    "searches": (
        [
            ("grid", GridSearchCV(Ridge(), GRID, cv=2)),
            ("random", RandomizedSearchCV(Ridge(), {"alpha": loguniform(0.1, 10)}, n_iter=2, cv=2)),
            ("halving", HalvingGridSearchCV(Ridge(), GRID, cv=2)),
        ],
        ["grid", "random", "halving"],
    ),
    "tuned as by GridSearchCV": (fw.tune(Ridge(), GRID), ["Ridge"]),
    "tuned over blocks": (fw.tune(Ridge(), [GRID, {"fit_intercept": [False]}]), ["Ridge"]),
    "tuned over a distribution": (fw.tune(Ridge(), {"alpha": loguniform(0.1, 10)}, budget=2), ["Ridge"]),
}


@pytest.mark.few(6)
@pytest.mark.parametrize(("learners", "expected"), LEARNERS.values(), ids=LEARNERS)
def test_learners_come_in_every_usual_form(learners, expected, frame):
    assert names(fw.compare(learners, frame, "price", **QUICK))[: len(expected)] == expected


OTHERS = {
    "risk": lambda f: fw.risk(Ridge(), f, "price", outer=3).value,
    "risk of a file": lambda f: fw.risk("linear", "homes.csv", "price", outer=3).value,
    "risk by keyword": lambda f: fw.risk(f, "price", learner=Ridge(), outer=3).value,
    "risk of a set": lambda f: fw.risk(Ridge(), "diabetes", outer=3).value,
    "curve": lambda f: fw.curve(Ridge(), "homes.csv", "price", alpha=[0.1, 1.0], outer=3).test[0],
    "curve by keyword": lambda f: fw.curve(f, "price", learner=Ridge(), alpha=[0.1, 1.0], outer=3).test[0],
    "learning curve": lambda f: fw.learning_curve(Ridge(), f, "price", outer=3, sizes=[0.5, 1.0]).test[0],
    "learning curve of a set": lambda f: fw.learning_curve(Ridge(), "diabetes", outer=3, sizes=[1.0]).test[0],
    "plan": lambda f: fw.plan("linear", "homes.csv", "price", outer=3, pilot=False).fits,
    "split": lambda f: len(fw.split("homes.csv", "price").train.rows),
    "split of a set": lambda f: len(fw.split("iris").train.rows),
    "test_risk": lambda f: fw.test_risk(Ridge().fit(f[["size"]], f["price"]), f[["size", "price"]], "price").value,
    "test_risk of a file": lambda f: (
        fw.test_risk(Ridge().fit(f.drop(columns="price"), f["price"]), "homes.csv", "price").value
    ),
    "test_risk of a set": lambda f: fw.test_risk(Ridge().fit(*diabetes()), "diabetes").value,
}


def diabetes() -> tuple[pd.DataFrame, pd.Series]:
    return load_diabetes(return_X_y=True, as_frame=True)


@pytest.mark.few(7)
@pytest.mark.parametrize("call", OTHERS.values(), ids=OTHERS)
def test_the_other_questions_take_the_same_words(call, frame, here):
    assert call(frame) > 0


def number(f):
    return f.drop(columns="price"), f["price"]


def words(f):
    return f.drop(columns="price"), np.where(f["price"] > 0, "dear", "cheap")


def rare(f):
    return f.drop(columns="price"), np.where(np.arange(42) < 41, "a", "b")


# Wrong calls: what is typed, and the sentence.
WRONG = {
    "nothing": (lambda f: fw.compare(), "there are no data. Give X and y, as in fw.compare(learners, X, y)."),
    "learners alone": (lambda f: fw.compare([Ridge()]), "there are no data. Give X and y"),
    "a frame alone": (
        lambda f: fw.compare(f),
        'there is no target. Name one of the columns: size, age, rooms, price (y="COLUMN").',
    ),
    "an array alone": (lambda f: fw.compare(f.to_numpy()), "there is no target. Give y, one value for each row of X."),
    "a file alone": (lambda f: fw.compare("homes.csv"), "Name one of the columns: size, age, rooms, price"),
    "learners and a file": (lambda f: fw.compare("linear", "homes.csv"), "there is no target. Name one of the columns"),
    "learners and X=": (lambda f: fw.compare(["linear"], X=f), "there is no target. Name one of the columns"),
    "a misspelt set": (lambda f: fw.compare("diabets"), "built-in set 'diabets'. Did you mean 'diabetes'?"),
    "four": (lambda f: fw.compare("linear", *number(f), 5), "4 arguments without a name. Write fw.compare(learners, X"),
    "twice": (
        lambda f: fw.compare("linear", *number(f), learners="linear"),
        "3 arguments without a name besides learners=",
    ),
    "a set and more": (lambda f: fw.compare("linear", "x", "iris", y="t"), "3 arguments without a name besides y="),
    "swapped": (lambda f: fw.compare(*number(f)[::-1]), "X is one column and y is a table of 3: they seem to be swa"),
    "a swapped file": (lambda f: fw.compare("price", "homes.csv"), "and y is the file 'homes.csv': they seem to be"),
    "a swapped name": (lambda f: fw.compare("price", f), "X is 'price', which is no file, and y is a table of 4"),
    "learners last": (lambda f: fw.compare(*number(f), Ridge()), "the learners last. Write fw.compare(learners, X, y)"),
    "a class": (
        lambda f: fw.compare(Ridge, *number(f)),
        "is the class Ridge",
    ),
    "a class to tune": (lambda f: fw.tune(Ridge, GRID), "fw.tune needs an estimator object, not the class Ridge"),
    "a misspelt learner": (lambda f: fw.compare("rigde", f, "price"), "learner 'rigde'. Did you mean 'ridge'?"),
    "a misspelt parameter": (lambda f: fw.tune(Ridge(), {"alhpa": [1]}), "parameter 'alhpa'. Did you mean 'alpha'?"),
    "a misspelt column": (lambda f: fw.compare(f, "prise"), "no column 'prise' for the target. Did you mean 'price'?"),
    "a misspelt group": (lambda f: fw.compare(f, "price", groups="roms"), "for groups. Did you mean 'rooms'?"),
    "an unknown column": (lambda f: fw.compare(f, "zzz"), "'zzz' for the target. Known are: age, price, rooms, size."),
    "a place for a name": (
        lambda f: fw.compare(f, 3),
        "the target is 3, not a column of values. Give one value per ro",
    ),
    "the place of a column without a name": (
        lambda f: fw.compare(f.set_axis(range(f.shape[1]), axis=1), 3),
        "the target is 3, not a column of values. Write 'x3', the name of that column here",
    ),
    "a short target": (lambda f: fw.compare(f[["size"]], f["price"][:40]), "the target has 40 rows, but X has 42"),
    "two targets": (
        lambda f: fw.compare(f[["size"]], f[["age", "price"]]),
        "the target has 2 columns. Give one column",
    ),
    "an address": (
        lambda f: fw.compare("https://example.org/homes.csv", "price"),
        "'https://example.org/homes.csv' is an address, and data are read from files only. Download it",
    ),
    "a folder": (lambda f: fw.compare("folder", "price"), "'folder' is a folder. Name one file in it."),
    "no such file": (lambda f: fw.compare("home.csv", "price"), "no file 'home.csv'. Did you mean 'homes.csv'?"),
    "an empty file": (lambda f: fw.compare("empty.csv", "price"), "'empty.csv' is empty"),
    "no rows": (lambda f: fw.compare("header.csv", "price"), "the table has no rows. Give at least two rows."),
    "an empty frame": (lambda f: fw.compare(f[:0], "price"), "the table has no rows"),
    "only a target": (lambda f: fw.compare(f[["price"]], "price"), "the table has no feature column left"),
    "a regressor of classes": (
        lambda f: fw.compare(Ridge(), *words(f)),
        "learner 'Ridge' is for regression, but the target holds text",
    ),
    "a classifier of numbers": (
        lambda f: fw.compare("logistic", *number(f)),
        "learner 'logistic' is for classification, but the target is continuous: it has numbers that are not whole",
    ),
    "one learner of two for numbers": (
        lambda f: fw.compare([LogisticRegression(), Ridge()], *number(f)),
        "learner 'LogisticRegression' is a classifier, but the task is regression. Use a regressor",
    ),
    "a loss of classes": (
        lambda f: fw.compare(*number(f), loss="accuracy"),
        "the loss 'accuracy' is for classification, but the target is continuous: it has numbers",
    ),
    "a loss of numbers": (
        lambda f: fw.compare(*words(f), loss="rmse"),
        "loss 'rmse' is for regression, but the target",
    ),
    "one row of a class": (
        lambda f: fw.compare(*rare(f), learners="logistic"),
        "class 'b' has 1 row. Give more data, join it with another class, or leave its rows out.",
    ),
    "too many folds": (
        lambda f: fw.compare(*rare(f), learners="logistic", outer=10),
        "class 'b' has 1 row. Drop or join class 'b', or stratify=False.",
    ),
    "no learner for a risk": (
        lambda f: fw.risk(f, "price"),
        "of one learner, and there is none. Write fw.risk(learner",
    ),
    "two learners for a risk": (
        lambda f: fw.risk(["linear", "ridge"], f, "price"),
        "of one learner, not of 2. Use fw.c",
    ),
    "no learner for a curve": (
        lambda f: fw.curve(f, "price", alpha=[1]),
        "fw.curve is of one learner, and there is non",
    ),
    "no parameter of a curve": (lambda f: fw.curve(Ridge(), f, "price"), "a curve is over one parameter, not 0"),
    "no target of a test": (lambda f: fw.test_risk(Ridge(), f), "there is no target. Name one of the columns"),
    "a set of learners": (lambda f: fw.compare({"linear", "ridge"}, f, "price"), "are a set, which has no order"),
}


@pytest.mark.parametrize(("call", "sentence"), WRONG.values(), ids=WRONG)
def test_a_wrong_call_is_answered_with_its_cause_and_a_way_out(call, sentence, frame, here):
    with pytest.raises(FoldwiseError) as refused:
        call(frame)
    assert sentence in str(refused.value)
    assert len(str(refused.value).splitlines()) == 1


# A keyword of other libraries, and what of ours the sentence has to name.
KEYWORDS = {
    "scoring": "loss=", "metric": "loss=", "cv": "inner=", "n_splits": "outer=", "n_repeats": "repeats=",
    "n_jobs": "jobs=", "random_state": "seed=", "sample_weight": "weights=", "estimator": "learners",
    "param_grid": "fw.tune(estimator", "n_iter": "budget=", "test_size": "outer=0.2", "verbose": "progress=",
    "features": "X=", "data": "X=", "target": "y=", "pos_label": "positive=", "timeout": "time_limit=",
    "dropna": "drop_missing_target=", "lsos": "Did you mean 'loss'?",
}  # fmt: skip


@pytest.mark.parametrize("word", KEYWORDS)
@pytest.mark.parametrize("function", [fw.compare, fw.plan], ids=["compare", "plan"])
def test_a_word_of_other_libraries_is_answered_with_ours(function, word, frame):
    with pytest.raises(TypeError, match=f"has no '{word}'") as refused:
        function(frame, "price", **{word: 1})
    assert isinstance(refused.value, FoldwiseError)
    assert KEYWORDS[word] in str(refused.value)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda f: fw.risk(f, "price", model=Ridge()), "Write the learner first, or learner="),
        (lambda f: fw.risk(Ridge(), f, "price", cv=5), "outer=10 for the splits that estimate the risk and inner=5"),
        (lambda f: fw.curve(Ridge(), f, "price", alpha=[1], cv=5), "fw.curve has no 'cv'. Write outer=10"),
        (lambda f: fw.curve(Ridge(), f, "price", param_name="alpha"), "Write the parameter as a keyword"),
        (lambda f: fw.learning_curve(Ridge(), f, "price", train_sizes=[1]), "Write sizes="),
        (
            lambda f: fw.tune(Ridge(), param_grid=GRID),
            "fw.tune has no 'param_grid'. Write the space after the estimator",
        ),
        (lambda f: fw.tune(Ridge(), GRID, cv=5), "fw.tune has no 'cv'. Write inner=5"),
        (lambda f: fw.tune(Ridge(), GRID, n_iter=5), "Write budget=50"),
        (lambda f: fw.split(f, "price", test_size=0.2), "Write test=0.2"),
        (lambda f: fw.test_risk(Ridge(), f, "price", scoring="r2"), "Write loss="),
    ],
)
def test_the_other_functions_know_the_words_too(call, sentence, frame):
    with pytest.raises(TypeError) as refused:
        call(frame)
    assert sentence in str(refused.value)


def test_a_word_that_is_a_parameter_of_the_learner_is_that_parameter():
    from sklearn.linear_model import RidgeCV

    assert fw.tune(RidgeCV(), cv=[2, 3]).space == {"cv": [2, 3]}


def test_rows_without_a_target_are_counted_and_left_out_when_asked(frame):
    holes = frame.copy()
    holes.loc[[3, 5], "price"] = np.nan

    with pytest.raises(FoldwiseError, match=r"in 2 rows \(first: row 3, .*Leave these rows out with drop_missing_targ"):
        fw.compare(holes, "price", **LINE)
    dropped = fw.compare(holes, "price", drop_missing_target=True, **LINE).to_dict()
    by_hand = fw.compare(holes.dropna(), "price", **LINE).to_dict()

    assert dropped["methods"][0]["risk"] == by_hand["methods"][0]["risk"]
    assert dropped["fingerprint"] == by_hand["fingerprint"]
    told = {note["code"]: note["text"] for note in dropped["notes"]}
    assert told["missing_target"] == "2 of 42 rows have no target and are left out; row numbers count the others"
    estimate = fw.risk("linear", holes, "price", drop_missing_target=True, outer=3)
    assert [code for code, _ in estimate.notes].count("missing_target") == 1
