"""What is found wrong with a learner before any fit."""

from __future__ import annotations

import threading

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.calibration import CalibratedClassifierCV
from sklearn.cluster import KMeans
from sklearn.compose import TransformedTargetRegressor, make_column_transformer
from sklearn.dummy import DummyRegressor
from sklearn.ensemble import (
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestRegressor,
    StackingClassifier,
    StackingRegressor,
    VotingRegressor,
)
from sklearn.feature_selection import SelectKBest
from sklearn.impute import SimpleImputer
from sklearn.linear_model import Lasso, LassoCV, LogisticRegression, QuantileRegressor, Ridge, SGDClassifier
from sklearn.model_selection import GridSearchCV, GroupKFold, KFold, PredefinedSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, OrdinalEncoder, StandardScaler
from sklearn.svm import SVC

import foldwise as fw
from foldwise.data.dataset import make_dataset
from foldwise.errors import BadLearner, BadLoss
from foldwise.learners.catalogue import builtin, find_entry
from foldwise.learners.checks import check_learner, task_of
from foldwise.learners.listing import entries
from foldwise.losses.loss import make_losses

CORE = [row["name"] for row in entries() if row["extra"] is None]
RNG = np.random.default_rng(0)
NUMBERS = RNG.normal(size=(30, 3))
GAPS = np.where(RNG.random((30, 3)) < 0.2, np.nan, NUMBERS)
TARGET = NUMBERS[:, 0]
CLASSES = np.array(["no", "yes"])[(TARGET > 0).astype(int)]
TABLE = pd.DataFrame(
    {
        "size": TARGET,
        "shop": ["a", "b", "c"] * 10,
        "grade": pd.Categorical(["u", "v"] * 15),
        "day": pd.Timestamp("2024"),
    }
)


class Foreign(BaseEstimator):
    """A user's own learner: nothing is known of what it takes."""

    def fit(self, X, y):
        return self

    def predict(self, X):
        return np.zeros(len(X))


class Sharing(Foreign):
    def __init__(self, study=None):
        self.study = study


def check(estimator, X=NUMBERS, y=TARGET, loss=None):
    data = make_dataset(X, y)
    check_learner("mine", estimator, data, make_losses(loss, data))


def refused(words, estimator, X=NUMBERS, y=TARGET, loss=None, error=BadLearner):
    with pytest.raises(error, match=words):
        check(estimator, X, y, loss)


@pytest.mark.parametrize(
    ("thing", "words"),
    [
        (Ridge, r"learner 'mine' is the class Ridge, not a learner made from it. Write Ridge\(\)"),
        (StandardScaler(), "learner 'mine' is a StandardScaler, which has no predict"),
        (make_pipeline(StandardScaler()), "is a Pipeline, which has no predict"),
        (42, "learner 'mine' is a int, which has no fit"),
    ],
)
def test_what_is_not_a_learner_is_refused(thing, words):
    refused(words, thing)


def test_a_learner_must_be_for_the_task():
    refused("learner 'mine' is a classifier, but the task is regression. Use a regressor", LogisticRegression())
    refused("is a regressor, but the task is classification", make_pipeline(Ridge()), y=CLASSES)
    refused("is a clusterer, but the task is regression", KMeans())
    check(Ridge())
    check(LogisticRegression(), y=CLASSES)
    check(Foreign())
    check(Foreign(), y=CLASSES)


def test_a_loss_of_probabilities_needs_a_learner_that_gives_them():
    words = "the loss 'log' needs probabilities, which learner 'mine' does not give. Wrap it in CalibratedClassifierCV"
    for without in (SVC(), make_pipeline(StandardScaler(), SVC()), GridSearchCV(SVC(), {}), SGDClassifier()):
        refused(words, without, y=CLASSES, loss="log", error=BadLoss)
        check(without, y=CLASSES, loss="zero_one")
    for giving in (
        LogisticRegression(),
        CalibratedClassifierCV(SVC()),
        GridSearchCV(LogisticRegression(), {}),
        StackingClassifier([("a", SVC())]),
        make_pipeline(StandardScaler(), StackingClassifier([("a", SVC())])),
    ):
        check(giving, y=CLASSES, loss="log")


def test_a_stack_that_names_no_final_learner_is_a_learner():
    """Unfitted it has no predict, which is that of its default final learner."""
    check(StackingRegressor([("a", Ridge())]))
    check(make_pipeline(StandardScaler(), StackingRegressor([("a", Ridge())])))


