"""Tuners that are told scores and asked for points: pure, never twice the same, and better than chance."""

from __future__ import annotations

import importlib.util
import math

import numpy as np
import pytest

from foldwise.errors import MissingExtra
from foldwise.spaces.parameter import float_range, int_range, log_range
from foldwise.spaces.point import candidate_at, spread
from foldwise.spaces.space import make_space
from foldwise.tuners.budget import Budget
from foldwise.tuners.registry import make_tuner
from foldwise.tuners.search import start_points

SMOOTH = make_space({"a": float_range(0, 1), "b": log_range(1e-3, 1e3), "k": int_range(1, 50)})
KERNELS = make_space(
    [
        {"kernel": ["rbf"], "gamma": log_range(1e-4, 1e2), "C": log_range(1e-3, 1e3)},
        {"kernel": ["linear"], "C": log_range(1e-3, 1e3)},
    ]
)


def smooth(candidate):
    return (candidate["a"] - 0.3) ** 2 + (math.log10(candidate["b"]) - 1) ** 2 + ((candidate["k"] - 20) / 20) ** 2


def conditional(candidate):
    distance = (math.log10(candidate["gamma"]) + 2) ** 2 if candidate["kernel"] == "rbf" else 3.0
    return (math.log10(candidate["C"]) - 1) ** 2 + distance


def tuner_of(name):
    """The tuner of a name; a fixed sequence goes on in steps where time is its budget."""
    return make_tuner(name, Budget(None, 60.0))


def search(name, space, truth, *, seed, budget):
    reported = [(point, truth(candidate_at(space, point))) for point in start_points(space, {}, seed)]
    while len(reported) < budget:
        asked = tuner_of(name).ask(reported, space, seed)
        reported += [(point, truth(candidate_at(space, point))) for point in asked]
    return reported


@pytest.mark.parametrize("name", ["random", "tpe"])
@pytest.mark.parametrize("space", [SMOOTH, KERNELS], ids=["plain", "conditional"])
def test_the_same_scores_give_the_same_new_points(name, space):
    truth = smooth if space is SMOOTH else conditional
    reported = search(name, space, truth, seed=1, budget=20)
    assert len({point for point, _ in reported}) == 20
    tuner = tuner_of(name)
    asked = tuner.ask(reported, space, 1)
    assert asked == tuner.ask(reported, space, 1) == tuner_of(name).ask(reported, space, 1)
    assert not {point for point, _ in reported} & set(asked)
    assert len(asked) == 5


@pytest.mark.parametrize("name", ["tpe"])
def test_other_scores_and_other_seeds_give_other_points(name):
    reported = search(name, SMOOTH, smooth, seed=1, budget=20)
    turned = [(point, -score) for point, score in reported]
    asked = tuner_of(name).ask(reported, SMOOTH, 1)
    assert asked != tuner_of(name).ask(reported, SMOOTH, 2)
    assert asked != tuner_of(name).ask(turned, SMOOTH, 1)


@pytest.mark.few(1)
@pytest.mark.parametrize("name", ["tpe"])
@pytest.mark.parametrize(("space", "truth"), [(SMOOTH, smooth), (KERNELS, conditional)], ids=["plain", "conditional"])
def test_a_search_that_learns_comes_nearer_than_an_even_spread(name, space, truth):
    best = {
        each: np.array([min(score for _, score in search(each, space, truth, seed=s, budget=40)) for s in range(4)])
        for each in ("random", name)
    }
    assert np.median(best[name]) < 0.5 * np.median(best["random"])


@pytest.mark.parametrize("name", ["random", "tpe"])
def test_a_finite_space_is_tried_whole_and_then_there_is_nothing_to_ask_for(name):
    space = make_space({"depth": [1, 2, 3, None], "leaf": ["a", "b", "c"]})
    reported = [(point, float(at)) for at, point in enumerate(spread(space, 0))][:8]
    rest = tuner_of(name).ask(reported, space, 0)
    assert len(rest) == len({*rest, *(point for point, _ in reported)} - {point for point, _ in reported}) == 4
    reported += [(point, 1.0) for point in rest]
    assert tuner_of(name).ask(reported, space, 0) == []


@pytest.mark.parametrize("name", ["tpe"])
def test_candidates_that_failed_are_told_as_the_worst(name):
    reported = search(name, SMOOTH, lambda c: math.nan if c["a"] > 0.5 else smooth(c), seed=3, budget=30)
    late = [candidate_at(SMOOTH, point)["a"] for point, _ in reported[20:]]
    assert np.mean(np.array(late) > 0.5) < 0.5
    every = [(point, math.nan) for point, _ in reported[:10]]
    assert len(tuner_of(name).ask(every, SMOOTH, 3)) == 5


@pytest.mark.parametrize(("name", "package"), [("tpe", "optuna")])
def test_a_package_that_is_missing_is_told_with_the_command_to_install_it(monkeypatch, name, package):
    real = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda wanted: None if wanted == package else real(wanted))
    with pytest.raises(MissingExtra, match=rf"tuner '{name}' needs the package {package}.*pip install 'foldwise\["):
        tuner_of(name).check_installed()
