"""A Tuned learner (learners/tuned.py, learners/answering.py, learners/inputs.py, api/alone.py), by GridSearchCV."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn import config_context
from sklearn.base import BaseEstimator, RegressorMixin, clone
from sklearn.compose import make_column_transformer
from sklearn.datasets import make_classification, make_regression
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.exceptions import DataConversionWarning, NotFittedError
from sklearn.feature_selection import SelectFromModel
from sklearn.linear_model import LogisticRegression, Ridge, SGDRegressor
from sklearn.metrics import log_loss
from sklearn.model_selection import GridSearchCV, GroupKFold, KFold, StratifiedKFold, cross_val_predict, cross_validate
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeRegressor
from sklearn.utils.estimator_checks import parametrize_with_checks

import foldwise as fw
from foldwise.errors import BadData, BadLearner, BadLoss, BadSpace, BadSplits, BadStudy, FitsFailed

ALPHAS = [0.01, 0.1, 1.0, 10.0, 100.0]


@pytest.fixture(scope="module")
def numbers():
    """A regression problem."""
    return make_regression(n_samples=90, n_features=8, noise=30.0, random_state=0)


@pytest.fixture(scope="module")
def labels():
    """A classification problem with text labels."""
    X, y = make_classification(n_samples=120, n_features=6, n_informative=3, n_classes=3, random_state=1)
    return X, np.array(["cat", "dog", "emu"])[y]


# --- scikit-learn's own suite ---


@pytest.mark.filterwarnings("ignore")  # the suite asks for odd things on purpose
@parametrize_with_checks([fw.Tuned(Ridge(), {"alpha": [0.1, 1.0]})])
def test_tuned_passes_the_checks_of_scikit_learn(estimator, check):
    check(estimator)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks([fw.Tuned(LogisticRegression(), {"C": [0.1, 1.0]})])
def test_a_tuned_classifier_passes_the_checks_of_scikit_learn(estimator, check):
    check(estimator)


def test_weights_are_repeated_rows_once_the_inner_splits_are_fixed(numbers):
    """The rows of weight 0, 1, 2, ... left out or repeated give the same scores, choice and model."""
    X, y = numbers[0][:40], numbers[1][:40]
    copies = np.random.default_rng(0).integers(0, 4, size=40)
    fold = np.arange(40) % 4
    weighted = fw.Tuned(Ridge(), {"alpha": ALPHAS}, inner=fold).fit(X, y, sample_weight=copies)

    again = fw.Tuned(Ridge(), {"alpha": ALPHAS}, inner=fold.repeat(copies)).fit(X.repeat(copies, 0), y.repeat(copies))

    assert weighted.candidate_ == again.candidate_
    assert_allclose(weighted.scores_["score"], again.scores_["score"])
    assert_allclose(weighted.predict(X), again.predict(X))


# --- the same answer as GridSearchCV ---


def test_a_regressor_is_tuned_as_by_grid_search(numbers):
    X, y = numbers
    cv = KFold(4, shuffle=True, random_state=3)
    search = GridSearchCV(Ridge(), {"alpha": ALPHAS}, cv=cv, scoring="neg_mean_squared_error").fit(X, y)

    tuned = fw.Tuned(Ridge(), {"alpha": ALPHAS}, inner=cv).fit(X, y)

    assert tuned.candidate_ == search.best_params_
    assert_allclose(tuned.selection_score_, -search.best_score_)
    assert_allclose(tuned.scores_["score"], -search.cv_results_["mean_test_score"])
    assert_allclose(tuned.scores_["fold 2"], -search.cv_results_["split2_test_score"])
    assert_allclose(tuned.predict(X), search.predict(X))
    assert_allclose(tuned.score(X, y), search.best_estimator_.score(X, y))


def test_a_classifier_with_text_labels_is_tuned_as_by_grid_search(labels):
    X, y = labels
    cv = StratifiedKFold(3, shuffle=True, random_state=0)
    space = {"svc__C": [0.1, 1.0, 10.0], "svc__kernel": ["linear", "rbf"]}
    model = make_pipeline(StandardScaler(), SVC())
    search = GridSearchCV(model, space, cv=cv, scoring="accuracy").fit(X, y)

    tuned = fw.Tuned(model, space, inner=cv).fit(X, y)

    assert tuned.candidate_ == search.best_params_
    assert_allclose(tuned.selection_score_, 1 - search.best_score_)
    assert_array_equal(tuned.predict(X), search.predict(X))
    assert_array_equal(tuned.classes_, search.classes_)
    assert_allclose(tuned.decision_function(X), search.decision_function(X))
    assert not hasattr(tuned, "predict_proba")


def test_probabilities_are_judged_by_the_log_loss(labels):
    X, y = labels
    cv = StratifiedKFold(3)
    search = GridSearchCV(LogisticRegression(), {"C": ALPHAS}, cv=cv, scoring="neg_log_loss").fit(X, y)

    tuned = fw.Tuned(LogisticRegression(), {"C": ALPHAS}, inner=cv, loss="log").fit(X, y)

    assert tuned.candidate_ == search.best_params_
    assert_allclose(tuned.selection_score_, -search.best_score_, rtol=1e-6)
    assert_allclose(tuned.predict_proba(X), search.predict_proba(X))
    assert_allclose(tuned.predict_log_proba(X), search.predict_log_proba(X))


def test_it_can_be_asked_as_a_search_object_is(labels):
    """The same words, signs, ranks and masks, also where a conditional space leaves a parameter out."""
    X, y = labels
    space = [{"kernel": ["linear"], "C": [0.1, 1.0]}, {"kernel": ["rbf"], "C": [1.0], "gamma": [0.01, 0.1]}]
    search = GridSearchCV(SVC(), space, cv=StratifiedKFold(3), scoring="accuracy").fit(X, y)
    tuned = fw.Tuned(SVC(), space, inner=StratifiedKFold(3)).fit(X, y)

    assert tuned.best_params_ == search.best_params_
    assert tuned.best_index_ == search.best_index_
    assert tuned.best_estimator_.gamma == search.best_estimator_.gamma
    assert_allclose(tuned.best_score_, search.best_score_ - 1)  # the loss is the share of errors, here negated
    own, theirs = tuned.cv_results_, search.cv_results_
    timed = {"mean_fit_time", "std_fit_time", "mean_score_time", "std_score_time"}
    assert set(own) == set(theirs) - timed
    assert own["params"] == theirs["params"]
    assert_array_equal(own["rank_test_score"], theirs["rank_test_score"])
    assert_allclose(own["std_test_score"], theirs["std_test_score"], atol=1e-12)
    for name in ("mean_test_score", "split0_test_score", "split2_test_score"):
        assert_allclose(own[name], theirs[name] - 1)
    assert_array_equal(own["param_gamma"].mask, theirs["param_gamma"].mask)


def test_one_se_has_the_score_of_what_it_took(numbers):
    """As with `refit=` a function in scikit-learn; the selection score stays the smallest one."""
    words = {"inner": KFold(5), "rule": "one_se", "simpler": {"max_depth": "low"}}
    tuned = fw.tune(DecisionTreeRegressor(random_state=0), max_depth=[1, 2, 3, 4, 6, 8], **words).fit(*numbers)

    assert tuned.cv_results_["params"][tuned.best_index_] == tuned.best_params_
    assert -tuned.best_score_ == tuned.scores_.loc[tuned.best_index_, "score"] > tuned.selection_score_


def test_output_words_reach_the_steps_inside(numbers):
    X, y = numbers
    met = []

    def note(table):
        met.append(type(table))
        return table

    line = make_pipeline(StandardScaler(), FunctionTransformer(note), Ridge())
    tuned = fw.Tuned(line, {"ridge__alpha": [1.0, 2.0]}, inner=2).set_output(transform="pandas")
    clone(tuned).fit(pd.DataFrame(X).rename(columns=str), y)

    assert set(met) == {pd.DataFrame}


def test_the_table_has_a_row_per_candidate_and_a_column_per_fold(numbers):
    tuned = fw.tune(KNeighborsRegressor(), n_neighbors=[1, 3, 5], p=[1, 2], inner=3).fit(*numbers)

    table = tuned.scores_

    assert list(table.columns) == ["n_neighbors", "p", "fold 0", "fold 1", "fold 2", "score", "chosen"]
    assert list(zip(table["n_neighbors"], table["p"], strict=True)) == [(1, 1), (1, 2), (3, 1), (3, 2), (5, 1), (5, 2)]
    chosen = table[table["chosen"]].iloc[0]
    assert {name: chosen[name] for name in ("n_neighbors", "p")} == tuned.candidate_
    assert chosen["score"] == table["score"].min() == tuned.selection_score_
    assert tuned.fits_ == 6 * 3 + 1


def test_conditional_spaces_try_only_what_belongs_together(labels):
    X, y = labels
    space = [{"kernel": ["linear"], "C": [0.1, 1.0]}, {"kernel": ["rbf"], "C": [1.0], "gamma": [0.01, 0.1, 1.0]}]
    cv = StratifiedKFold(3)
    search = GridSearchCV(SVC(), space, cv=cv).fit(X, y)

    tuned = fw.Tuned(SVC(), space, inner=cv).fit(X, y)

    assert len(tuned.scores_) == 5
    assert tuned.candidate_ == search.best_params_


def test_a_budget_draws_candidates_once_from_the_seed(numbers):
    def chosen(seed):
        tuned = fw.tune(Ridge(), alpha=fw.log_range(1e-3, 1e3), tuner="random", budget=7, seed=seed, inner=3)
        return tuned.fit(*numbers).scores_["alpha"].to_numpy()

    assert len(set(chosen(0))) == 7
    assert_array_equal(chosen(0), chosen(0))
    assert not np.array_equal(chosen(0), chosen(1))


def test_one_se_takes_the_simplest_candidate_within_one_standard_error(numbers):
    X, y = numbers
    depths = [1, 2, 3, 4, 6, 8]
    words = {"inner": KFold(5), "rule": "one_se", "simpler": {"max_depth": "low"}}
    tuned = fw.tune(DecisionTreeRegressor(random_state=0), max_depth=depths, **words).fit(X, y)

    errors = np.array([[_squared(_tree(depth), X, y, rows) for rows in KFold(5).split(X)] for depth in depths])
    best = errors.mean(axis=1).argmin()
    limit = errors[best].mean() + errors[best].std(ddof=1) / np.sqrt(5)
    simplest = next(depth for depth, row in zip(depths, errors, strict=True) if row.mean() <= limit)

    assert simplest < depths[best]  # else the rule would not be seen
    assert tuned.candidate_ == {"max_depth": simplest}
    assert_allclose(tuned.selection_score_, errors.mean(axis=1).min())


def _tree(depth):
    return DecisionTreeRegressor(max_depth=depth, random_state=0)


def _squared(model, X, y, rows):
    train, test = rows
    return np.mean((y[test] - model.fit(X[train], y[train]).predict(X[test])) ** 2)


# --- a development set ---


def test_refit_false_keeps_the_model_of_the_training_set(numbers):
    X, y = numbers
    train, dev = np.arange(60), np.arange(60, 90)
    tuned = fw.Tuned(Ridge(), {"alpha": ALPHAS}, inner=[(train, dev)], refit=False).fit(X, y)

    errors = [np.mean((y[dev] - Ridge(alpha=a).fit(X[train], y[train]).predict(X[dev])) ** 2) for a in ALPHAS]
    alpha = ALPHAS[int(np.argmin(errors))]

    assert tuned.candidate_ == {"alpha": alpha}
    assert_allclose(tuned.predict(X), Ridge(alpha=alpha).fit(X[train], y[train]).predict(X))
    both = clone(tuned).set_params(refit=True).fit(X, y)
    assert_allclose(both.predict(X), Ridge(alpha=alpha).fit(X, y).predict(X))


def test_a_dev_set_and_a_bounded_loss_give_a_guarantee(labels):
    X, y = labels
    tuned = fw.tune(KNeighborsClassifier(), n_neighbors=[1, 3, 5, 7], inner=0.25).fit(X, y)

    found = tuned.guarantee_

    assert (found.dev_rows, found.candidates, found.delta, found.reason) == (30, 4, 0.05, None)
    assert_allclose(found.excess, np.sqrt(2 / 30 * np.log(2 * 4 / 0.05)))
    assert str(found).startswith("with probability at least 0.95 the chosen candidate, trained without the 30 dev rows")
    assert found.to_dict()["words"] == str(found)


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ({"inner": 0.25}, "and squared has none"),
        ({"inner": 4, "loss": "squared in [0, 9e5]"}, "one development set, and this was tuned on 4 splits"),
        ({"inner": 0.25, "loss": "r2"}, "and r2 is a measure"),
    ],
)
def test_the_guarantee_is_refused_with_its_reason(numbers, words, reason):
    found = fw.tune(Ridge(), alpha=ALPHAS, **words).fit(*numbers).guarantee_

    assert found.excess is None
    assert reason in str(found)


def test_a_stated_range_and_plain_rows_are_what_the_guarantee_asks_for(numbers):
    X, y = numbers
    tuned = fw.tune(Ridge(), alpha=ALPHAS, inner=0.25, loss="squared in [0, 1000000]")

    assert_allclose(tuned.fit(X, y).guarantee_.excess, 1e6 * fw.excess_bound(23, 5, 0.05))
    narrow = fw.tune(Ridge(), alpha=ALPHAS, inner=0.25, loss="squared in [0, 1]").fit(X, y)
    assert "leave the stated range" in str(narrow.guarantee_)
    assert "these rows are weighted" in str(tuned.fit(X, y, sample_weight=np.ones(90)).guarantee_)
    assert "rows of one group are not" in str(tuned.fit(X, y, groups=np.arange(90) // 3).guarantee_)


# --- at home in scikit-learn ---


def test_parameters_can_be_read_and_set_and_survive_a_clone(numbers):
    tuned = fw.tune(make_pipeline(StandardScaler(), Ridge()), alpha=ALPHAS, inner=3)

    assert tuned.get_params()["estimator__ridge__alpha"] == 1.0
    tuned.set_params(estimator__ridge__fit_intercept=False, inner=4)
    twin = clone(tuned)

    assert twin.estimator is not tuned.estimator
    assert twin.estimator[-1].fit_intercept is False
    assert {name: repr(value) for name, value in twin.get_params().items()} == {
        name: repr(value) for name, value in tuned.get_params().items()
    }
    assert len(twin.fit(*numbers).scores_.filter(like="fold").columns) == 4


def test_fit_leaves_the_estimator_and_the_data_as_they_were(numbers):
    X, y = numbers[0].copy(), numbers[1].copy()
    estimator = Ridge()
    np.random.seed(5)
    before = np.random.get_state()[1].copy()

    fw.tune(estimator, alpha=ALPHAS).fit(X, y)

    assert not hasattr(estimator, "coef_")
    assert estimator.alpha == 1.0
    assert_array_equal(X, numbers[0])
    assert_array_equal(y, numbers[1])
    assert_array_equal(np.random.get_state()[1], before)


def test_a_fitted_tuned_learner_can_be_pickled(labels):
    X, y = labels
    tuned = fw.tune(KNeighborsClassifier(), n_neighbors=[1, 5], inner=0.25).fit(X, y)

    twin = pickle.loads(pickle.dumps(tuned))

    assert_array_equal(twin.predict(X), tuned.predict(X))
    assert twin.guarantee_ == tuned.guarantee_


def test_a_learner_that_is_not_fitted_says_so(numbers):
    with pytest.raises(NotFittedError, match="not fitted yet"):
        fw.tune(Ridge(), alpha=ALPHAS).predict(numbers[0])


def test_it_is_a_step_of_a_pipeline(numbers):
    X, y = numbers
    scaled = StandardScaler().fit_transform(X)
    tuned = fw.tune(Ridge(), alpha=ALPHAS, inner=KFold(3))

    line = make_pipeline(StandardScaler(), clone(tuned)).fit(X, y)

    assert line[-1].candidate_ == tuned.fit(scaled, y).candidate_
    assert_allclose(line.predict(X), tuned.predict(scaled))


def test_cross_validating_it_is_nested_cross_validation(numbers):
    """One estimate three ways: scikit-learn around Tuned, scikit-learn alone, and `compare`."""
    X, y = numbers
    outer, inner = KFold(4, shuffle=True, random_state=1), KFold(3)
    tuned = fw.tune(Ridge(), alpha=ALPHAS, inner=inner)
    scoring = "neg_mean_squared_error"
    search = GridSearchCV(Ridge(), {"alpha": ALPHAS}, cv=inner, scoring=scoring)

    around = -cross_validate(tuned, X, y, cv=outer, scoring=scoring)["test_score"]
    naive = -cross_validate(search, X, y, cv=outer, scoring=scoring)["test_score"]
    result = fw.compare({"ridge": tuned}, X, y, outer=outer, jobs=1)

    assert_allclose(around, naive, rtol=1e-10)
    ours = result.to_dict()["methods"][0]
    assert_allclose([fold["loss"] for fold in ours["folds"]], naive, rtol=1e-10)
    assert_allclose(ours["risk"], naive.mean(), rtol=1e-10)


def test_tuned_can_be_tuned(numbers):
    """A tuned learner is a learner: here the outer parameter is the inner one's rule of fitting."""
    X, y = numbers
    inside = fw.Tuned(Ridge(), {"alpha": ALPHAS}, inner=KFold(3))
    search = GridSearchCV(Ridge(), {"alpha": ALPHAS}, cv=KFold(3), scoring="neg_mean_squared_error")
    outside = GridSearchCV(search, {"estimator__fit_intercept": [True, False]}, cv=KFold(3))

    tuned = fw.Tuned(inside, {"estimator__fit_intercept": [True, False]}, inner=KFold(3)).fit(X, y)

    outside.set_params(scoring="neg_mean_squared_error").fit(X, y)
    assert tuned.candidate_ == outside.best_params_
    assert_allclose(tuned.selection_score_, -outside.best_score_)


