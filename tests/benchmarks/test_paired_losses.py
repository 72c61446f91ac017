"""Losses that are made without a fit have the risks that they claim, and decisions from them hold."""

from __future__ import annotations

import numpy as np
import pytest
from evidence.decisions import SURE, paired_decisions
from evidence.paired_losses import KINDS, PairedLosses, usual_pairs


@pytest.mark.parametrize("kind", KINDS)
def test_mean_losses_are_the_risks_that_are_claimed(kind):
    rng, errors = np.random.default_rng(1), []
    for _ in range(40):
        evidence, risks = PairedLosses(kind, 3, 1000, 0.3, together=0.5).draw(rng)
        errors.append([one.fold_losses.mean() - risk for one, risk in zip(evidence, risks, strict=True)])
    middle, spread = np.mean(errors, axis=0), np.std(errors, axis=0)
    assert (np.abs(middle) < 4 * spread / np.sqrt(40)).all()


def test_the_area_is_that_of_scikit_learn():
    from sklearn.metrics import roc_auc_score

    for one in PairedLosses("roc_auc", 2, 100, 0.3).draw(np.random.default_rng(2))[0]:
        assert 1 - one.fold_losses[0] == pytest.approx(roc_auc_score(one.truth, one.scores[0]))


def test_of_equally_good_methods_the_first_counts_as_the_best():
    found = paired_decisions([PairedLosses("squared", 2, 100, 0.0)], replications=40)
    assert found["is_near_tie"].all()
    assert (found["regret"] == 0).all()
    assert 0.2 < found["is_best"].mean() < 0.8


@pytest.mark.slow
def test_a_predictor_called_the_best_is_the_best_and_regrets_are_not_understated():
    """A part of the mix of docs/decide.md: every third design, 8 sets of losses each."""
    found = paired_decisions(usual_pairs()[::3], replications=8)
    sure = found[found["p_best"] >= SURE]
    assert len(sure) > 50
    assert sure["is_best"].mean() >= 0.88
    assert found["stated_regret"].mean() >= found["regret"].mean()
    assert (found["regret"] <= found["regret_high"] + 1e-12).mean() >= 0.95
