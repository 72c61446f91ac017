"""Batches that died: how often they are tried, among others and alone."""

from __future__ import annotations

import pytest
from sklearn.linear_model import Ridge

import studies
from foldwise.executors.cluster.attempts import TRIES, TRIES_ALONE, Attempt, Attempts
from foldwise.plans.fit import SharedBatch
from foldwise.testing.executors import first_fits


@pytest.fixture
def runnable():
    return studies.make({"ridge": Ridge()})


def test_a_shared_batch_stays_together_until_it_has_died_thrice(runnable):
    attempts, batch = Attempts(), SharedBatch([fit for fit in first_fits(runnable) if fit.method == 0])
    attempt = Attempt(batch)

    for deaths in (1, 2):
        attempts.died(attempt)
        attempt = attempts.among_others.pop()
        assert (type(attempt.batch), attempt.deaths) == (SharedBatch, deaths)
    attempts.died(attempt)

    assert [attempt.batch for attempt in attempts.among_others] == [(fit,) for fit in batch]


def test_a_suspect_that_survives_alone_clears_the_others(runnable):
    attempts, fits = Attempts(), first_fits(runnable)[:4]
    for fit in fits:
        attempts.died(Attempt((fit,), TRIES - 1))
    assert (len(attempts.suspects), len(attempts.among_others)) == (4, 0)

    first = attempts.next_alone()
    attempts.survived(first)

    assert [attempt.batch for attempt in attempts.among_others] == [(fit,) for fit in fits[1:]]
    assert not attempts.suspects


def test_a_fit_is_blamed_after_it_died_alone_thrice(runnable):
    attempts, fit = Attempts(), first_fits(runnable)[0]
    attempts.died(Attempt((fit,), TRIES - 1))
    for _ in range(TRIES_ALONE):
        attempts.died(attempts.next_alone())

    assert attempts.next_alone() is fit
    assert not attempts
