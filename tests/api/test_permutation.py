"""The permutation test: what p is made of, and that it is calibrated."""

from __future__ import annotations

import json

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import cross_val_predict

import foldwise as fw
from foldwise.cli import run
from foldwise.data.dataset import make_dataset
from foldwise.data.shuffled import draw_for
from foldwise.errors import BadData, BadOption

DRAW = np.random.default_rng(3)
X = DRAW.normal(size=(40, 2))
NOISE = DRAW.normal(size=40)


@pytest.fixture(scope="module")
def signal() -> fw.PermutationTest:
    return fw.permutation_test(LinearRegression(), X, X[:, 0] + NOISE / 2, permutations=19, jobs=1)


def test_a_signal_has_the_smallest_p_there_is(signal):
    assert signal.p == 1 / 20
    assert signal.permutations == len(signal.to_frame()) == 19
    assert signal.fits == 20 * 5
    assert min(signal.risks) > signal.risk
    assert str(signal).startswith("p = 0.05: the risk is ")
    assert json.loads(json.dumps(signal.to_dict()))["p"] == 0.05


def test_p_counts_the_risks_that_are_as_small_and_the_study_itself():
    found = fw.permutation_test(LinearRegression(), X, NOISE, permutations=30, jobs=1)

    assert found.p == (1 + sum(risk <= found.risk for risk in found.risks)) / 31
    assert 0.1 < found.p <= 1


def test_the_risk_is_that_of_risk_and_the_others_are_those_of_a_plain_loop():
    labels = np.arange(40) % 4
    y = X[:, 0] + NOISE
    found = fw.permutation_test(LinearRegression(), X, y, permutations=3, outer=labels, seed=5, jobs=1)
    folds = [(np.flatnonzero(labels != k), np.flatnonzero(labels == k)) for k in range(4)]

    def risk(target):
        return np.mean((cross_val_predict(LinearRegression(), X, target, cv=folds) - target) ** 2)

    by_hand = [risk(y[draw_for(make_dataset(X, y), 5, at).permutation(40)]) for at in range(3)]
    assert found.risk == pytest.approx(risk(y))
    assert found.risks == pytest.approx(by_hand)


def test_the_same_seed_gives_the_same_and_another_one_other_permutations():
    words = {"permutations": 5, "jobs": 1}
    once, again = (fw.permutation_test(LinearRegression(), X, NOISE, **words) for _ in range(2))

    assert once.risks == again.risks
    assert once.risks != fw.permutation_test(LinearRegression(), X, NOISE, seed=1, **words).risks


def test_classes_are_really_exchanged():
    found = fw.permutation_test("k-nn", X, np.where(X[:, 0] > 0, "a", "b"), permutations=9, inner=3, budget=3, jobs=1)

    assert found.p == 0.1
    assert len(set(found.risks)) > 3


def test_groups_are_respected_and_told():
    groups = np.arange(40) // 4
    found = fw.permutation_test(LinearRegression(), X, NOISE[groups], groups=groups, permutations=5, jobs=1)

    assert found.way == "groups"
    assert "with targets exchanged between whole groups" in str(found)


def test_progress_is_told_on_standard_error(capsys):
    fw.permutation_test(LinearRegression(), X, NOISE, permutations=2, progress=True, jobs=1)

    err = capsys.readouterr().err
    assert "permutation 2 of 2, 10 fits so far, about " in err


def test_what_cannot_be_permuted_is_refused():
    with pytest.raises(BadOption, match="permutations must"):
        fw.permutation_test(LinearRegression(), X, NOISE, permutations=0)
    with pytest.raises(BadData, match=r"within has shape \(3,\) for 40 rows. Give one label per row"):
        fw.permutation_test(LinearRegression(), X, NOISE, within=[1, 2, 3])
    with pytest.raises(BadOption, match="permutation_test"):
        fw.permutation_test(LinearRegression(), X, NOISE, permutatons=3)


def test_the_command_line_adds_it_to_a_risk(capsys):
    line = ["risk", "diabetes", "--learner", "linear", "--outer", "4", "--permutations", "3", "--quiet"]

    assert run([*line, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["permutation_test"]["p"] == 0.25
    assert told["permutation_test"]["risk"] == pytest.approx(told["value"])
    assert run(line) == 0
    assert "p = 0.25: the risk is" in " ".join(capsys.readouterr().out.split())


@pytest.mark.slow
def test_p_is_calibrated_on_noise():
    """Over 60 tables of noise p <= alpha happens as often as alpha, within three standard errors."""
    draw, ps = np.random.default_rng(0), []
    for _ in range(60):
        table, target = draw.normal(size=(24, 2)), draw.normal(size=24)
        ps.append(fw.permutation_test(LinearRegression(), table, target, permutations=19, outer=4, jobs=1).p)

    for alpha in (0.05, 0.2, 0.5):
        error = 3 * np.sqrt(alpha * (1 - alpha) / 60)
        assert np.mean(np.array(ps) <= alpha) == pytest.approx(alpha, abs=error)
