"""Decisions of simulated studies hold as often as they say; the whole mix is in docs/decide.md."""

from __future__ import annotations

import numpy as np
import pytest
from evidence.decisions import SURE, TASKS, block_design, decisions, designs, true_risks


def test_equal_blocks_are_a_near_tie_and_unequal_ones_are_not():
    found = decisions(
        [block_design("regression", 2), block_design("regression", 2, lead=1.0)], replications=12, tables=60, jobs=1
    )
    tied, apart = found[found["study"].str.contains("spread")], found[found["study"].str.contains("lead")]
    assert tied["gap"].max() < 0.03
    assert apart["gap"].min() > 0.1
    assert apart["p_best"].median() > tied["p_best"].median()
    assert (tied["regret"] == 0).all()
    assert ((apart["regret"] == 0) == apart["is_best"]).all()
    assert (found["p_best"] >= 0.5 - 1e-9).all()
    widths = [found[f"{name} width"].mean() for name in ("plain", "winner's", "Bonferroni")]
    assert widths == sorted(widths)
    assert found["Bonferroni covers"].mean() >= found["plain covers"].mean()


@pytest.mark.parametrize("task", TASKS)
def test_equal_learners_have_equal_risks_by_symmetry(task):
    """As they come out; the design takes their mean."""
    design = block_design(task, 3, lead=1e-9)
    risks = true_risks(design, 0, 60)
    assert np.ptp(risks) < 0.06 * risks.mean()


def test_the_mix_has_all_tasks_and_numbers_of_methods():
    mix = designs()
    assert len({str(design) for design in mix}) == len(mix) == 72
    assert {len(design.learners) for design in mix} == {2, 3, 4, 8}
    assert {design.repeats for design in mix} == {1, 5}


@pytest.mark.slow
def test_a_method_called_the_best_is_the_best_regrets_are_not_understated_and_the_winners_interval_covers():
    """The reduced run: equal and clearly unequal blocks, up to 4 methods, 12 tables each."""
    kinds = ("spread 0,", "spread 0.5", "lead 1,")
    mix = [d for d in designs() if len(d.learners) <= 4 and any(kind in str(d) for kind in kinds)]
    found = decisions([d for d in mix if "regression" in str(d)], replications=12, tables=100, jobs=2)
    sure = found[found["p_best"] >= SURE]
    assert len(sure) > 10
    assert sure["is_best"].mean() >= 0.88
    assert found["stated_regret"].mean() >= found["regret"].mean()
    assert (found["regret"] <= found["regret_high"] + 1e-12).mean() >= 0.95
    assert found["winner's covers"].mean() >= 0.93
