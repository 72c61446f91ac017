"""Of equal methods nothing is claimed in more than 5 of 100 benchmarks, and no sentence takes back another."""

from __future__ import annotations

import math

import claims
import numpy as np
import pytest


@pytest.mark.parametrize(("sets", "methods"), [(2, 2), (3, 2), (2, 3), (6, 3)])
def test_few_data_sets_claim_little_of_equal_methods(sets, methods):
    """Friedman's F called 51, 27 and 17 of 100 of the first three different."""
    rates = claims.false_claims(sets, methods, replications=60, seed=1)
    assert max(rates.values()) <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / 60)
    assert rates[claims.CONTRADICTION] == 0


@pytest.mark.slow
@pytest.mark.parametrize("is_tied", [False, True], ids=["", "ties"])
@pytest.mark.parametrize("methods", [2, 4, 6])
@pytest.mark.parametrize("sets", [2, 4, 8, 12])
def test_every_claim_is_false_in_at_most_5_of_100_benchmarks(sets, methods, is_tied):
    """24 sizes are looked at, so that the largest rate may lie 4 standard errors above."""
    rates = claims.false_claims(sets, methods, replications=100, is_tied=is_tied)
    assert max(rates.values()) <= 0.05 + 4 * math.sqrt(0.05 * 0.95 / 100)
    assert rates[claims.CONTRADICTION] == 0


def test_the_patterns_know_the_sentences_that_are_printed():
    """Methods that do differ: each claim is found."""
    risks = np.outer(np.arange(1.0, 9.0), [1.0, 1.2, 1.4])
    risks += 0.01 * np.random.default_rng(0).normal(size=risks.shape)
    said = claims.benchmark_verdict(claims.made_up(risks).to_dict())
    assert all(any(claims.re.search(words, sentence) for sentence in said) for words in claims.CLAIMS.values())
    assert not claims.is_taken_back(said)
    assert claims.is_taken_back([*said, "The order may be chance."])
