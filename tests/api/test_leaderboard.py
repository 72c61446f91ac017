"""The Ladder for leaderboards, and models judged on test rows (api/ladder.py, api/judging.py)."""

from __future__ import annotations

import json

import numpy as np
import pytest
from by_hand import CountedClassifier
from sklearn.linear_model import LogisticRegression, Ridge

import foldwise as fw
from foldwise.api.judging import judge_model
from foldwise.errors import BadData, BadInterval
from foldwise.records.memory import MemoryStore
from foldwise.stats.bounds import ladder_reach


@pytest.fixture
def parts(classes):
    X, y = classes
    return (X[:30], y[:30]), (X[30:], y[30:])


@pytest.fixture
def models(parts):
    learners = (CountedClassifier(25), LogisticRegression(), CountedClassifier(3), CountedClassifier(5))
    return [learner.fit(*parts[0]) for learner in learners]


def said(found, code):
    return [text for own, text in found.notes if own == code]


def test_only_gains_above_the_step_are_told(parts, models, tmp_path):
    told = [fw.ladder(model, *parts[1], store=tmp_path / "board", step=0.1) for model in models]
    errors = [float((model.predict(parts[1][0]) != parts[1][1]).mean()) for model in models]
    best = np.inf
    for count, (found, error) in enumerate(zip(told, errors, strict=True), start=1):
        is_better = error < best - 0.1
        best = round(0.1 * round(error / 0.1), 12) if is_better else best
        assert (found.value, found.details["is_new_best"]) == (best, is_better)
        assert found.losses is None  # losses by row would tell everything
        assert found.target == f"the smallest risk of {count} submitted model{'s' if count > 1 else ''}"
        below, above = ladder_reach(count, 30, step=0.1)
        assert (found.low, found.high) == pytest.approx((max(0, best - below), min(1, best + above)))


def test_the_same_model_again_is_no_submission(parts, models):
    board = MemoryStore()
    for model in (models[0], models[1], models[1]):
        found = fw.ladder(model, *parts[1], store=board)
    assert (found.details["submitted"], found.details["is_new_best"]) == (2, False)
    assert found.details["step"] == pytest.approx(1 / np.sqrt(30))
    assert said(found, "ladder") == ["no new best: gains count above the step of 0.183"]


def test_open_scores_end_the_claim_and_say_so(parts, models):
    board = MemoryStore()
    fw.ladder(models[0], *parts[1], store=board)
    opened = fw.test_risk(models[1], *parts[1], store=board)
    assert said(opened, "ladder") == ["these rows have a leaderboard, whose interval ends with this open score"]
    after = fw.ladder(models[1], *parts[1], store=board)
    assert (after.interval, after.low) == (None, None)
    assert said(after, "interval")[0].startswith("no interval: 1 model was scored openly on these rows")


def test_losses_without_a_range_have_steps_and_no_interval(numbers):
    X, y = numbers
    model, board = Ridge().fit(X[:20], y[:20]), MemoryStore()
    with pytest.raises(BadInterval, match=r"squared has no known range, so the Ladder needs a step"):
        fw.ladder(model, X[20:], y[20:], store=board)
    found = fw.ladder(model, X[20:], y[20:], store=board, step=0.01)
    assert found.interval is None
    assert said(found, "interval") == ["no interval: squared has no known range"]


def test_the_first_model_fixes_loss_and_step(parts, models):
    board = MemoryStore()
    fw.ladder(models[0], *parts[1], store=board, step=0.05)
    with pytest.raises(BadInterval, match=r"steps of 0\.05, not of 0\.1"):
        fw.ladder(models[1], *parts[1], store=board, step=0.1)
    with pytest.raises(BadInterval, match="by zero_one, not by brier"):
        fw.ladder(models[1], *parts[1], store=board, loss="brier")
    with pytest.raises(BadInterval, match="step of a ladder must be a number above 0"):
        fw.ladder(models[1], *parts[0], store=board, step=-1.0)


def test_rows_that_were_trained_on_are_refused(parts):
    model = fw.compare({"logistic": LogisticRegression()}, *parts[0], outer=3, jobs=1).refit()
    with pytest.raises(BadData, match="were trained"):
        fw.ladder(model, *parts[0], store=MemoryStore())


def test_a_judged_model_has_the_same_name_in_any_session(parts, models):
    one, again = (judge_model(LogisticRegression().fit(*parts[0]), *parts[1]) for _ in range(2))
    assert one.name == again.name != judge_model(models[0], *parts[1]).name
    assert one.risk == pytest.approx((one.predictions != parts[1][1]).mean())
    assert one.rows_seen(one.data.fingerprint) == 30


def test_the_command_line_has_the_ladder(parts, tmp_path, capsys):
    import pandas as pd

    from foldwise import cli

    for (X, y), name in zip(parts, ("train", "test"), strict=True):
        table = pd.DataFrame(X, columns=["a", "b", "c"]).assign(y=np.array(["no", "yes"])[y])
        table.to_csv(tmp_path / f"{name}.csv", index=False)
    model, data, board = (str(tmp_path / name) for name in ("m.skops", "test.csv", "board"))
    words = ["tune", str(tmp_path / "train.csv"), "--target", "y", "--learner", "logistic", "--inner", "2"]
    assert cli.run([*words, "--save", model]) == 0
    capsys.readouterr()
    assert cli.run(["ladder", model, data, "--store", board, "--step", "0.05", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert (answer["interval"], answer["details"]["submitted"], answer["losses"]) == ("Ladder", 1, None)
    assert cli.run(["ladder", model, data, "--store", board]) == 0
    assert "The risk of the best model so far" in capsys.readouterr().out
    assert cli.run(["ladder", model, data, "--store", board, "--step", "0.1"]) == 2
    assert "this leaderboard has steps of 0.05, not of 0.1" in capsys.readouterr().err
