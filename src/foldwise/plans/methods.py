"""Learners as the user names them, turned into learners of a study."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from foldwise.data.dataset import Dataset
from foldwise.errors import BadLearner
from foldwise.losses.loss import Loss
from foldwise.losses.loss import task_hint as loss_task
from foldwise.recipes.catalogue import builtin, default_learners, find_entry
from foldwise.recipes.checks import check_learner, task_of
from foldwise.recipes.learner import Learner, Named
from foldwise.recipes.model import offers
from foldwise.spaces.parameter import is_parameter

BASELINE = "baseline"


def make_learners(wishes: Any, data: Dataset, losses: tuple[Loss, ...]) -> tuple[Learner, ...]:
    """Every method of a study by its name, the featureless baseline among them; checked before any fit."""
    named = name_wishes(wishes, data.task)
    _refuse_reserved(named)
    learners = [make_learner(name, wish, data) for name, wish in named.items()]
    if BASELINE not in named:
        learners.append(make_learner(BASELINE, BASELINE, data))
    for learner in learners:
        if learner.name != BASELINE or BASELINE in named:
            check_learner(learner.name, _spokesman(learner, data.task, losses), data, losses)
    return tuple(learners)


def _spokesman(learner: Learner, task: str, losses: tuple[Loss, ...]) -> Any:
    """The estimator to check: the first candidate that can answer every loss, or else the learner as it was given."""
    if learner.space is None or learner.space.size > 1000:
        return learner.estimator
    for candidate in learner.space.grid():
        able = offers(estimator := learner.at(candidate), task)
        if all(any(need in able for need in loss.needs) for loss in losses):
            return estimator
    return learner.estimator


def _refuse_reserved(named: dict[str, Any]) -> None:
    """`baseline` is the featureless learner, `auto` the row that picks among the others: no other has these names."""
    baseline = named.get(BASELINE, BASELINE)
    for name in ("auto", *(() if baseline in (BASELINE, Named(BASELINE)) else (BASELINE,))):
        if name in named:
            raise BadLearner(
                f"the name {name!r} is taken for a row of every comparison", "Give the learner another name"
            )


def make_learner(name: str, wish: Any, data: Dataset) -> Learner:
    """One method from a built-in name, a Tuned learner, or any scikit-learn estimator."""
    if isinstance(wish, str):
        wish = Named(wish)
    if isinstance(wish, Named):
        made = builtin(wish.name, data, overrides=dict(wish.changes))
        is_default = not any(is_parameter(value) for value in wish.changes.values())
        return Learner(name, made.estimator, made.space, is_builtin=True, is_default=is_default)
    if hasattr(wish, "as_learner"):
        _refuse_own_words(name, wish)
        learner: Learner = wish.as_learner(name)
        return learner
    if isinstance(wish, type) or not hasattr(wish, "get_params"):
        raise BadLearner(
            f"learner {name!r} is {wish!r}, which is no estimator",
            "Give an estimator object, fw.tune(estimator, ...), or the name of a built-in learner",
        )
    return Learner(name, wish)


def _refuse_own_words(name: str, tuned: Any) -> None:
    """What a Tuned learner heeds only when it is fitted on its own would be passed over in silence here."""
    given = {"loss": tuned.loss is not None, "seed": tuned.seed != 0, "refit": not tuned.refit}
    for word in (word for word, is_given in given.items() if is_given):
        problem = f"learner {name!r} has its own {word}, but all learners of a study share one"
        raise BadLearner(problem, f"Leave {word} out of fw.tune")


def name_wishes(wishes: Any, task: str) -> dict[str, Any]:
    """The wishes under distinct names: a dictionary as it is, a list by built-in name or class."""
    if wishes is None:
        wishes = default_learners(task)
    if isinstance(wishes, Mapping):
        if not wishes:
            raise BadLearner("there are no learners", "Name at least one")
        return {str(name): wish for name, wish in wishes.items()}
    if isinstance(wishes, str | Named) or not isinstance(wishes, Sequence):
        wishes = [wishes]
    if not wishes:
        raise BadLearner("there are no learners", "Name at least one")
    named: dict[str, Any] = {}
    for wish in wishes:
        name = base = _name_of(wish)
        if isinstance(wish, str) and name in named:
            raise BadLearner(f"learner {name!r} is given twice", "Name each once, or give names with a dictionary")
        count = 1
        while name in named:
            count += 1
            name = f"{base} {count}"
        named[name] = wish
    return named


def task_hint(wishes: Any, loss: Any) -> str | None:
    """The task that all the learners, or else the loss, are made for."""
    if isinstance(wishes, str | Named) or hasattr(wishes, "get_params"):
        wishes = [wishes]
    members = list(wishes.values()) if isinstance(wishes, Mapping) else list(wishes or ())
    tasks = {_task_of_wish(wish) for wish in members} - {None}
    if len(tasks) == 1:
        return tasks.pop()
    # A loss for classes does not make classes of a target of many numbers: that is refused where losses are checked.
    return "regression" if loss_task(loss) == "regression" else None


def _task_of_wish(wish: Any) -> str | None:
    if isinstance(wish, str | Named):
        tasks = find_entry(wish if isinstance(wish, str) else wish.name).tasks
        return "regression" if tasks == ("regression",) else "classification" if "regression" not in tasks else None
    return task_of(wish) if hasattr(wish, "get_params") and not isinstance(wish, type) else None


def _name_of(wish: Any) -> str:
    if isinstance(wish, str):
        return wish
    if isinstance(wish, Named):
        return wish.name
    steps = getattr(getattr(wish, "estimator", wish), "steps", None)
    last = steps[-1][1] if isinstance(steps, list) and steps else getattr(wish, "estimator", wish)
    return type(last).__name__