def test_cross_val_predict_gives_probabilities(labels):
    X, y = labels
    tuned = fw.tune(LogisticRegression(), C=[0.1, 1.0], inner=3)

    answer = cross_val_predict(tuned, X, y, cv=3, method="predict_proba")

    assert answer.shape == (120, 3)
    assert log_loss(y, answer) < np.log(3)


# --- groups and weights ---


def test_groups_stay_whole_at_both_levels_through_metadata_routing(numbers):
    X, y = numbers
    groups = np.repeat(np.arange(15), 6)
    scoring = "neg_mean_squared_error"
    with config_context(enable_metadata_routing=True):
        tuned = fw.tune(Ridge(), alpha=ALPHAS, inner=GroupKFold(3)).set_fit_request(groups=True)
        answer = cross_validate(
            tuned, X, y, cv=GroupKFold(5), scoring=scoring, params={"groups": groups}, return_estimator=True
        )

    for model, (train, test) in zip(answer["estimator"], GroupKFold(5).split(X, y, groups), strict=True):
        search = GridSearchCV(Ridge(), {"alpha": ALPHAS}, cv=GroupKFold(3), scoring=scoring)
        search.fit(X[train], y[train], groups=groups[train])
        assert model.candidate_ == search.best_params_
        assert_allclose(model.scores_["score"], -search.cv_results_["mean_test_score"])
        assert_allclose(model.predict(X[test]), search.predict(X[test]))


