"""What a study costs, told before it starts: never less than what is then made."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import Ridge
from sklearn.svm import SVR
from sklearn.tree import DecisionTreeRegressor

import foldwise as fw
from foldwise.api.planning import method_cost

RNG = np.random.default_rng(3)
X = RNG.normal(size=(48, 3))
Y = X[:, 0] - X[:, 1] ** 2 + RNG.normal(size=48) / 4


def parts():
    return {
        "svr": fw.tune(SVR(), C=[0.1, 1.0, 10.0]),
        "tree": fw.tune(DecisionTreeRegressor(random_state=0), max_depth=[1, 2]),
    }


@pytest.mark.few(1)
@pytest.mark.parametrize("order", [1, -1], ids=["members first", "members last"])
def test_fits_that_several_methods_share_are_counted_once(order):
    specs = {**parts(), "blend": fw.blend(parts()), "other": fw.blend({**parts(), "ridge": Ridge()})}
    specs = dict(list(specs.items())[::order])
    words = {"outer": 3, "inner": 2, "jobs": 1}
    plan = fw.plan(specs, X, Y, **words, pilot=False)
    answer = fw.compare(specs, X, Y, **words).to_dict()
    assert plan.fits == answer["fits"] == answer["fits_made"]


def test_a_plan_says_how_many_fits_methods_share():
    specs = {"tuned": fw.tune(Ridge(), alpha=[0.1, 1.0]), "plain": Ridge(alpha=1.0)}
    plan = fw.plan(specs, X, Y, outer=3, inner="pairs", pilot=False)
    fewer = sum(method["fits"] for method in plan.methods) - plan.fits
    assert fewer > 0
    words = f"{fewer} fewer than the lines above: fits that methods share are made once"
    assert repr(plan).endswith(f"\n{plan.fits} fits ({words})")


def test_members_that_are_no_rows_are_counted_too():
    for spec in (fw.blend(parts()), fw.blend({**parts(), "ridge": Ridge()})):
        words = {"outer": 3, "inner": 2, "jobs": 1}
        plan = fw.plan({"whole": spec}, X, Y, **words, pilot=False)
        assert plan.fits == fw.compare({"whole": spec}, X, Y, **words).to_dict()["fits"]


def test_where_time_decides_a_number_of_fits_is_a_guess_and_never_below_what_is_begun_with():
    from foldwise.api.request import make_comparison
    from foldwise.records.memory import MemoryStore
    from foldwise.studies.reading import Reading

    spec = {"svr": fw.tune(SVR(), C=fw.log_range(0.1, 100), tuner="tpe", budget="12 s")}
    runnable = make_comparison(spec, X, Y, outer=3, inner=2)
    reading, method = Reading(runnable.study, MemoryStore()), runnable.study.methods[0]
    tight, slow = (method_cost(reading, method, seconds) for seconds in (0.02, 1.0))
    assert (tight.fits, tight.seconds, tight.is_rough) == (600, 12.0, True)
    assert (slow.fits, slow.seconds) == (83, 83.0)  # ten candidates on 8 splits, and 3 fits of those chosen
    plan = fw.Plan(slow.fits, [slow.to_dict()], slow.seconds, "3 folds", "2 folds", 48)
    assert "svr: about 83 fits, about 83 s" in repr(plan)
    assert "at most" not in repr(plan)


def test_large_numbers_of_a_plan_have_their_commas():
    """As the page about plans shows them, and as the line of a run does."""
    method = {"name": "svr", "fits": 12345, "at_most": False, "is_rough": False, "candidates": 1000, "seconds": None}
    plan = fw.Plan(12345, [method], None, "3 folds", "2 folds", 20000)

    assert repr(plan).splitlines() == [
        "20,000 rows; outer splits: 3 folds; inner splits: 2 folds",
        "  svr: 12,345 fits, 1,000 candidates",
        "12,345 fits",
    ]
    assert "12,345" in plan._repr_html_()


def test_plans_and_risks_tell_how_whole_numbers_are_read():
    X, y = np.arange(120.0).reshape(60, 2), np.tile([1, 2, 3, 4, 5], 12)
    words = 'the target holds 5 distinct whole numbers, 1 to 5; if they are classes, say task="classification"'

    assert repr(fw.plan(["k-nn"], X, y, outer=0.3, inner=0.3, pilot=False)).startswith(f"regression ({words}")
    estimate = fw.risk("k-nn", X, y, outer=0.3, inner=0.3, jobs=1)
    assert any(code == "task" and text.startswith(words) for code, text in estimate.notes)
