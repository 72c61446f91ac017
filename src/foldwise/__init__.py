"""Foldwise: which of these learners, tuned, should I use, how well will it really do, and how sure can I be?"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from foldwise.api.benchmark import benchmark as benchmark
    from foldwise.api.benchmark_result import Benchmark as Benchmark
    from foldwise.api.calls import tune as tune
    from foldwise.api.check import check as check
    from foldwise.api.check import check_new as check_new
    from foldwise.api.compare import compare as compare
    from foldwise.api.compare import plan as plan
    from foldwise.api.curve import Curve as Curve
    from foldwise.api.curve import curve as curve
    from foldwise.api.curve import learning_curve as learning_curve
    from foldwise.api.ladder import ladder as ladder
    from foldwise.api.load import load as load
    from foldwise.api.models import load_model as load_model
    from foldwise.api.models import model_card as model_card
    from foldwise.api.models import save_model as save_model
    from foldwise.api.permutation import PermutationTest as PermutationTest
    from foldwise.api.permutation import permutation_test as permutation_test
    from foldwise.api.planning import Plan as Plan
    from foldwise.api.result import Result as Result
    from foldwise.api.risk import risk as risk
    from foldwise.api.risk import test_risk as test_risk
    from foldwise.api.search_curve import SearchCurve as SearchCurve
    from foldwise.api.split import split as split
    from foldwise.errors import FitsFailed as FitsFailed
    from foldwise.errors import FoldwiseError as FoldwiseError
    from foldwise.learners.blend import Blend as Blend
    from foldwise.learners.blend import blend as blend
    from foldwise.learners.listing import list_learners as list_learners
    from foldwise.learners.named import learner as learner
    from foldwise.learners.tuned import Tuned as Tuned
    from foldwise.losses.callables import loss as loss
    from foldwise.losses.regression import pinball as pinball
    from foldwise.spaces.parameter import float_range as float_range
    from foldwise.spaces.parameter import int_range as int_range
    from foldwise.spaces.parameter import log_range as log_range
    from foldwise.splits.folds import KFold as KFold
    from foldwise.splits.folds import LeaveOneGroupOut as LeaveOneGroupOut
    from foldwise.splits.folds import LeaveOneOut as LeaveOneOut
    from foldwise.splits.folds import Repeated as Repeated
    from foldwise.splits.holdout import Bootstrap as Bootstrap
    from foldwise.splits.holdout import Holdout as Holdout
    from foldwise.splits.holdout import MonteCarlo as MonteCarlo
    from foldwise.splits.making import Pairs as Pairs
    from foldwise.splits.making import Predefined as Predefined
    from foldwise.splits.temporal import TimeOrdered as TimeOrdered
    from foldwise.stats import comparisons as comparisons
    from foldwise.stats import intervals as intervals
    from foldwise.stats.bounds import candidates_allowed as candidates_allowed
    from foldwise.stats.bounds import dev_rows_needed as dev_rows_needed
    from foldwise.stats.bounds import excess_bound as excess_bound
    from foldwise.stats.comparison import Comparison as Comparison
    from foldwise.stats.estimate import Estimate as Estimate
    from foldwise.stats.evidence import Evidence as Evidence
    from foldwise.stats.interval_method import IntervalMethod as IntervalMethod
    from foldwise.studies.finding import Finding as Finding
    from foldwise.studies.finding import Findings as Findings
    from foldwise.tuners.halving import halving as halving
    from foldwise.tuners.racing import racing as racing
    from foldwise.tuners.tuner import OVER as OVER
    from foldwise.tuners.tuner import PROPOSE as PROPOSE
    from foldwise.tuners.tuner import Evaluate as Evaluate
    from foldwise.tuners.tuner import Tuner as Tuner

__version__ = "0.2.0"

# Names are loaded when they are used, so that `import foldwise` and `foldwise --help` stay quick.
_HOMES = {
    "Comparison": "stats.comparison",
    "FitsFailed": "errors",
    "FoldwiseError": "errors",
    "Estimate": "stats.estimate",
    "Evidence": "stats.evidence",
    "IntervalMethod": "stats.interval_method",
    "candidates_allowed": "stats.bounds",
    "dev_rows_needed": "stats.bounds",
    "excess_bound": "stats.bounds",
    "learner": "learners.named",
    "loss": "losses.callables",
    "pinball": "losses.regression",
    "halving": "tuners.halving",
    "racing": "tuners.racing",
    "Benchmark": "api.benchmark_result",
    "benchmark": "api.benchmark",
    "Finding": "studies.finding",
    "Findings": "studies.finding",
    "Plan": "api.planning",
    "check": "api.check",
    "check_new": "api.check",
    "PermutationTest": "api.permutation",
    "permutation_test": "api.permutation",
    "compare": "api.compare",
    "plan": "api.compare",
    "Curve": "api.curve",
    "curve": "api.curve",
    "learning_curve": "api.curve",
    "ladder": "api.ladder",
    "load": "api.load",
    "load_model": "api.models",
    "model_card": "api.models",
    "save_model": "api.models",
    "Result": "api.result",
    "list_learners": "learners.listing",
    "risk": "api.risk",
    "split": "api.split",
    "test_risk": "api.risk",
    "SearchCurve": "api.search_curve",
    "float_range": "spaces.parameter",
    "int_range": "spaces.parameter",
    "log_range": "spaces.parameter",
    "Bootstrap": "splits.holdout",
    "KFold": "splits.folds",
    "LeaveOneOut": "splits.folds",
    "Repeated": "splits.folds",
    "Pairs": "splits.making",
    "Predefined": "splits.making",
    "LeaveOneGroupOut": "splits.folds",
    "Holdout": "splits.holdout",
    "MonteCarlo": "splits.holdout",
    "TimeOrdered": "splits.temporal",
    "Blend": "learners.blend",
    "blend": "learners.blend",
    "Tuner": "tuners.tuner",
    "Evaluate": "tuners.tuner",
    "OVER": "tuners.tuner",
    "PROPOSE": "tuners.tuner",
    "Tuned": "learners.tuned",
    "tune": "api.calls",
}

_ROOMS = {
    "intervals": "stats.intervals",
    "comparisons": "stats.comparisons",
    "lab": "lab",
    "testing": "testing",
}

__all__ = ["__version__", *_HOMES]


def __getattr__(name: str) -> Any:
    if name in _ROOMS:
        return import_module(f"foldwise.{_ROOMS[name]}")
    if name == "learners":  # of 0.1; the room of that name hides it as soon as it is loaded
        raise AttributeError("fw.learners() is fw.list_learners() now")
    if name not in _HOMES:
        raise AttributeError(f"module 'foldwise' has no attribute {name!r}")
    value = getattr(import_module(f"foldwise.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, *_ROOMS])