def test_folds_of_grouped_rows_keep_groups_whole(numbers):
    """Groups that copy one another: a fold that cut them would find 1-nn without error."""
    X, y = (np.repeat(part[:20], 3, axis=0) for part in numbers)
    tuned = fw.tune(KNeighborsRegressor(), n_neighbors=[1, 6], inner=5)

    assert tuned.fit(X, y).selection_score_ < tuned.fit(X, y, groups=np.repeat(np.arange(20), 3)).selection_score_


def test_weights_reach_the_fits_and_the_losses(numbers):
    X, y = numbers
    weights = np.random.default_rng(0).uniform(0.1, 3.0, size=90)

    def error(alpha, train, test):
        model = Ridge(alpha=alpha).fit(X[train], y[train], sample_weight=weights[train])
        return np.average((y[test] - model.predict(X[test])) ** 2, weights=weights[test])

    tuned = fw.tune(Ridge(), alpha=ALPHAS, inner=KFold(3)).fit(X, y, sample_weight=weights)

    errors = np.array([[error(alpha, *rows) for rows in KFold(3).split(X)] for alpha in ALPHAS])
    assert_allclose(tuned.scores_["score"], errors.mean(axis=1))
    final = Ridge(alpha=ALPHAS[errors.mean(axis=1).argmin()]).fit(X, y, sample_weight=weights)
    assert_allclose(tuned.predict(X), final.predict(X))


