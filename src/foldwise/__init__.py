"""Foldwise: which of these learners, tuned, should I use, how well will it really do, and how sure can I be?"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from foldwise.comparisons.comparison import Comparison as Comparison
    from foldwise.errors import FoldwiseError as FoldwiseError
    from foldwise.estimates.estimate import Estimate as Estimate
    from foldwise.formulas.bounds import candidates_allowed as candidates_allowed
    from foldwise.formulas.bounds import dev_rows_needed as dev_rows_needed
    from foldwise.formulas.bounds import excess_bound as excess_bound
    from foldwise.losses.regression import pinball as pinball
    from foldwise.outlines.schedule import halving as halving
    from foldwise.outlines.schedule import hyperband as hyperband
    from foldwise.outlines.schedule import racing as racing
    from foldwise.questions.benchmark import benchmark as benchmark
    from foldwise.questions.benchmark_result import Benchmark as Benchmark
    from foldwise.questions.compare import compare as compare
    from foldwise.questions.compare import plan as plan
    from foldwise.questions.curve import Curve as Curve
    from foldwise.questions.curve import curve as curve
    from foldwise.questions.curve import learning_curve as learning_curve
    from foldwise.questions.load import load as load
    from foldwise.questions.planning import Plan as Plan
    from foldwise.questions.result import Result as Result
    from foldwise.questions.risk import learners as learners
    from foldwise.questions.risk import risk as risk
    from foldwise.questions.risk import split as split
    from foldwise.questions.risk import test_risk as test_risk
    from foldwise.questions.search_curve import SearchCurve as SearchCurve
    from foldwise.recipes.learner import learner as learner
    from foldwise.spaces.parameter import float_range as float_range
    from foldwise.spaces.parameter import int_range as int_range
    from foldwise.spaces.parameter import log_range as log_range
    from foldwise.splits.bootstrap import Bootstrap as Bootstrap
    from foldwise.splits.folds import KFold as KFold
    from foldwise.splits.folds import LeaveOneOut as LeaveOneOut
    from foldwise.splits.folds import Repeated as Repeated
    from foldwise.splits.given import Pairs as Pairs
    from foldwise.splits.given import Predefined as Predefined
    from foldwise.splits.grouped import LeaveOneGroupOut as LeaveOneGroupOut
    from foldwise.splits.holdout import Holdout as Holdout
    from foldwise.splits.holdout import MonteCarlo as MonteCarlo
    from foldwise.splits.temporal import TimeOrdered as TimeOrdered
    from foldwise.tuners.combined import BestOf as BestOf
    from foldwise.tuners.combined import Blend as Blend
    from foldwise.tuners.combined import Stack as Stack
    from foldwise.tuners.combined import best_of as best_of
    from foldwise.tuners.combined import blend as blend
    from foldwise.tuners.combined import stack as stack
    from foldwise.tuners.tuned import Tuned as Tuned
    from foldwise.tuners.tuned import tune as tune

__version__ = "0.1.0"

# Names are loaded when they are used, so that `import foldwise` and `foldwise --help` stay quick.
_HOMES = {
    "Comparison": "comparisons.comparison",
    "FoldwiseError": "errors",
    "Estimate": "estimates.estimate",
    "candidates_allowed": "formulas.bounds",
    "dev_rows_needed": "formulas.bounds",
    "excess_bound": "formulas.bounds",
    "learner": "recipes.learner",
    "pinball": "losses.regression",
    "halving": "outlines.schedule",
    "hyperband": "outlines.schedule",
    "racing": "outlines.schedule",
    "Benchmark": "questions.benchmark_result",
    "benchmark": "questions.benchmark",
    "Plan": "questions.planning",
    "compare": "questions.compare",
    "plan": "questions.compare",
    "Curve": "questions.curve",
    "curve": "questions.curve",
    "learning_curve": "questions.curve",
    "load": "questions.load",
    "Result": "questions.result",
    "learners": "questions.risk",
    "risk": "questions.risk",
    "split": "questions.risk",
    "test_risk": "questions.risk",
    "SearchCurve": "questions.search_curve",
    "float_range": "spaces.parameter",
    "int_range": "spaces.parameter",
    "log_range": "spaces.parameter",
    "Bootstrap": "splits.bootstrap",
    "KFold": "splits.folds",
    "LeaveOneOut": "splits.folds",
    "Repeated": "splits.folds",
    "Pairs": "splits.given",
    "Predefined": "splits.given",
    "LeaveOneGroupOut": "splits.grouped",
    "Holdout": "splits.holdout",
    "MonteCarlo": "splits.holdout",
    "TimeOrdered": "splits.temporal",
    "BestOf": "tuners.combined",
    "Blend": "tuners.combined",
    "Stack": "tuners.combined",
    "best_of": "tuners.combined",
    "blend": "tuners.combined",
    "stack": "tuners.combined",
    "Tuned": "tuners.tuned",
    "tune": "tuners.tuned",
}

_ROOMS = ("intervals", "comparisons", "lab", "testing")

__all__ = ["__version__", *_HOMES]


def __getattr__(name: str) -> Any:
    if name in _ROOMS:
        return import_module(f"foldwise.{name}")
    if name not in _HOMES:
        raise AttributeError(f"module 'foldwise' has no attribute {name!r}")
    value = getattr(import_module(f"foldwise.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, *_ROOMS])
