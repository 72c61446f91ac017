"""One tool on one split, in an interpreter that has it: `rivals.py` starts this file, which imports neither side.

    PYTHON rival_runner.py TOOL FOLDER SEED [SECONDS]

FOLDER has `train.csv` and `test.csv` (without the target) and is given `answer.json` and `predicted.csv`: what the
tool picked, the loss it claims, the CPU seconds from the call to the model, and its answers for the test rows. The
clock that a tool reads runs with the CPU seconds of this process, so that a busy machine takes nothing from its limit.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import json
import resource
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

TARGET = "target"


class Task(NamedTuple):
    """The training rows, what kind their target is, and what the tool may use."""

    X: pd.DataFrame
    y: pd.Series
    is_number: bool
    seed: int
    seconds: float | None


class Pick(NamedTuple):
    """The model a tool hands over, its name, and the loss that the tool expects of it."""

    model: Any
    name: str
    claim: float
    version: str


def foldwise(task: Task, effort: str) -> Pick:
    import foldwise as fw

    kind = "regression" if task.is_number else "classification"
    loss = "squared" if task.is_number else "zero_one"
    options = {"task": kind, "loss": loss, "seed": task.seed, "jobs": 1, "isolate": False, "progress": False}
    result = fw.compare(task.X, task.y, effort=effort, **options)
    claim = next(method["risk"] for method in result.to_dict()["methods"] if method["name"] == result.best)
    return Pick(result.refit(), str(result.best), claim, importlib.metadata.version("foldwise"))


def flaml(task: Task, *, catboost: bool) -> Pick:
    """FLAML with its own extras; it does not hold CatBoost to the limit, so that with it it is another tool."""
    from flaml import AutoML

    if (importlib.util.find_spec("catboost") is not None) != catboost:
        raise SystemExit(f"this interpreter {'lacks' if catboost else 'has'} CatBoost, which FLAML takes where it is")

    kind, metric = ("regression", "mse") if task.is_number else ("classification", "accuracy")
    found = AutoML()
    limits = {"time_budget": task.seconds, "n_jobs": 1, "seed": task.seed, "verbose": 0, "log_file_name": ""}
    found.fit(task.X, task.y, task=kind, metric=metric, **limits)
    return Pick(found, found.best_estimator, found.best_loss, importlib.metadata.version("flaml"))


def autogluon(task: Task, preset: str) -> Pick:
    """AutoGluon with boosters, forests, k-NN and linear learners; nets only where torch or fastai is installed."""
    from autogluon.tabular import TabularPredictor

    kind = "regression" if task.is_number else "binary" if task.y.nunique() == 2 else "multiclass"
    metric = "mean_squared_error" if task.is_number else "accuracy"
    found = TabularPredictor(TARGET, problem_type=kind, eval_metric=metric, path=tempfile.mkdtemp(), verbosity=0)
    rows = task.X.assign(**{TARGET: task.y})
    found.fit(rows, presets=preset, time_limit=task.seconds, num_cpus=1, num_gpus=0)
    judged = {full: own for own, full in found.model_refit_map().items()}  # refitted on all rows, judged before
    scores = found.leaderboard().set_index("model")["score_val"]
    score = float(scores[judged.get(found.model_best, found.model_best)])
    claim = -score if task.is_number else 1 - score  # scores are such that more is better
    return Pick(found, found.model_best, claim, importlib.metadata.version("autogluon.tabular"))


TOOLS: dict[str, Callable[[Task], Pick]] = {
    "foldwise-quick": lambda task: foldwise(task, "quick"),
    "foldwise": lambda task: foldwise(task, "normal"),
    "foldwise-thorough": lambda task: foldwise(task, "thorough"),
    "flaml": lambda task: flaml(task, catboost=False),
    "flaml-catboost": lambda task: flaml(task, catboost=True),
    "autogluon": lambda task: autogluon(task, "medium_quality"),
    "autogluon-same": lambda task: autogluon(task, "high_quality"),
    "autogluon-high": lambda task: autogluon(task, "high_quality"),
}


def cpu() -> float:
    """CPU seconds of this process and of the children it has waited for."""
    used = [resource.getrusage(whose) for whose in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def read(path: Path, **dtypes: Any) -> pd.DataFrame:
    """Only an empty cell is missing: a category may be called None or NA."""
    return pd.read_csv(path, keep_default_na=False, na_values=[""], **dtypes)


def answers(model: Any, X: pd.DataFrame, *, is_number: bool) -> pd.DataFrame:
    """Predictions of the test rows; for classes also their probabilities, where the model has some."""
    frame = pd.DataFrame({"predicted": list(model.predict(X))})
    if is_number or not hasattr(model, "predict_proba"):
        return frame
    found = model.predict_proba(X)
    names = found.columns if isinstance(found, pd.DataFrame) else model.classes_
    chances = pd.DataFrame(getattr(found, "to_numpy", lambda: found)(), columns=[f"p_{name}" for name in names])
    return pd.concat([frame, chances], axis=1)


def own_clock() -> Callable[[], float]:
    """A clock that stands still while other processes have the core."""
    begun, used = time.time(), cpu()
    return lambda: begun + cpu() - used


def main(tool: str, folder: Path, seed: int, seconds: float | None) -> None:
    warnings.simplefilter("ignore")
    time.time = own_clock()  # before the tool is imported
    is_number = json.loads((folder / "task.json").read_text())["is_number"]
    train = read(folder / "train.csv", dtype={TARGET: float if is_number else str})
    y = train.pop(TARGET)
    used, begun = cpu(), time.perf_counter()
    pick = TOOLS[tool](Task(train, y, is_number, seed, seconds))
    told = {"pick": pick.name, "claim": float(pick.claim), "version": pick.version}
    told |= {"cpu": cpu() - used, "wall": time.perf_counter() - begun}
    answers(pick.model, read(folder / "test.csv"), is_number=is_number).to_csv(folder / "predicted.csv", index=False)
    (folder / "answer.json").write_text(json.dumps(told))


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4]) if len(sys.argv) > 4 else None)
