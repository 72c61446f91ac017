"""Any sampler of Optuna is a tuner: its Gaussian processes, which need torch."""

from __future__ import annotations

import math

import numpy as np
import pytest
from optuna.samplers import GPSampler

import foldwise as fw
from foldwise.spaces.parameter import float_range, log_range
from foldwise.spaces.point import candidate_at
from foldwise.spaces.space import make_space
from foldwise.tuners.budget import Budget
from foldwise.tuners.registry import make_tuner
from foldwise.tuners.search import start_points

pytestmark = pytest.mark.extras
SPACE = make_space(
    [{"kind": ["a"], "x": float_range(0, 1), "c": log_range(0.01, 100)}, {"kind": ["b"], "c": log_range(0.01, 100)}]
)


def truth(candidate):
    return math.log10(candidate["c"]) ** 2 + ((candidate["x"] - 0.3) ** 2 if candidate["kind"] == "a" else 1)


def test_it_is_pure_and_comes_nearer_than_an_even_spread():
    best = {}
    for name, tuner in (("random", "random"), ("gp", GPSampler(n_startup_trials=1))):
        reported = [(point, truth(candidate_at(SPACE, point))) for point in start_points(SPACE, {}, 0)]
        while len(reported) < 25:
            asked = make_tuner(tuner, Budget(None, 60.0)).ask(reported, SPACE, 0)
            reported += [(point, truth(candidate_at(SPACE, point))) for point in asked]
        best[name] = min(score for _, score in reported)
    sampler = GPSampler(n_startup_trials=1)
    first, second = (make_tuner(sampler).ask(reported[:10], SPACE, 0) for _ in range(2))
    assert first == second
    assert best["gp"] < 0.2 * best["random"]


def test_it_tunes_a_learner():
    from sklearn.linear_model import Ridge

    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 3))
    y = X[:, 0] + 0.3 * rng.normal(size=50)
    specs = {"ridge": fw.tune(Ridge(), alpha=fw.log_range(1e-3, 1e3))}
    answer = fw.compare(specs, X, y, outer=2, inner=2, tuner=GPSampler(), budget=15, jobs=1).to_dict()
    assert answer["methods"][0]["status"] == "ok"
    assert answer["methods"][0]["candidates"] == 15