def test_one_of_several_losses_is_enough_to_refuse():
    refused("the loss 'brier'", SVC(), y=CLASSES, loss=["zero_one", "brier"], error=BadLoss)


@pytest.mark.parametrize(
    "estimator",
    [
        Ridge(),
        RandomForestRegressor(),
        make_pipeline(StandardScaler(), Ridge()),
        make_pipeline(SelectKBest(), Ridge()),
        make_pipeline(SimpleImputer(), Ridge()),
        make_pipeline(SimpleImputer(strategy="most_frequent"), Ridge()),
        TransformedTargetRegressor(Ridge()),
        GridSearchCV(make_pipeline(StandardScaler(), Ridge()), {}),
        VotingRegressor([("a", Ridge()), ("b", HistGradientBoostingRegressor())]),
    ],
    ids=lambda estimator: type(estimator).__name__,
)
def test_text_is_refused_for_learners_of_numbers_with_the_columns_named(estimator):
    words = r"learner 'mine' takes only numbers, but 2 columns are not: 'shop' \(text\), 'grade' \(category\)"
    refused(words, estimator, X=TABLE[["size", "shop", "grade"]])
    refused("but column 'day' is a date column. Use a built-in learner, or put an encoder", estimator, X=TABLE[["day"]])


@pytest.mark.parametrize("package", ["lightgbm", "xgboost"])
def test_text_and_dates_are_refused_before_any_fit_for_packages_that_take_declared_categories(package):
    learner = type("Boosted", (Foreign,), {"__module__": f"{package}.sklearn"})()

    words = "takes numbers and categories, but column 'shop' is a text column, and 1 more are text or dates. Declare"
    refused(words, learner, X=TABLE[["size", "shop", "grade", "day"]])
    check(learner, X=TABLE[["grade"]])


@pytest.mark.parametrize(
    "estimator",
    [
        make_pipeline(make_column_transformer((OneHotEncoder(), ["shop"])), Ridge()),
        make_pipeline(OneHotEncoder(), Ridge()),
        make_pipeline(SimpleImputer(strategy="most_frequent"), OrdinalEncoder(), Ridge()),
        make_pipeline(FunctionTransformer(len), Ridge()),
        make_pipeline(Foreign(), Ridge()),
        DummyRegressor(),
        Foreign(),
    ],
    ids=lambda estimator: type(estimator).__name__,
)
def test_encoders_and_foreign_code_may_be_given_text(estimator):
    check(estimator, X=TABLE)


def test_histogram_boosting_takes_categories_but_no_text():
    check(HistGradientBoostingRegressor(), X=TABLE[["size", "grade"]])
    refused("column 'shop' is a text column", HistGradientBoostingRegressor(), X=TABLE[["size", "grade", "shop"]])


def test_missing_values_are_refused_with_the_column_and_their_number():
    first = int(np.argmax(np.isnan(GAPS).any(axis=0)))
    words = f"learner 'mine' cannot take missing values: column 'x{first}' has {int(np.isnan(GAPS[:, first]).sum())}"
    for estimator in (Ridge(), make_pipeline(StandardScaler(), Ridge()), TransformedTargetRegressor(Lasso())):
        refused(words, estimator, X=GAPS)
    refused(words, Ridge(), X=pd.DataFrame(GAPS, columns=["x0", "x1", "x2"]))
    refused(words, Ridge(), X=sp.csr_matrix(GAPS))


@pytest.mark.parametrize(
    "estimator",
    [
        make_pipeline(SimpleImputer(), Ridge()),
        make_pipeline(StandardScaler(), SimpleImputer(), Ridge()),
        HistGradientBoostingRegressor(),
        RandomForestRegressor(),
        Foreign(),
    ],
    ids=lambda estimator: type(estimator).__name__,
)
def test_learners_that_can_take_missing_values_may(estimator):
    check(estimator, X=GAPS)


def test_sparse_data_are_refused_for_learners_of_dense_tables():
    X = sp.csr_matrix(NUMBERS)
    refused("learner 'mine' cannot take sparse data: HistGradient", HistGradientBoostingRegressor(), X=X)
    refused("StandardScaler needs a dense table", make_pipeline(StandardScaler(), Ridge()), X=X)
    check(make_pipeline(StandardScaler(with_mean=False), Ridge()), X=X)


FIXED = [(np.arange(20), np.arange(20, 30))]