def test_weights_reach_the_last_step_of_a_pipeline_with_routing_switched_on(numbers):
    X, y = numbers
    weights = np.random.default_rng(0).uniform(0.1, 3.0, size=90)
    tuned = fw.tune(make_pipeline(StandardScaler(), Ridge()), alpha=ALPHAS, inner=KFold(3))
    plain = clone(tuned).fit(X, y, sample_weight=weights)

    with config_context(enable_metadata_routing=True):
        routed = tuned.fit(X, y, sample_weight=weights)

    assert_array_equal(routed.predict(X), plain.predict(X))
    assert not np.array_equal(routed.predict(X), clone(tuned).fit(X, y).predict(X))


# --- tables of every kind ---


def test_sparse_rows_give_the_answer_of_dense_ones(numbers):
    X, y = np.where(np.abs(numbers[0]) > 0.5, numbers[0], 0.0), numbers[1]
    tuned = fw.tune(KNeighborsRegressor(algorithm="brute"), n_neighbors=[1, 3, 5], inner=KFold(3))
    dense = clone(tuned).fit(X, y)

    for make in (sparse.csr_array, sparse.csc_matrix, sparse.coo_array):
        thin = clone(tuned).fit(make(X), y)
        assert_allclose(thin.scores_["score"], dense.scores_["score"])
        assert_allclose(thin.predict(sparse.csr_array(X)), dense.predict(X))


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, lambda table: pl.DataFrame(table).to_arrow()])
def test_frames_give_names_and_the_answer_of_arrays(numbers, make):
    X, y = numbers
    names = [f"size {j}" for j in range(8)]
    frame = make({name: X[:, j] for j, name in enumerate(names)})
    tuned = fw.tune(Ridge(), alpha=ALPHAS, inner=KFold(3))

    framed = clone(tuned).fit(frame, y)

    assert framed.feature_names_in_.tolist() == names
    assert framed.n_features_in_ == 8
    assert_allclose(framed.predict(frame), tuned.fit(X, y).predict(X))
    assert not hasattr(tuned, "feature_names_in_")


