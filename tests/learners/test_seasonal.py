"""The seasonal naive forecast in a study (learners/estimators/seasonal.py, learners/zoo/series.py)."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import foldwise as fw
from foldwise.data.dataset import make_dataset
from foldwise.errors import BadLearner, BadSpace
from foldwise.learners.estimators.seasonal import SeasonalNaive
from foldwise.learners.model import make_fitting, respond, steps_of


def series(rows=72, seed=0):
    """Months with a season of twelve, in an order that is not that of time."""
    rng = np.random.default_rng(seed)
    month = rng.permutation(rows)
    return rng.normal(size=(rows, 2)), 10 * np.sin(2 * np.pi * month / 12) + rng.normal(size=rows), month


def by_hand(target_of, train_steps, step, period):
    """One step at a time: back by whole periods until a training row is met."""
    back = step - period
    while back >= 0:
        if back in train_steps:
            return target_of[back]
        back -= period
    return np.mean([target_of[one] for one in train_steps])


@pytest.mark.parametrize("period", [1, 12])
@pytest.mark.parametrize(("gap", "horizon"), [(0, None), (2, 5), (14, 15)])
def test_a_study_is_a_loop_by_hand(period, gap, horizon):
    X, y, month = series()
    outer = fw.TimeOrdered(3, gap=gap, horizon=horizon)
    result = fw.compare([fw.learner("seasonal-naive", period=period)], X, y, time=month, outer=outer)
    target_of = dict(zip(month.tolist(), y.tolist(), strict=True))
    for fold, part in result.splits().query("level == 'outer'").groupby("fold"):
        train, test = (part[part["part"] == name]["row"].to_numpy() for name in ("train", "test"))
        known = set(month[train].tolist())
        said = np.array([by_hand(target_of, known, int(month[row]), period) for row in test])
        found = result.to_dict()["methods"][0]["folds"][fold]["loss"]
        assert_allclose(found, np.mean((said - y[test]) ** 2))


def test_it_beats_the_mean_on_a_season():
    X, y, month = series()
    methods = fw.compare([fw.learner("seasonal-naive", period=12)], X, y, time=month).to_dict()["methods"]
    assert methods[0]["risk"] < 0.2 * methods[1]["risk"]


def test_its_period_can_be_tuned():
    X, y, month = series(120)
    outer, inner = fw.TimeOrdered(3, horizon=12), fw.TimeOrdered(3, horizon=12)
    learner = fw.learner("seasonal-naive", period=[1, 6, 12])
    folds = fw.compare([learner], X, y, time=month, outer=outer, inner=inner).to_dict()["methods"][0]["folds"]
    assert [fold["candidate"] for fold in folds] == [{"period": 12}] * 3


def test_without_time_the_rows_are_in_order_and_a_note_says_so():
    X, y, month = series()
    order = np.argsort(month)
    learner, outer = fw.learner("seasonal-naive", period=12), fw.TimeOrdered(4)
    sorted_ = fw.compare([learner], X[order], y[order], outer=outer).to_dict()
    timed = fw.compare([learner], X, y, time=month, outer=outer).to_dict()
    assert sorted_["methods"][0]["risk"] == pytest.approx(timed["methods"][0]["risk"])
    assert [note["code"] for note in sorted_["notes"]].count("time") == 1
    assert not [note for note in timed["notes"] if note["code"] == "time"]


def test_rows_of_one_time_share_their_mean():
    data = make_dataset(np.zeros((6, 1)), [1.0, 3.0, 5.0, 7.0, 0.5, 0.5], time=[0, 0, 1, 1, 2, 2])
    assert steps_of(data).tolist() == [0, 0, 1, 1, 2, 2]
    model = make_fitting(SeasonalNaive(2)).fit(data, np.arange(4), 0)
    assert respond(model, data, np.arange(4, 6), ["predict"])["predict"].tolist() == [2.0, 2.0]


def test_the_model_handed_over_goes_on_where_the_training_rows_end():
    y = np.tile([1.0, 2.0, 3.0], 8)
    result = fw.compare([fw.learner("seasonal-naive", period=3)], np.zeros((24, 1)), y, time=np.arange(24), outer=3)
    assert result.refit("seasonal-naive").predict(np.zeros((4, 1))).tolist() == [1.0, 2.0, 3.0, 1.0]


def test_times_are_part_of_what_its_fits_are_known_by(tmp_path):
    X, y, month = series()
    learner = fw.learner("seasonal-naive", period=12)
    split = [(np.arange(60), np.arange(60, 72))]
    first = fw.compare([learner], X, y, outer=split, store=tmp_path / "run").to_dict()
    order = np.argsort(np.argsort(month[:60]))
    other = fw.compare([learner], X, y, time=np.r_[order, 60:72], outer=split, store=tmp_path / "run2").to_dict()
    assert first["methods"][0]["risk"] != other["methods"][0]["risk"]


@pytest.mark.parametrize("period", [0, 1.5, "year", True])
def test_a_period_that_is_none_is_refused(period):
    with pytest.raises(BadSpace, match="period"):
        fw.compare([fw.learner("seasonal-naive", period=period)], *series()[:2])


def test_it_is_for_numbers():
    with pytest.raises(BadLearner, match=r"the learner 'seasonal-naive' is not for classification\. Use 'baseline'"):
        fw.compare(["seasonal-naive"], np.zeros((20, 1)), [0, 1] * 10, task="classification")
