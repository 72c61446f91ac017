"""A study in plain values: its stages, the rows that are tuned on, and the names and seeds of fits."""

from __future__ import annotations

import numpy as np
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.svm import SVC

import foldwise as fw
from foldwise.api.request import request
from foldwise.studies.study import rows_name

X = np.random.default_rng(0).normal(size=(30, 2))
RIDGE = {"a": fw.tune(Ridge(), alpha=[0.1, 1.0])}


def study(learners=RIDGE, target=X[:, 0], **options):
    return request(learners, X, target, **{"outer": 5, "inner": "pairs"} | options).study().study


def test_every_outer_split_is_a_stage_with_the_inner_splits_of_its_training_rows():
    found = study(inner=3)
    tuned, baseline = found.methods
    stages = found.stages(tuned)
    assert [stage.name for stage in stages] == [f"outer {at}" for at in range(5)]
    for stage in stages:
        held = np.concatenate([split.test for split in stage.inner])
        assert sorted(held) == sorted(stage.split.train)
    assert [stage.inner for stage in found.stages(baseline)] == [None] * 5
    assert list(found.named_tunings(tuned)) == [*(stage.name for stage in stages), "final"]


def test_pairs_of_folds_are_trained_on_once_and_scored_on_both():
    found = study()
    rows = found.tuning_rows(found.methods[0])
    assert len(rows) == 10 + 5  # pairs of folds, and the folds of the final tuning
    sizes = sorted(len(asked) for _, asked in rows.values())
    assert sizes == [6] * 5 + [12] * 10


def test_the_name_of_a_fit_changes_with_data_candidate_rows_weights_seed_and_nothing_else():
    def key(candidate=0, at=0, **options):
        found = study(outer=np.arange(30) % 5, **options)
        return found.key(found.methods[0], candidate, found.outer[at])

    assert key() == key(level=0.9) == key(loss="absolute") == key(on_failure="baseline") == key(inner=3)
    others = [key(1), key(at=1), key(seed=1), key(weights=np.arange(1.0, 31.0)), key(target=X[:, 1])]
    assert len({key(), *others}) == 6


def test_seeds_are_of_learner_and_rows_and_fit_into_31_bits():
    found = study()
    seeds = {found.fit_seed(family, rows) for family in ("a", "b") for rows in ("x", "y")}
    assert len(seeds) == 4
    assert all(0 <= seed < 2**31 for seed in seeds)
    assert found.fit_seed("a", "x") != study(seed=1).fit_seed("a", "x")


def test_rows_have_the_same_name_whatever_integers_hold_them():
    assert rows_name(np.array([1, 2], np.int32)) == rows_name(np.array([1, 2])) != rows_name(np.array([2, 1]))


def test_the_response_is_the_first_that_the_loss_needs_and_the_model_has():
    target = np.where(X[:, 0] > 0, "yes", "no")
    found = study({"a": LogisticRegression(), "b": SVC()}, target, loss=["zero_one", "roc_auc"])
    probable, decisive, _ = found.methods
    auc = found.losses[1]
    assert (decisive.response_for(auc), decisive.responses[0]) == (
        "decision_function",
        ("predict", "decision_function"),
    )
    assert probable.response_for(auc) in probable.responses[0]
    assert set(found.kept(probable, 0)) >= {"predict", "predict_proba"}
    assert found.judging(probable, 0) == ("predict",)


def test_training_risks_are_left_out_where_they_would_cost_most():
    assert study().has_training_risk
    many = request(RIDGE, np.zeros((60, 1)), np.arange(60.0), outer="loo", inner=2).study().study
    assert not many.has_training_risk


def test_keys_of_all_candidates_are_those_of_one():
    X = np.random.default_rng(0).normal(size=(30, 2))
    result = fw.compare(["k-nn"], X, X[:, 0] + X[:, 1] ** 2, outer=3, inner=3, jobs=1)
    study = result.study
    method, name = study.methods[0], study.rows_name(study.outer[0])
    assert study.keys(method, name) == tuple(study.fit_key(identity, name) for identity in method.identities)