@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_categories_of_numbers_are_known_again_when_predicting(kind):
    """They are text inside: an encoder that met '1' in fit must not meet 1 afterwards and take it for nothing."""
    shop = np.tile([1, 2, 3], 20)
    y = shop * 10.0 + np.arange(60) % 2
    frame = pd.DataFrame({"shop": pd.Categorical(shop), "size": np.arange(60.0) % 7})
    if kind == "polars":
        frame = pl.DataFrame({"shop": shop.astype(str), "size": frame["size"].to_numpy()})
        frame = frame.with_columns(pl.col("shop").cast(pl.Categorical))
    encoder = make_column_transformer((OneHotEncoder(handle_unknown="ignore"), ["shop"]), remainder="passthrough")
    tuned = fw.tune(make_pipeline(encoder, Ridge()), alpha=[1e-6, 1.0]).fit(frame, y)

    assert_allclose(tuned.predict(frame), y, atol=1.0)
    assert tuned.score(frame, y) > 0.99


def test_a_column_of_targets_is_taken_with_a_warning(numbers):
    X, y = numbers
    with pytest.warns(DataConversionWarning, match="A column-vector y was passed"):
        tuned = fw.tune(Ridge(), alpha=ALPHAS).fit(X, y[:, None])
    assert tuned.predict(X).shape == (90,)


