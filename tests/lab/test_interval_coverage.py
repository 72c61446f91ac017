"""The coverage runner: what it counts, what it refuses, and that workers do not change a digit."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from foldwise.errors import BadInterval, BadStudy
from foldwise.lab import interval_coverage as lab
from foldwise.lab.draws import cv_draws, holdout_draws
from foldwise.lab.interval_coverage import AT_ONCE, coverage, covered, lab_interval, monte_carlo_error
from foldwise.lab.learners import find_learner
from foldwise.lab.problems import find_problem
from foldwise.stats.chooser import INTERVALS
from foldwise.stats.interval_method import IntervalMethod


def test_misses_are_counted_on_the_side_where_the_truth_lies():
    low, high = np.array([0.0, 0.6, 0.0, 0.0]), np.array([1.0, 0.9, 0.4, 0.3])
    found = covered(low, high, 0.5)
    assert (found["coverage"], found["truth_below"], found["truth_above"]) == (0.25, 0.25, 0.5)
    assert found["error"] == pytest.approx(np.sqrt(0.25 * 0.75 / 4))
    assert found["width"] == pytest.approx(0.5)


def test_the_error_of_a_full_share_is_not_zero():
    assert monte_carlo_error(1.0, 100) == pytest.approx(np.sqrt(0.01 * 0.99 / 100))


def test_exact_coverage_of_clopper_and_pearson_is_found():
    """Simulated coverage is that of the binomial sum, over the risks of the models that were tested."""
    found = coverage(["noise classes"], ["clopper-pearson"], rows=[50], replications=1000, jobs=1).iloc[0]
    k = np.arange(51)
    low = np.where(k > 0, stats.beta.ppf(0.025, k, 51 - k), 0)
    high = np.where(k < 50, stats.beta.ppf(0.975, k + 1, 50 - k), 1)
    exact = stats.binom.pmf(k, 50, 0.5)[(low <= 0.5) & (high >= 0.5)].sum()
    assert found["truth"] == pytest.approx(0.5)
    assert abs(found["coverage"] - exact) < 4 * np.sqrt(exact * (1 - exact) / 1000)


@pytest.mark.parametrize("problem", ["linear", "smooth", "two classes"])
def test_the_default_of_cross_validation_covers_ordinary_problems(problem):
    found = coverage([problem], ["corrected t"], rows=[100], folds=[5, 10], replications=400, jobs=1)
    assert (found["coverage"] >= 0.93 - 3 * found["error"]).all()
    assert set(found["target"]) == {"T2"}


def test_the_naive_interval_misses_where_the_survey_says_it_does():
    """Least squares on noise, 20 columns, 100 rows: nominal 90%, really about 84% (T2 at n) and 80% (T1)."""
    found = coverage(["noise"], ["naive z"], targets=["T2n", "T1"], level=0.9, replications=800, jobs=1)
    assert found["coverage"].tolist() == pytest.approx([0.837, 0.797], abs=0.05)
    # the exact expected risk of least squares at 100 rows
    assert found["truth"].iloc[0] == pytest.approx(101 * 98 / (100 * 78), abs=0.02)


def test_the_bates_interval_is_wider_than_the_naive_one():
    found = coverage(["linear"], ["bates", "naive z"], rows=[40], folds=[5], replications=20, jobs=1)
    width = found.set_index("interval")["width"]
    assert width["Bates"] > width["naive z"]


def test_the_bates_interval_covers_the_learner():
    found = coverage(["linear"], ["Bates"], rows=[50], folds=[5], replications=100, level=0.9, jobs=1).iloc[0]
    assert found["coverage"] >= 0.9 - 3 * found["error"]


def test_a_tuned_learner_has_its_own_target():
    found = coverage(["ridge"], ["corrected t"], rows=[80], folds=[5], replications=5, jobs=1)
    assert found["target"].tolist() == ["T4"]
    assert found["learner"].tolist() == ["tuned ridge"]


@pytest.mark.slow
def test_the_number_of_workers_changes_no_digit():
    asked = {"rows": [30], "folds": [5], "replications": 120, "seed": 3}
    one = coverage(["linear", "two classes"], ["corrected t", "clopper-pearson"], **asked, jobs=1)
    two = coverage(["linear", "two classes"], ["corrected t", "clopper-pearson"], **asked, jobs=2)
    assert one.equals(two)
    other = coverage(["linear"], ["corrected t"], **asked | {"seed": 4}, jobs=1)
    assert other["width"].iloc[0] != one["width"].iloc[0]


def test_a_cell_does_not_depend_on_the_cells_beside_it():
    alone = coverage(["linear"], ["corrected t"], rows=[30], folds=[5], replications=60, jobs=1)
    among = coverage(["smooth", "linear"], ["corrected t"], rows=[30, 50], folds=[5], replications=60, jobs=1)
    beside = among[(among["problem"] == "linear") & (among["rows"] == 30)]
    assert beside.reset_index(drop=True).equals(alone)


def test_wrong_requests_are_refused_in_words():
    with pytest.raises(BadInterval, match=r"no interval 'corected t'. Did you mean 'corrected t'"):
        coverage(["linear"], ["corected t"])
    with pytest.raises(BadInterval, match="none of these intervals is for the losses of these problems"):
        coverage(["linear"], ["hoeffding"])
    with pytest.raises(BadStudy, match="no target 'T9'"):
        coverage(["linear"], targets=["T9"])
    with pytest.raises(BadStudy, match="0 replications cannot be made"):
        coverage(["linear"], replications=0)
    with pytest.raises(BadInterval, match="a level lies between 0 and 1"):
        coverage(["linear"], level=1.5)


def test_unbounded_losses_have_no_bounded_interval():
    assert all("squared" not in lab_interval(name).losses for name in ("hoeffding", "betting", "empirical bernstein"))


def test_names_targets_and_losses_are_those_of_the_table():
    found = {name: (one.target, one.losses) for name, one in ((name, lab_interval(name)) for name in AT_ONCE)}
    every, bounded = ("squared", "zero_one", "absolute", "cost"), ("zero_one", "absolute")
    assert found == {
        "corrected t": ("T2", every),
        "Bayle": ("T3", every),
        "Clopper-Pearson": ("T1", ("zero_one",)),
        "betting": ("T1", bounded),
        "Hoeffding": ("T1", bounded),
        "empirical Bernstein": ("T1", bounded),
        "t": ("T1", ("squared",)),
    }
    assert [lab_interval(name).name for name in ("cv clt", "cv_clt_within", "Naive z")] == [
        "Bayle",
        "Bayle within folds",
        "naive z",
    ]
    assert (lab_interval("Bates").target, lab_interval("Bates").losses) == ("T2", every)


@pytest.mark.parametrize(
    ("name", "problem"),
    [("corrected t", "linear"), ("Bayle", "linear"), ("Clopper-Pearson", "two classes"), ("t", "linear")],
)
def test_all_at_once_is_what_one_by_one_is(name, problem):
    """The formula with a leading axis, and the row of the table on the evidence of each replication."""
    task, rng = find_problem(problem), np.random.default_rng(0)
    learner = find_learner("least squares" if problem == "linear" else "centroid", task.task)
    if lab_interval(name).is_of_test:
        draws = holdout_draws(task, learner, rows=30, test_rows=25, times=4, rng=rng)
    else:
        draws = cv_draws(task, learner, rows=30, folds=5, times=4, rng=rng)
    one_by_one = lab._one_by_one(INTERVALS[name], draws, 0.9)
    np.testing.assert_allclose(AT_ONCE[name](draws, 0.9), one_by_one, rtol=1e-12)


def test_an_interval_of_your_own_is_judged_too():
    """Twice the corrected t covers more than itself; one that refuses everything holds nothing."""
    corrected = INTERVALS["corrected t"]

    def compute(evidence, level):
        found = corrected.ends(evidence, level)
        return 2 * found.low - found.value, 2 * found.high - found.value

    own = IntervalMethod("wide", compute, corrected.refuse)
    asked = {"rows": [30], "folds": [5], "replications": 60, "jobs": 1}
    found = coverage(["linear"], ["corrected t", own], **asked).set_index("interval")
    assert found.loc["wide", "width"] == pytest.approx(2 * found.loc["corrected t", "width"])
    assert found.loc["wide", "coverage"] >= found.loc["corrected t", "coverage"]
    with pytest.raises(BadInterval, match="none of these intervals is for the losses of these problems"):
        coverage(["linear"], [IntervalMethod("shy", compute, lambda evidence: "it will not say")], **asked)