@pytest.mark.parametrize(
    "estimator",
    [
        GridSearchCV(Ridge(), {"alpha": [1]}, cv=FIXED),
        GridSearchCV(Ridge(), {"alpha": [1]}, cv=PredefinedSplit([0, 1, 0])),
        make_pipeline(StandardScaler(), GridSearchCV(Ridge(), {"alpha": [1]}, cv=FIXED)),
        make_pipeline(StandardScaler(), LassoCV(cv=FIXED)),
    ],
    ids=lambda estimator: type(estimator).__name__,
)
def test_a_search_with_fixed_splits_is_refused_for_its_leak(estimator):
    words = "with a fixed list of splits: .* would leak into training. Give cv a number or a splitter"
    refused(words, estimator)


@pytest.mark.parametrize("cv", [None, 5, KFold(3), GroupKFold(3)], ids=str)
def test_a_search_that_splits_its_own_rows_is_welcome(cv):
    check(GridSearchCV(Ridge(), {"alpha": [1]}, cv=cv))


def test_a_shared_study_is_refused_for_its_leak():
    refused("learner 'mine' has a Sharing with a shared study: .* would leak into the next", Sharing(study=object()))
    refused("with a shared study", TransformedTargetRegressor(Sharing(study=object())))
    check(Sharing())


@pytest.mark.parametrize(
    "estimator",
    [
        QuantileRegressor(quantile=0.5),
        make_pipeline(StandardScaler(), QuantileRegressor(quantile=0.5)),
        GradientBoostingRegressor(loss="quantile", alpha=0.5),
        TransformedTargetRegressor(HistGradientBoostingRegressor(loss="quantile", quantile=0.5)),
    ],
    ids=lambda estimator: type(estimator).__name__,
)
def test_the_quantile_of_learner_and_loss_must_agree(estimator):
    refused("predicts the 0.5 quantile, not the 0.9 quantile", estimator, loss="pinball(0.9)", error=BadLoss)
    check(estimator, loss="pinball(0.5)")


def test_a_learner_without_a_quantile_may_be_judged_by_one():
    for estimator in (Ridge(alpha=0.3), GradientBoostingRegressor(), HistGradientBoostingRegressor()):
        check(estimator, loss="pinball(0.9)")


@pytest.mark.parametrize("name", CORE)
@pytest.mark.parametrize(
    "X", [NUMBERS, GAPS, TABLE, sp.csr_matrix(NUMBERS)], ids=["numbers", "gaps", "mixed", "sparse"]
)
def test_built_in_learners_pass_their_own_checks(name, X):
    y = TARGET if "regression" in find_entry(name).tasks else CLASSES
    data = make_dataset(X, y)
    check_learner(name, builtin(name, data).estimator, data, make_losses(None, data))


def test_the_task_of_a_learner_is_a_hint():
    assert task_of(make_pipeline(StandardScaler(), Ridge())) == "regression"
    assert task_of(HistGradientBoostingClassifier()) == "classification"
    assert task_of(Foreign()) is None


# --- infinity ---

INFINITE = np.where(np.arange(90).reshape(30, 3) == 13, np.inf, NUMBERS)  # row 4, column x1
WORDS = r"learner 'mine' cannot take infinite values: column 'x1' has them in 1 row \(first: row 4, counting from 0\)"


@pytest.mark.parametrize(
    "estimator",
    [
        Ridge(),
        RandomForestRegressor(),  # takes gaps, but not infinity
        make_pipeline(StandardScaler(), Ridge()),
        make_pipeline(SimpleImputer(), HistGradientBoostingRegressor()),
        make_pipeline(make_column_transformer((StandardScaler(), ["x1"])), Ridge()),
    ],
)
def test_infinity_is_refused_by_column_and_row(estimator):
    refused(WORDS, estimator, X=pd.DataFrame(INFINITE, columns=["x0", "x1", "x2"]))


@pytest.mark.parametrize("container", [np.asarray, sp.csr_matrix, sp.csc_array])
def test_infinity_is_found_in_any_container(container):
    refused(WORDS, Ridge(), X=container(INFINITE))