def test_the_default_of_five_folds_gives_way_to_a_small_class():
    X = np.arange(20.0)[:, None]
    y = np.array(["many"] * 17 + ["rare"] * 3)
    tuned = fw.tune(KNeighborsClassifier(), n_neighbors=[1, 3])

    assert len(clone(tuned).fit(X, y).scores_.filter(like="fold").columns) == 3
    with pytest.raises(BadSplits, match="cannot make 5 stratified folds: class 'rare' has 3 rows"):
        tuned.set_params(inner=5).fit(X, y)


# --- refusals ---


class Fragile(RegressorMixin, BaseEstimator):
    """Fits anything, except with a parameter above its limit."""

    def __init__(self, size=0):
        self.size = size

    def fit(self, X, y):
        if self.size > 1:
            raise RuntimeError(f"size {self.size} is too much")
        self.mean_ = np.mean(y)
        return self

    def predict(self, X):
        return np.full(len(X), self.mean_)


def test_failing_fits_leave_no_choice(numbers):
    with pytest.raises(FitsFailed, match=r"6 of 6 fits failed.*'size': 2}, says: RuntimeError: size 2 is too much"):
        fw.tune(Fragile(), size=[2, 3], inner=3).fit(*numbers)


def test_one_failing_candidate_is_not_passed_over_in_silence(numbers):
    with pytest.raises(FitsFailed, match=r"3 of 9 fits failed, so no candidate is chosen\. The first, {'size': 5}"):
        fw.tune(Fragile(), size=[0, 5, 1], inner=3).fit(*numbers)


