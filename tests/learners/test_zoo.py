"""What built-in learners (learners/zoo/, learners/listing.py, learners/sample.py) promise: spaces, solvers, samples."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

import foldwise as fw
from foldwise.data.dataset import make_dataset
from foldwise.errors import MissingExtra
from foldwise.learners.catalogue import SIZES, all_entries, builtin, find_entry
from foldwise.learners.learner import Learner
from foldwise.learners.listing import entries, listing_text
from foldwise.learners.model import takes_weights
from foldwise.learners.sample import RowSample, draw_rows, sampled_rows
from foldwise.learners.trial import check_space
from foldwise.learners.zoo.entry import Facts
from foldwise.solvers.finding import find
from foldwise.spaces.space import make_space

CORE = [entry.name for entry in all_entries() if entry.extra is None]
TASKS = ("regression", "binary", "multiclass")
SERVED = [(name, task) for name in CORE for task in TASKS if task in find_entry(name).tasks]
WANTED = {
    *("baseline", "seasonal-naive"),
    *("linear", "ridge", "lasso", "elastic-net", "logistic", "k-nn", "tree", "forest", "extra-trees"),
    *("boosting", "lightgbm", "xgboost", "catboost", "svm", "kernel-ridge", "gaussian-process", "naive-bayes"),
    *("lda", "qda", "gam", "neural-net"),
}


def table(task: str, rows: int = 90):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(rows, 4))
    signal = np.sin(2 * X[:, 0]) - X[:, 1] + 0.3 * rng.normal(size=rows)
    cuts = {"regression": None, "binary": [0.0], "multiclass": [-0.7, 0.7]}[task]
    return X, signal if cuts is None else np.array(["low", "mid", "top"])[np.digitize(signal, cuts)]


def mixed(task: str, rows: int = 60):
    """Missing values, categories and a flag."""
    rng = np.random.default_rng(4)
    X, y = table(task, rows)
    frame = pd.DataFrame(X, columns=list("abcd"))
    frame.loc[rng.integers(0, rows, 8), "a"] = np.nan
    frame["shop"] = pd.Series(rng.choice(["x", "y", None], rows), dtype=object)
    frame["flag"] = X[:, 2] > 0
    return frame, y


def test_every_family_of_the_field_is_listed():
    rows = fw.list_learners()
    assert next(iter(rows.columns)) == "name"
    assert set(rows["name"]) == WANTED
    assert set(rows.loc[rows["extra"].notna(), "name"]) == {"lightgbm", "xgboost", "catboost", "neural-net"}


def test_the_list_tells_ranges_simplicity_preparation_solver_and_weights():
    rows = {row["name"]: row for row in entries()}
    assert rows["ridge"]["tuned"] == "alpha=log_range(0.0001, 1000000.0, 41): 41 candidates"
    assert rows["ridge"]["preparation"] == "missing numbers imputed, scaled, categories encoded"
    assert rows["boosting"]["preparation"] == "categories taken as they are"
    assert rows["ridge"]["simpler"] == "alpha: high"
    assert "one decomposition" in rows["ridge"]["solver"]
    assert (rows["baseline"]["tuned"], rows["baseline"]["preparation"]) == ("not tuned", "none")
    assert (rows["lasso"]["task"], rows["lda"]["task"], rows["forest"]["task"]) == (
        "regression",
        "classification",
        "any",
    )
    assert (rows["k-nn"]["weights"], rows["svm"]["weights"]) == (False, True)
    assert rows["gaussian-process"]["most_rows"] == 2000


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("task", TASKS)
def test_every_tuned_parameter_has_a_direction_of_simplicity(task, size):
    facts = Facts(rows=200, columns=5, task=task)
    for entry in all_entries():
        if task not in entry.tasks or not (written := entry.space(facts, size)):
            continue
        names = make_space(written).names
        assert set(names) <= set(entry.simpler), entry.name
        space = make_space(written, simpler={name: entry.simpler[name] for name in names})
        ranks = space.simplicity_order(space.grid())
        assert sorted(ranks) == list(range(int(space.size))), entry.name


@pytest.mark.few(7)
@pytest.mark.parametrize(("name", "task"), SERVED)
def test_spaces_grow_with_their_size_and_hold_only_values_the_learner_takes(name, task):
    data = make_dataset(*table(task))
    sizes = []
    for size in SIZES:
        made = builtin(f"{name}:{size}", data)
        check_space(Learner(name, made.estimator, made.space, is_builtin=True), data)
        sizes.append(0 if made.space is None else made.space.size)
    assert sizes == sorted(sizes)
    assert sizes == [0, 0, 0] or sizes[0] < sizes[2]


def test_kernels_of_a_conditional_space_have_only_their_own_parameters():
    space = builtin("svm", make_dataset(*table("binary"))).space
    found = {candidate["kernel"]: set(candidate) - {"kernel"} for candidate in space.grid()}
    assert found == {"linear": {"C"}, "poly": {"C", "degree", "gamma", "coef0"}, "rbf": {"C", "gamma"}}
    order = np.argsort(space.simplicity_order(space.grid()))
    kernels = [space.grid()[at]["kernel"] for at in order]
    assert list(dict.fromkeys(kernels)) == ["linear", "poly", "rbf"]


@pytest.mark.parametrize(("rows", "most"), [(1000, 1000.0), (1001, 100.0)])
def test_dear_penalties_with_hardly_any_free_error_are_for_small_tables(rows, most):
    space = make_space(find_entry("svm").space(Facts(rows=rows, columns=4), "default"))
    sharp = [candidate for candidate in space.grid() if candidate.get("epsilon") == 0.01]
    assert {candidate["C"] for candidate in sharp} == {most / 10, most}
    assert max(candidate["C"] for candidate in space.grid() if candidate.get("epsilon") != 0.01) == 100.0


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("columns", [1, 2, 3, 4, 9, 10, 60])
def test_shares_of_a_forest_are_different_numbers_of_columns(columns, size):
    space = make_space(find_entry("forest").space(Facts(rows=100, columns=columns), size))
    shares = sorted({candidate["max_features"] for candidate in space.grid()})
    numbers = [max(1, int(share * columns)) for share in shares]
    assert len(set(numbers)) == len(numbers)
    assert numbers[-1] == columns


@pytest.mark.parametrize("task", TASKS)
def test_default_spaces_can_be_waited_for(task):
    """Candidates of each, and distinct runs where shorter ones are read from the longest."""
    facts = Facts(rows=800, columns=12, task=task, classes=2 if task == "binary" else 5)
    for name, most in (("tree", 100), ("forest", 3), ("extra-trees", 3), ("svm", 60)):
        assert 2 <= make_space(find_entry(name).space(facts, "default")).size <= most, name
    grid = make_space(find_entry("boosting").space(facts, "default")).grid()
    runs = {tuple(sorted((key, value) for key, value in one.items() if key != "max_iter")) for one in grid}
    assert len(runs) == 2


def test_a_fixed_word_keeps_the_blocks_of_a_conditional_space_that_allow_it():
    data = make_dataset(*table("regression"))
    fixed = builtin("svm", data, overrides={"kernel": "rbf"})
    assert fixed.space.names == ("C", "gamma", "epsilon")
    assert fixed.estimator.get_params()["learner__regressor__kernel"] == "rbf"
    other = builtin("svm", data, overrides={"kernel": "sigmoid"})
    assert "kernel" not in other.space.names


@pytest.mark.parametrize(("task", "sparse_solver"), [("binary", "liblinear"), ("multiclass", "saga")])
def test_logistic_takes_any_share_of_the_absolute_penalty_with_a_method_that_serves_it(task, sparse_solver):
    data = make_dataset(*table(task))
    made = builtin("logistic", data, overrides={"l1_ratio": [0.0, 0.5, 1.0], "C": [0.1]})
    solvers = {candidate["l1_ratio"]: candidate["solver"] for candidate in made.space.grid()}
    assert solvers == {0.0: "newton-cg", 0.5: "saga", 1.0: sparse_solver}
    for candidate in made.space.grid():
        Learner("logistic", made.estimator, made.space).at(candidate).fit(data.X, data.y)
    fixed = builtin("logistic", data, overrides={"l1_ratio": 1.0})
    assert fixed.estimator.get_params()["learner__solver"] == sparse_solver
    assert fixed.space.names == ("C",)
    own = builtin("logistic", data, overrides={"l1_ratio": [0.5, 1.0], "solver": "saga"})
    assert own.space.names == ("l1_ratio",)


def test_logistic_of_two_classes_tries_both_penalties():
    space = builtin("logistic", make_dataset(*table("binary"))).space
    assert {candidate["l1_ratio"] for candidate in space.grid()} == {0.0, 1.0}


def test_qda_has_its_other_parameter_by_name():
    data = make_dataset(*table("binary"))
    made = builtin("qda", data, overrides={"reg_param": [0.1, 0.5]})
    assert [candidate["solver"] for candidate in made.space.grid()] == ["svd", "svd"]
    Learner("qda", made.estimator, made.space).at(made.space.grid()[0]).fit(data.X, data.y)


@pytest.mark.parametrize(("name", "task"), SERVED)
def test_the_list_says_truly_who_takes_weights(name, task):
    made = builtin(name, make_dataset(*table(task)))
    assert takes_weights(made.estimator) == find_entry(name).takes_weights


FOUND = {
    "linear": "ridge",
    "ridge": "ridge",
    "lasso": "lasso",
    "elastic-net": "lasso",
    "logistic": "logistic",
    "k-nn": "k-nn",
    "tree": "trees",
    "forest": "forests",
    "extra-trees": "forests",
    "boosting": "histogram boosting",
    "svm": "svm",
    "kernel-ridge": "kernel ridge",
    "gaussian-process": "kernel ridge",
    "naive-bayes": "gaussian naive Bayes",
    "lda": "linear discriminant",
    "qda": "quadratic discriminant",
    "gam": "shared steps",
}


@pytest.mark.parametrize("name", FOUND)
def test_every_learner_has_its_solver_for_its_whole_space(name):
    task = "regression" if "regression" in find_entry(name).tasks else "binary"
    data = make_dataset(*table(task))
    made = builtin(name, data)
    learner = Learner(name, made.estimator, made.space)
    every = [{}] if made.space is None else made.space.grid()
    solver = find([learner.at(candidate) for candidate in every], data, is_builtin=True)
    assert solver is not None
    assert solver.name == FOUND[name]


@pytest.mark.few(1)
@pytest.mark.parametrize("task", TASKS)
def test_every_core_learner_runs_through_compare_on_a_mixed_table(task):
    X, y = mixed(task)
    names = [name for name in CORE if task in find_entry(name).tasks and name != "baseline"]
    few = {"forest": {"n_estimators": 5}, "extra-trees": {"n_estimators": 5}, "boosting": {"max_iter": 5}}
    specs = {name: fw.learner(name, size="small", **few.get(name, {})) for name in names}
    result = fw.compare(specs, X, y, outer=0.4, inner=0.4, budget=2, jobs=1, progress=False).to_dict()
    methods = {method["name"]: method for method in result["methods"]}
    assert set(names) <= set(methods)
    for name in names:
        assert methods[name]["status"] == "ok", name
        assert methods[name]["failed"] == 0, name
        assert np.isfinite(methods[name]["risk"]), name


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("name", "task"), [("gam", "regression"), ("gaussian-process", "regression"), ("qda", "binary")]
)
def test_curved_learners_see_what_straight_ones_cannot(name, task):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 3))
    y = X[:, 0] ** 2 + 0.1 * rng.normal(size=150)
    y = y if task == "regression" else y > 0.5
    straight = "ridge" if task == "regression" else "logistic"
    specs = [fw.learner(name, size="small"), fw.learner(straight, size="small")]
    result = fw.compare(specs, X, y, outer=3, inner=2, jobs=1, progress=False)
    risks = {method["name"].partition(":")[0]: method["risk"] for method in result.to_dict()["methods"]}
    assert risks[name] < 0.7 * risks[straight]


def test_the_size_may_stand_behind_the_name():
    X, y = table("regression")
    result = fw.compare(["ridge:small", "ridge"], X, y, outer=3, inner=2, jobs=1, progress=False).to_dict()
    assert [method["name"] for method in result["methods"]][:2] == ["ridge:small", "ridge"]
    assert fw.learner("ridge", size="small") == fw.learner("ridge:small")


def test_a_missing_package_is_told_with_the_command_that_brings_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "lightgbm", None)
    X, y = table("regression")
    words = r"the learner 'lightgbm' needs lightgbm, which is not installed. Run: pip install \"foldwise\[lightgbm\]\"."
    with pytest.raises(MissingExtra, match=words):
        fw.compare(["ridge", "lightgbm"], X, y, jobs=1)
    (row,) = [row for row in entries() if row["name"] == "lightgbm"]
    assert (row["installed"], row["install"]) == (False, 'pip install "foldwise[lightgbm]"')
    assert 'needs         pip install "foldwise[lightgbm]"' in listing_text([row])


def test_a_package_that_is_there_but_cannot_be_loaded_is_told_in_a_sentence(monkeypatch, tmp_path):
    (tmp_path / "xgboost.py").write_text("raise OSError('libgomp.so.1: cannot open shared object file')")
    monkeypatch.syspath_prepend(tmp_path)
    for name in [name for name in sys.modules if name.partition(".")[0] == "xgboost"]:
        monkeypatch.delitem(sys.modules, name)
    with pytest.raises(MissingExtra, match=r"needs xgboost, which cannot be loaded \(libgomp.*Install it again: pip"):
        builtin("xgboost", make_dataset(*table("regression")))


def test_a_sample_is_drawn_by_class_and_kept_in_order():
    kinds = np.array(["a"] * 90 + ["b"] * 9 + ["c"])
    rows = draw_rows(kinds, 20, np.random.RandomState(0))
    assert_array_equal(rows, np.sort(rows))
    assert len(set(rows.tolist())) == 20
    counts = dict(zip(*np.unique(kinds[rows], return_counts=True), strict=True))
    assert counts["c"] == 1
    assert 1 <= counts["b"] <= 3


def test_a_sampled_learner_equals_the_learner_on_its_sample():
    X, y = table("binary")
    weights = np.random.default_rng(0).uniform(1, 2, len(y))
    model = RowSample(LogisticRegression(), max_rows=40, random_state=5).fit(X, y, sample_weight=weights)
    rows = draw_rows(y, 40, np.random.RandomState(5))
    alone = LogisticRegression().fit(X[rows], y[rows], sample_weight=weights[rows])
    assert_allclose(model.predict_proba(X), alone.predict_proba(X))
    assert_allclose(model.decision_function(X), alone.decision_function(X))
    assert_array_equal(model.classes_, alone.classes_)
    assert not hasattr(RowSample(DummyClassifier()), "decision_function")


def test_a_small_table_is_not_sampled_and_a_large_one_is_told():
    X, y = table("regression", rows=90)
    assert not hasattr(builtin("gaussian-process", make_dataset(X, y)).estimator[-1], "max_rows")
    enough = builtin("svm", make_dataset(X, y), overrides={"max_rows": 90})
    assert not hasattr(enough.estimator[-1], "max_rows")
    assert builtin("svm", make_dataset(X, y), overrides={"max_rows": 89}).estimator[-1].max_rows == 89
    X, y = table("regression", rows=2100)
    data = make_dataset(X, y)
    assert builtin("gaussian-process", data).estimator[-1].max_rows == 2000
    spec = fw.learner("gaussian-process", max_rows=60, alpha=[0.1], length_scale=2.0)
    result = fw.compare([spec], X, y, outer=0.2, inner=0.2, jobs=1, progress=False)
    notes = {note["code"]: note["text"] for note in result.to_dict()["notes"]}
    assert notes["sample"] == "gaussian-process learns from at most 60 rows, drawn from its training rows"


@pytest.mark.parametrize("name", ["ridge", "k-nn", "tree", "forest", "boosting"])
def test_any_learner_can_be_told_to_learn_from_a_sample(name):
    rng = np.random.default_rng(2)
    data = make_dataset(rng.normal(size=(90, 2)), rng.normal(size=90))
    made, plain = builtin(name, data, overrides={"max_rows": 20}), builtin(name, data)
    assert (sampled_rows(made.estimator), sampled_rows(plain.estimator)) == (20, None)
    assert made.space.grid() == plain.space.grid()


def test_the_penalty_of_kernel_ridge_does_not_depend_on_the_unit_of_the_target():
    X, y = table("regression")
    made = builtin("kernel-ridge", make_dataset(X, y), overrides={"alpha": 0.1, "gamma": 0.2}).estimator
    one, other = made.fit(X, y).predict(X), made.fit(X, 1000 * y + 5e5).predict(X)
    assert_allclose(other, 1000 * one + 5e5, rtol=1e-8)
    Z = StandardScaler().fit_transform(X)
    gram = np.exp(-0.2 * ((Z[:, None] - Z[None]) ** 2).sum(axis=2))
    dual = np.linalg.solve(gram + 0.1 * np.eye(len(y)), (y - y.mean()) / y.std())
    assert_allclose(one, gram @ dual * y.std() + y.mean())


PAGE = (Path(__file__).parents[2] / "docs" / "learners.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("entry", all_entries(), ids=lambda entry: entry.name)
def test_the_page_of_learners_explains_every_parameter(entry):
    section = PAGE.partition(f"\n## {entry.name}\n")[2].partition("\n## ")[0]
    assert section
    for task in entry.tasks:
        written = entry.space(Facts(rows=500, columns=5, task=task), "default")
        for name in make_space(written).names if written and entry.name != "svm" else ():
            same = {"lightgbm": "boosting", "xgboost": "lightgbm", "extra-trees": "forest", "kernel-ridge": "svm"}.get(
                entry.name, entry.name
            )
            beside = PAGE.partition(f"\n## {same}\n")[2].partition("\n## ")[0]
            assert f"`{name}" in section + beside or name == "kernel", name


@pytest.mark.few(2)
@pytest.mark.parametrize(
    ("name", "task", "loss"),
    [
        ("lasso", "regression", "squared"),
        ("elastic-net", "regression", "squared"),
        ("kernel-ridge", "regression", "squared"),
        ("logistic", "binary", "log"),
        ("logistic", "multiclass", "log"),
        ("lda", "multiclass", "log"),
        ("qda", "binary", "log"),
    ],
)
def test_solvers_and_the_plain_loop_agree_on_built_in_learners(name, task, loss):
    X, y = table(task, rows=70)
    words = {"loss": loss, "outer": 3, "inner": 2, "jobs": 1, "progress": False, "optimism": True}
    spec = fw.learner(name, size="small")
    fast, plain = (
        fw.compare([spec], X, y, solvers=solvers, **words).to_dict()["methods"][0] for solvers in ("auto", False)
    )
    assert [fold["candidate"] for fold in fast["folds"]] == [fold["candidate"] for fold in plain["folds"]]
    assert_allclose([fold["loss"] for fold in fast["folds"]], [fold["loss"] for fold in plain["folds"]], rtol=1e-6)
    assert_allclose(fast["selection_score"], plain["selection_score"], rtol=1e-6)