@pytest.mark.parametrize("name", [name for name in CORE if "regression" in find_entry(name).tasks])
@pytest.mark.parametrize("is_mixed", [False, True])
def test_built_in_learners_refuse_infinity_or_take_it(name, is_mixed):
    X = pd.DataFrame(INFINITE, columns=["x0", "x1", "x2"])
    X = X.assign(shop=TABLE["shop"]) if is_mixed else X
    data = make_dataset(X, TARGET)
    learner = builtin(name, data).estimator
    if name in ("baseline", "seasonal-naive", "boosting"):
        check_learner("mine", learner, data, make_losses(None, data))
        learner.fit(data.X, data.y).predict(data.X)
        return
    with pytest.raises(BadLearner, match=WORDS):
        check_learner("mine", learner, data, make_losses(None, data))
    with pytest.raises(ValueError, match="infinity"):
        learner.fit(data.X, data.y)


def test_infinity_in_columns_that_a_learner_is_not_given_does_not_matter():
    frame = pd.DataFrame(INFINITE, columns=["x0", "x1", "x2"])
    check(make_pipeline(make_column_transformer((StandardScaler(), ["x0"])), Ridge()), X=frame)
    check(HistGradientBoostingRegressor(), X=INFINITE)
    check(Foreign(), X=INFINITE)


class Rewriting(Ridge):
    """Changes what it is given, so that no copy of it is like it."""

    def __init__(self, alpha=1.0):
        super().__init__(alpha=float(alpha) + 1)


class Listing(Ridge):
    """Makes a list of its own of one that it is given, as CatBoost does."""

    def __init__(self, alpha=1.0, columns=None):
        super().__init__(alpha=alpha)
        self.columns = list(columns) if isinstance(columns, list) else columns


@pytest.mark.parametrize("learner", [Listing(columns=[0]), make_pipeline(StandardScaler(), Listing(columns=[0]))])
def test_a_list_that_a_constructor_copies_is_to_be_a_tuple(learner):
    word = "columns" if isinstance(learner, Listing) else "listing__columns"
    words = f"cannot be copied: its constructor makes another list of its parameter {word}. *Give {word} as a tuple"
    for one in (learner, fw.tune(learner, alpha=[0.1, 1.0])):
        with pytest.raises(BadLearner, match=words):
            fw.compare({"mine": one}, NUMBERS, TARGET, outer=3, inner=2, jobs=1)


@pytest.mark.parametrize(
    ("learner", "words"),
    [
        (make_pipeline(StandardScaler(), SelectKBest(score_func=threading.Lock()), Ridge()), "selectkbest__score_func"),
        (Ridge(alpha=(value for value in [1.0])), "its parameter alpha: cannot pickle 'generator'"),
        (Rewriting(), "learner 'mine' cannot be copied .*constructor"),
    ],
    ids=["lock in a pipeline", "generator", "constructor"],
)
def test_a_learner_that_cannot_be_copied_is_refused_with_the_parameter(learner, words):
    data = make_dataset(NUMBERS, TARGET)
    with pytest.raises(BadLearner, match=words):
        check_learner("mine", learner, data, make_losses(None, data))


# --- numbers nearly without end ---


@pytest.mark.parametrize(
    ("estimator", "value", "most"),
    [
        (Ridge(), 1e300, r"1e\+150"),
        (make_pipeline(StandardScaler(), Ridge()), -1e300, r"1e\+150"),
        (make_pipeline(StandardScaler(), RandomForestRegressor()), 1e300, r"1e\+150"),
        (RandomForestRegressor(), 1e39, r"3.4e\+38"),
    ],
    ids=["squares", "scaled", "scaled trees", "trees"],
)
def test_numbers_too_large_to_compute_with_are_refused_by_column_and_row(estimator, value, most):
    words = rf"learner 'mine' cannot take values beyond {most}: column 'x1' has them in 1 row \(first: row 4"
    refused(words, estimator, X=np.where(np.inf == INFINITE, value, INFINITE))


@pytest.mark.parametrize(
    ("estimator", "value"),
    [
        (make_pipeline(StandardScaler(), Ridge()), 1e39),
        (make_pipeline(StandardScaler(), RandomForestRegressor()), 1e39),
        (HistGradientBoostingRegressor(), 1e300),
    ],
    ids=["squares", "scaled trees", "histograms"],
)
def test_large_numbers_are_taken_where_they_do_no_harm(estimator, value):
    data = make_dataset(np.where(np.inf == INFINITE, value, INFINITE), TARGET)
    check_learner("mine", estimator, data, make_losses(None, data))
    assert np.isfinite(estimator.fit(data.X, data.y).predict(data.X)).all()