@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        (lambda: fw.tune(Ridge(), alhpa=[1.0]), BadSpace, r"alhpa.*Did you mean 'alpha'\?"),
        (lambda: fw.tune(Ridge(), alpha=[]), BadSpace, "alpha.*(empty|no value)"),
        (lambda: fw.tune(Ridge()), BadSpace, "(empty|no parameter)"),
        (lambda: fw.tune(Ridge, alpha=[1.0]), BadLearner, "needs an estimator object"),
    ],
    ids=["misspelt", "no values", "no parameters", "a class"],
)
def test_a_wrong_wish_is_refused_when_it_is_made(make, error, words):
    with pytest.raises(error, match=words):
        make()


@pytest.mark.parametrize(
    ("words", "error", "text"),
    [
        ({"space": {"alhpa": [1.0]}}, BadSpace, r"alhpa.*Did you mean 'alpha'\?"),
        ({"inner": "aligned"}, BadSplits, "inner='aligned' goes with outer folds, and a learner fitted alone has none"),
        ({"inner": "dev"}, BadSplits, "inner='dev' goes with outer folds"),
        ({"inner": 200}, BadSplits, "cannot make 200 folds"),
        ({"refit": False}, BadStudy, "refit=False keeps the model of one training part, but there are 5. Give inner"),
        ({"rule": "one_se"}, BadSpace, "'alpha' has no direction of simplicity"),
        ({"rule": "first"}, BadStudy, "no selection rule 'first'"),
        ({"loss": "sqared"}, BadLoss, r"'sqared' is not known. Did you mean 'squared'\?"),
        ({"loss": "zero_one"}, BadLoss, "is for classification, and the task is regression"),
        ({"tuner": "gird"}, BadSpace, r"'gird' is not known. Did you mean 'grid'\?"),
        ({"jobs": 0}, BadStudy, "jobs must"),
    ],
)
def test_a_wrong_wish_is_refused_before_any_fit(numbers, words, error, text):
    with pytest.raises(error, match=text):
        fw.Tuned(Ridge(), **{"space": {"alpha": ALPHAS}, **words}).fit(*numbers)


