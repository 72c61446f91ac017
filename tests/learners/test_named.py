"""Built-in learners as estimators (learners/named.py, and what they share with others in learners/answering.py)."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.datasets import make_classification, make_regression
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV, KFold, cross_val_predict, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import foldwise as fw
from foldwise.errors import BadData, BadLearner, BadSpace
from foldwise.learners.named import Named

ALPHAS = [0.01, 1.0, 10.0, 100.0]


@pytest.fixture(scope="module")
def numbers():
    """A regression problem in a data frame."""
    X, y = make_regression(n_samples=80, n_features=4, noise=40.0, random_state=0)
    return pd.DataFrame(X, columns=list("abcd")), y


@pytest.fixture(scope="module")
def labels():
    """A classification problem with text labels."""
    X, y = make_classification(n_samples=90, n_features=4, random_state=1)
    return X, np.array(["no", "yes"])[y]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks([fw.learner("ridge", alpha=[0.1, 1.0]), fw.learner("logistic", C=[0.1, 1.0])])
def test_built_in_learners_pass_the_checks_of_scikit_learn(estimator, check):
    check(estimator)


def test_a_learner_tunes_as_a_grid_search_of_its_pipeline_does(numbers):
    X, y = numbers
    cv = KFold(4, shuffle=True, random_state=2)
    line = make_pipeline(StandardScaler(), Ridge())
    search = GridSearchCV(line, {"ridge__alpha": ALPHAS}, cv=cv, scoring="neg_mean_squared_error").fit(X, y)

    found = fw.tune("ridge", alpha=ALPHAS, inner=cv).fit(X, y)

    assert found.best_params_ == {"alpha": search.best_params_["ridge__alpha"]}
    assert_allclose(found.best_score_, search.best_score_)
    assert_allclose(found.predict(X), search.predict(X))
    assert_allclose(found.score(X, y), search.best_estimator_.score(X, y))
    for name in ("mean_test_score", "std_test_score", "rank_test_score", "split3_test_score"):
        assert_allclose(found.cv_results_[name], search.cv_results_[name])
    assert found.cv_results_["params"] == [{"alpha": alpha} for alpha in ALPHAS]
    assert found.best_index_ == search.best_index_
    assert (found.n_features_in_, found.feature_names_in_.tolist()) == (4, list("abcd"))


def test_cross_val_score_of_a_learner_is_nested_cross_validation(numbers):
    X, y = numbers
    outer, learner = KFold(3), fw.tune("ridge", alpha=ALPHAS, inner=KFold(4))
    line = make_pipeline(StandardScaler(), Ridge())
    search = GridSearchCV(line, {"ridge__alpha": ALPHAS}, cv=KFold(4), scoring="neg_mean_squared_error")

    scores = cross_val_score(learner, X, y, cv=outer, scoring="neg_mean_squared_error")

    assert_allclose(scores, cross_val_score(search, X, y, cv=outer))
    result = fw.compare({"ridge": learner}, X, y, outer=outer, jobs=1, progress=False)
    assert_allclose([fold["loss"] for fold in result.to_dict()["methods"][0]["folds"]], -scores, rtol=1e-10)


def test_a_learner_on_its_own_tunes_on_five_folds(numbers):
    assert fw.learner("ridge", alpha=ALPHAS).fit(*numbers).fits_ == 5 * len(ALPHAS) + 1


def test_a_learner_for_both_tasks_decides_by_the_target(numbers, labels):
    ridge = fw.learner("ridge", alpha=[1.0, 10.0])
    assert not is_classifier(ridge)
    assert not is_regressor(ridge)

    ridge.fit(*labels)
    assert is_classifier(ridge)
    assert ridge.classes_.tolist() == ["no", "yes"]
    assert 0.5 < ridge.score(*labels) == np.mean(ridge.predict(labels[0]) == labels[1])

    ridge.fit(*numbers)  # the same object on another task
    assert is_regressor(ridge)
    assert not hasattr(ridge, "classes_")


def test_a_loss_for_classes_makes_classes_of_numbers():
    X = np.arange(40.0)[:, None]
    found = fw.tune("k-nn", n_neighbors=[1, 3], loss="zero_one").fit(X, np.repeat([3, 5, 9, 12], 10))

    assert found.classes_.tolist() == [3, 5, 9, 12]


@pytest.mark.parametrize(("name", "kind"), [("logistic", is_classifier), ("lasso", is_regressor)])
def test_a_learner_for_one_task_says_so_before_it_is_fitted(name, kind):
    assert kind(fw.learner(name))


def test_a_learner_has_probabilities_where_its_model_will_have_them(labels):
    X, y = labels
    assert hasattr(fw.learner("k-nn"), "predict_proba")
    assert not hasattr(fw.learner("lasso"), "predict_proba")

    found = cross_val_predict(fw.learner("logistic", C=[1.0]), X, y, cv=3, method="predict_proba")

    plain = make_pipeline(StandardScaler(), LogisticRegression())
    assert_allclose(found, cross_val_predict(plain, X, y, cv=3, method="predict_proba"), atol=0.01)


def test_a_learner_without_a_space_is_fitted_and_no_more(numbers):
    X, y = numbers
    ridge = fw.learner("ridge", alpha=2.0).fit(X, y)

    assert_allclose(ridge.predict(X), make_pipeline(StandardScaler(), Ridge(alpha=2.0)).fit(X, y).predict(X))
    assert (ridge.best_params_, ridge.fits_) == ({}, 1)
    assert not hasattr(ridge, "cv_results_")
    assert not hasattr(ridge, "best_score_")


def test_learners_can_be_copied_compared_changed_and_pickled(numbers):
    X, y = numbers
    learner = fw.tune("ridge", alpha=ALPHAS, inner=3)

    assert clone(learner) == learner != fw.tune("ridge", alpha=ALPHAS)
    assert learner.get_params()["changes"] == {"alpha": ALPHAS}
    assert len(clone(learner).set_params(inner=4, changes={"alpha": [1.0]}).fit(X, y).scores_.columns) == 7
    fitted = learner.fit(X, y)
    assert_array_equal(pickle.loads(pickle.dumps(fitted)).predict(X), fitted.predict(X))


def test_a_learner_is_a_step_of_a_pipeline(numbers):
    X, y = numbers
    line = make_pipeline(StandardScaler().set_output(transform="pandas"), fw.learner("ridge", alpha=ALPHAS))

    assert line.set_output(transform="pandas").fit(X, y)[-1].best_params_["alpha"] in ALPHAS
    assert fw.learner("ridge").set_output(transform="pandas") == fw.learner("ridge")


def test_text_and_missing_values_are_prepared(numbers):
    X, y = numbers
    mixed = X.assign(a=X["a"].where(X["b"] < 1), shop=np.where(X["d"] > 0, "left", "right"))

    found = fw.learner("ridge", alpha=ALPHAS).fit(mixed, y)

    assert found.feature_names_in_.tolist() == ["a", "b", "c", "d", "shop"]
    assert found.score(mixed, y) > 0.5


def test_blends_of_built_in_learners_are_fitted_by_their_text(numbers):
    found = fw.learner("blend(ridge+k-nn)").fit(*numbers)

    assert set(found.weights_) == {"ridge", "k-nn"}
    assert is_regressor(found)
    assert fw.tune("blend(ridge+k-nn)", seed=3).fit(*numbers).predict(numbers[0]).shape == (80,)


def test_own_words_of_a_learner_hold_in_a_study(numbers):
    words = {"outer": 3, "jobs": 1, "progress": False}
    own = fw.compare({"mine": fw.tune("ridge", alpha=ALPHAS, inner=2)}, *numbers, **words)
    same = fw.compare({"mine": fw.learner("ridge", alpha=ALPHAS)}, *numbers, inner=2, **words)

    assert own.choices().equals(same.choices())


@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        (lambda: fw.tune("rigde"), BadLearner, r"no built-in learner 'rigde'. Did you mean 'ridge'\?"),
        (lambda: fw.tune("ridge", simpler={"alpha": "high"}), BadSpace, "knows which end of its parameters is simpler"),
        (lambda: fw.tune("ridge", space=[{"alpha": [1.0]}]), BadSpace, "takes one dictionary as its space"),
        (lambda: fw.tune("ridge", space={"alpha": [1]}, alpha=[2]), BadSpace, "'alpha' is given twice"),
        (lambda: fw.tune("blend(ridge+k-nn)", stop="auto").fit([[1.0]] * 9, range(9)), BadLearner, "neither stop nor"),
        (lambda: fw.learner("ridge", alhpa=[1.0]).fit(np.eye(9), range(9)), BadSpace, "alhpa.*Did you mean 'alpha'"),
        (
            lambda: fw.learner("lasso").fit(np.eye(9), list("ababababa")),
            BadData,
            "holds text.*which regression cannot use",
        ),
    ],
)
def test_a_wrong_wish_is_refused(make, error, words):
    with pytest.raises(error, match=words):
        make()


def test_a_study_refuses_words_that_only_a_fit_alone_uses(numbers):
    with pytest.raises(BadLearner, match="learner 'mine' has its own loss"):
        fw.compare({"mine": fw.tune("ridge", loss="absolute")}, *numbers, progress=False)


def test_a_learner_prints_as_the_call_that_makes_it():
    assert repr(Named("ridge")) == "learner('ridge')"
    assert repr(fw.tune("ridge", alpha=[1.0], rule="one_se")) == "tune('ridge', rule='one_se', alpha=[1.0])"
