"""A leaderboard: models made after looking at the scores of others, judged on one test set all the same."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

from foldwise.api.judging import judge_model
from foldwise.errors import BadData, BadInterval
from foldwise.losses.loss import Loss
from foldwise.questions.ledger import Scoreboard, read_scoreboard, write_scoreboard
from foldwise.records.store import Store, opened
from foldwise.stats.array_checks import checked_level
from foldwise.stats.bounds import ladder_reach, release
from foldwise.stats.estimate import Estimate


def ladder(
    model: Any,
    X: Any,
    y: Any = None,
    *,
    store: str | Path | Store,
    step: float | None = None,
    loss: Any = None,
    level: float = 0.95,
    trained_on: str | None = None,
) -> Estimate:
    """Submit a fitted model to a leaderboard: the smallest risk so far, and no more than that (Blum and Hardt, 2015).

    Whoever sees every score of a test set can make models that do well on these rows alone. The Ladder tells a new
    best only where it is better by more than a step, and rounds it, so that its interval holds also for models that
    were made after looking at all it told before.

    `model`: a fitted estimator. `X`, `y`: the rows, and their target or the name of its column.
    `store`: a folder, or a store of your own, that has the leaderboard. Score these rows in no other way.
    `step`: the gain that counts, kept from the first model on (None: the range of the loss / sqrt(rows)).
    `loss`: as in `compare` (None: squared, or zero_one for classes). `level`: of the interval.
    `trained_on`: the fingerprint of the data the model was fitted on, if it is known: they are not for testing.

    >>> import foldwise as fw
    >>> from foldwise.records.memory import MemoryStore
    >>> from sklearn.dummy import DummyClassifier
    >>> X, y, board = [[0.0]] * 400, ["a"] * 300 + ["b"] * 100, MemoryStore()
    >>> models = [DummyClassifier(strategy="constant", constant=label).fit([[1], [1]], ["a", "b"]) for label in "ba"]
    >>> fw.ladder(models[0], X, y, store=board)
    0.750 (0.628 to 0.847, 95% Ladder): the smallest risk of 1 submitted model
    >>> fw.ladder(models[1], X, y, store=board)
    0.250 (0.096 to 0.379, 95% Ladder): the smallest risk of 2 submitted models
    """
    judged = judge_model(model, X, y, loss=loss)
    if seen := judged.rows_seen(trained_on):
        raise BadData(
            f"{seen} of {judged.data.rows} test rows were trained on", "Submit models that have not seen them"
        )
    if not math.isfinite(judged.risk):
        raise BadInterval(f"the loss {judged.loss.name} of this model is not finite", "Use another loss")
    level, rows, name = checked_level(level), judged.data.rows, judged.data.fingerprint
    with opened(store) as kept:
        board = _checked(read_scoreboard(kept, name), judged.loss, rows, step)
        before = board.best
        if judged.name not in board.submitted:
            best = release(judged.risk, math.inf if before is None else before, step=board.step)
            board = replace(board, submitted=(*board.submitted, judged.name), best=best)
            write_scoreboard(kept, name, board)
    assert board.best is not None
    low = high = None
    if reason := _reason_against(judged.loss, len(board.scored)):
        claim = f"no interval: {reason}"
    else:
        least, most = judged.loss.bounds or (0.0, 0.0)
        below, above = ladder_reach(len(board.submitted), rows, step=board.step, width=most - least, level=level)
        low, high = max(least, board.best - below), min(most, board.best + above)
        claim = "the interval holds however the models were made, if no other score of these rows was looked at"
    count, is_better = len(board.submitted), before is None or board.best < before
    news = f"{'a new best' if is_better else 'no new best'}: gains count above the step of {board.step:.3g}"
    return Estimate(
        value=board.best,
        low=low,
        high=high,
        level=level,
        interval=None if low is None else "Ladder",
        target=f"the smallest risk of {count} submitted model{'s' if count != 1 else ''}",
        notes=(("ladder", news), ("interval", claim)),
        details={"submitted": count, "step": board.step, "is_new_best": is_better},
    )


def _reason_against(loss: Loss, open_scores: int) -> str | None:
    if open_scores:
        models = "1 model was" if open_scores == 1 else f"{open_scores} models were"
        return f"{models} scored openly on these rows, which the Ladder cannot take back"
    if not loss.is_per_row:
        return f"{loss.name} is no mean over rows"
    return f"{loss.name} has no known range" if loss.bounds is None else None


def _checked(board: Scoreboard, loss: Loss, rows: int, step: float | None) -> Scoreboard:
    """The leaderboard, whose loss and step the first model fixes."""
    if board.submitted:
        if board.loss != loss.name:
            problem = f"this leaderboard is by {board.loss}, not by {loss.name}"
            raise BadInterval(problem, "Use other rows, or this loss")
        if step not in (None, board.step):
            raise BadInterval(f"this leaderboard has steps of {board.step:g}, not of {step:g}", "Leave the step out")
        return board
    if step is None:
        if loss.bounds is None:
            problem = f"{loss.name} has no known range, so the Ladder needs a step"
            raise BadInterval(problem, "Give the gain that counts as step= (--step)")
        # about two standard errors of a loss that varies as much as its range allows
        step = (loss.bounds[1] - loss.bounds[0]) / math.sqrt(rows)
    return replace(board, loss=loss.name, step=step)