def _spoilt(X, value):
    X = X.copy()
    X[7, 2] = value
    return X


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (lambda X, y: (X, None), "requires y to be passed, but the target y is None"),
        (lambda X, y: (X, y[:-1]), "the target has 89 rows, but X has 90"),
        (lambda X, y: (X[:1], y[:1]), "the table has one row"),
        (lambda X, y: (X[:, :0], y), r"0 feature\(s\) \(shape=\(90, 0\)\)"),
        (lambda X, y: (_spoilt(X, np.inf), y), "Ridge takes .* 'x2'"),
        (lambda X, y: (sparse.csr_array(_spoilt(X, np.nan)), y), "'x2' .*row 7"),
        (lambda X, y: (pd.DataFrame(_spoilt(X, np.nan)), y), "'x2' .*1 row"),
        (lambda X, y: (X + 1j, y), "Complex data not supported"),
        (lambda X, y: (X, np.column_stack([y, y])), "the target has 2 columns"),
    ],
)
def test_rows_that_cannot_be_used_are_refused_with_the_place(numbers, change, text):
    with pytest.raises(BadData, match=text):
        fw.tune(Ridge(), alpha=ALPHAS).fit(*change(*numbers))


def test_a_list_for_a_word_that_the_estimator_knows_is_part_of_the_space(numbers):
    """Histogram boosting has a loss of its own; so may have a pipeline's last step."""
    losses = ["squared_error", "absolute_error"]
    boosting = HistGradientBoostingRegressor(max_iter=3)
    for estimator in (boosting, make_pipeline(StandardScaler(), boosting)):
        tuned = fw.tune(estimator, loss=losses, max_depth=[1, 2])
        assert tuned.loss is None
        assert len(tuned.full_space().grid()) == 4
        assert tuned.fit(*numbers).candidate_["loss"] in losses
    assert fw.tune(boosting, max_depth=[1], loss="absolute").loss == "absolute"
    assert fw.tune(Ridge(), alpha=ALPHAS, loss=["absolute", "squared"]).loss == ["absolute", "squared"]
    costs = [[0.0, 1.0], [5.0, 0.0]]
    assert fw.tune(HistGradientBoostingClassifier(), max_depth=[1], loss=costs).loss == costs


def test_words_that_two_steps_know_stay_words():
    two = make_pipeline(SelectFromModel(SGDRegressor()), SGDRegressor())
    assert fw.tune(two, sgdregressor__alpha=[1.0], loss=["squared", "absolute"]).loss == ["squared", "absolute"]


@pytest.mark.parametrize(("word", "value"), [("loss", "absolute"), ("seed", 3), ("refit", False)])
def test_a_tuned_learner_has_no_words_of_its_own_in_a_study(numbers, word, value):
    tuned = fw.tune(Ridge(), alpha=ALPHAS, **{word: value})
    words = f"learner 'mine' has its own {word}, but all learners of a study share one. Leave"
    with pytest.raises(BadLearner, match=words):
        fw.compare({"mine": tuned}, *numbers)
    with pytest.raises(BadLearner, match=words.replace("mine", "Ridge")):
        fw.risk(tuned, *numbers)
