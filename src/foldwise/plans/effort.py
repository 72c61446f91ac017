"""The dial: which learners, spaces and splits a study has where the user names none, by effort and the table's shape.

What a level holds is the table `LEVELS`, and nothing else: change it there. A decision depends on the effort, the
shape of the table and the learners, never on a clock.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from foldwise.data.dataset import Dataset
from foldwise.errors import BadStudy, nearest
from foldwise.learners.catalogue import find_entry, is_builtin_name
from foldwise.learners.learner import Learner
from foldwise.learners.named import Named
from foldwise.learners.zoo.entry import Size
from foldwise.plans.blends import read_blend
from foldwise.plans.methods import name_learners
from foldwise.splits.aligned import ALIGNED
from foldwise.splits.nesting import DEFAULT_INNER, DefaultOuter
from foldwise.studies.study import Note

ANY = float("inf")
NORMAL = "normal"
RARE = 500  # rows of the smallest class below which one test set has too few of them
LINEAR = "linear learner"  # ridge or logistic, as the task asks


MORE_REPEATS = 10  # where further fits are cheap
MOST_FITS, MOST_COLUMNS = 100_000, 50
LEAST_ROWS = 100  # below, repeats covered less than they should
CHEAP = (
    "LinearRegression",
    "Ridge",
    "GaussianNB",
    "LinearDiscriminantAnalysis",
    "QuadraticDiscriminantAnalysis",
    "KNeighborsRegressor",
    "KNeighborsClassifier",
    "NearestRegressor",
    "NearestClassifier",
    "DummyRegressor",
    "DummyClassifier",
)
MORE_REPEATS_NOTE: Note = (
    "effort",
    f"{MORE_REPEATS} repeats, as further fits of these learners are cheap: intervals are tighter; "
    "repeats=3 for the usual",
)


@dataclass(frozen=True)
class Scheme:
    """Outer and inner splits for tables of at most so many rows."""

    most_rows: float
    outer: int | float
    inner: str | float
    repeats: int = 1

    @property
    def is_one_split(self) -> bool:
        """Is it one train / dev / test split?"""
        return isinstance(self.outer, float)


@dataclass(frozen=True)
class Effort:
    """What one level of effort holds."""

    name: str
    learners: tuple[str, ...]  # where none is named
    size: Size  # of the spaces of built-in learners that name none
    schemes: tuple[Scheme, ...]  # from few rows to many
    sizes: Mapping[str, Size] = field(default_factory=dict)  # of learners for which another one pays
    own: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)  # values and spaces where no size is right
    for_numbers: tuple[str, ...] = ()  # further learners where the target is a number
    kernel_rows: int = 0  # rows up to which kernel-ridge is among them
    more: tuple[str, ...] = ()  # rows that combine those learners
    about: str = ""  # where it is not the usual

    def size_of(self, learner: str) -> Size:
        return self.sizes.get(learner, self.size)


# Borders by the width of the interval against the cost (docs/effort.md): n rows and a standard deviation s of the row
# losses give half a width of about 3.2 s / sqrt(n) by 13 folds, 3.6 by 7, and 4.4 by one fifth of the rows, at 6.5 to
# 3.5 to 1 tunings.
LEVELS: dict[str, Effort] = {
    "quick": Effort(
        "quick",
        learners=(LINEAR, "k-nn", "tree", "forest", "boosting"),
        size="small",
        own={
            "forest": {"n_estimators": 100, "max_features": "sqrt", "min_samples_leaf": 1},
            "boosting": {"max_iter": [25, 50, 100, 200, 400], "max_leaf_nodes": 6, "min_samples_leaf": 5},
        },
        schemes=(Scheme(5_000, 7, "aligned"), Scheme(ANY, 0.2, 0.25)),
        about="small spaces, few folds",
    ),
    "normal": Effort(
        "normal",
        learners=(LINEAR, "k-nn", "tree", "forest", "extra-trees", "boosting"),
        kernel_rows=1_000,
        size="default",
        sizes={"tree": "small", "kernel-ridge": "small"},  # of these, large spaces cost more than they bring
        schemes=(Scheme(800, 13, "aligned"), Scheme(50_000, 7, "aligned"), Scheme(ANY, 0.2, 0.25)),
        more=("blend",),
    ),
    "thorough": Effort(
        "thorough",
        learners=(LINEAR, "k-nn", "tree", "forest", "extra-trees", "boosting"),
        for_numbers=("svm",),  # of classes it has no probabilities to blend
        kernel_rows=2_000,
        size="large",
        sizes={"svm": "default", "kernel-ridge": "default"},
        own={
            "forest": {"max_features": ["sqrt", 0.33, 0.6, 1.0], "min_samples_leaf": [1, 2, 4, 12]},
            "extra-trees": {"max_features": ["sqrt", 0.33, 0.6, 1.0], "min_samples_leaf": [1, 2, 4, 12]},
            "boosting": {
                "max_iter": [10, 15, 25, 35, 50, 75, 100, 150, 200, 300, 400],
                "max_leaf_nodes": [2, 4, 8, 16],
                "min_samples_leaf": [5, 20],
                "learning_rate": 0.1,
            },
        },
        schemes=(
            Scheme(2_000, 13, "aligned", repeats=3),
            Scheme(50_000, 13, "aligned"),
            Scheme(200_000, 7, "aligned"),
            Scheme(ANY, 0.2, 0.25),
        ),
        more=("blend",),
        about="more learners, large spaces, repeats",
    ),
}
# Columns beyond which a learner of a default set gets a small space, and beyond which it is left out.
WIDE: dict[str, tuple[int, int]] = {"boosting": (300, 2_000), "tree": (1_000, 10_000), "forest": (1_000, 20_000)}
WIDE |= {"extra-trees": WIDE["forest"]}


@dataclass(frozen=True, eq=False)
class StudyChoices:
    """Learners, splits and effort of a study; None where the user leaves it open."""

    learners: Any
    outer: Any = None
    inner: Any = None
    repeats: int | None = None
    effort: str | None = None

    @property
    def level(self) -> Effort:
        return find_level(NORMAL if self.effort is None else self.effort)


def find_level(effort: Any) -> Effort:
    """The level of this name.

    >>> find_level("quick").size
    'small'
    """
    if not isinstance(effort, str) or effort not in LEVELS:
        raise BadStudy(f"there is no effort {effort!r}", nearest(str(effort), LEVELS))
    return LEVELS[effort]


def complete(choices: StudyChoices, data: Dataset) -> tuple[StudyChoices, tuple[Note, ...]]:
    """Fill in what the user left open but for the repeats; also return a note on what is not the usual."""
    level, notes = choices.level, list[Note]()
    if level.about:
        notes.append(("effort", f"effort='{level.name}': {level.about}; effort='normal' is the usual"))
    learners = choices.learners
    if learners is None:
        learners, wide_notes = _default_learners(level, data)
        notes += wide_notes
    elif level.name != NORMAL:
        learners = sized(learners, level, data.task)
    scheme = choose_scheme(level, data, inner=choices.inner)
    outer, inner = choices.outer, choices.inner
    if outer is None:
        outer = DefaultOuter(scheme.outer) if isinstance(scheme.outer, int) else scheme.outer
        usual = level.schemes[0]
        if scheme is not usual and inner is None and data.time is None:
            count = f"{data.rows:,} rows" if data.groups is None else f"{len(np.unique(data.groups)):,} groups"
            why = f"{scheme.outer} folds, as there are {count}"
            if scheme.is_one_split:
                why = f"one train / dev / test split, as {count} make its interval narrow"
            notes.append(("scheme", f"{why}; outer={usual.outer} for nested {usual.outer}-fold cross-validation"))
    if inner is None:
        inner = scheme.inner if choices.outer is None and scheme.is_one_split else DEFAULT_INNER
    return replace(choices, learners=learners, outer=outer, inner=inner), tuple(notes)


def choose_repeats(
    choices: StudyChoices, learners: Sequence[Learner], data: Dataset, *, may_add: bool
) -> tuple[int, tuple[Note, ...]]:
    """How often the outer splits are drawn anew, and a note where that is more than usual.

    A part of effort="thorough": repeats make intervals tighter where further fits are cheap. The rule looks at the
    study alone (classes of learners, rows, columns, candidates), never at a clock or at whether a solver runs, and all
    methods of a table have the same repeats. docs/decide.md has what they gain.
    """
    if choices.repeats is not None or choices.outer is not None or data.time is not None:
        return choices.repeats or 1, ()
    level, scheme = choices.level, choose_scheme(choices.level, data, inner=choices.inner)
    has_fit_shape = data.rows >= LEAST_ROWS and data.columns <= MOST_COLUMNS
    if not may_add or level.name != "thorough" or scheme.repeats == 1 or not has_fit_shape:
        return scheme.repeats, ()
    further = (MORE_REPEATS - scheme.repeats) * scheme.outer
    candidates = [0.0 if learner.space is None else learner.space.size for learner in learners]
    if not all(map(_is_cheap, learners)) or sum(further * (1 + count) for count in candidates) > MOST_FITS:
        return scheme.repeats, ()
    return MORE_REPEATS, (MORE_REPEATS_NOTE,)


def _is_cheap(learner: Learner) -> bool:
    steps = getattr(learner.estimator, "steps", None)
    last = steps[-1][1] if isinstance(steps, list) and steps else learner.estimator
    is_plain = not learner.members and learner.inner is None and learner.tuner is None and learner.budget is None
    return is_plain and type(last).__name__ in CHEAP


def choose_scheme(level: Effort, data: Dataset, *, inner: Any = None) -> Scheme:
    """The scheme of a level for a table: by its independent units, the groups where there are some, else the rows.

    One test set needs enough rows of every class, and inner folds that are aligned need outer folds.
    """
    units = data.rows if data.groups is None else len(np.unique(data.groups))
    rarest = np.bincount(data.codes).min() if data.classes else units
    must_fold = data.time is not None or rarest < RARE or (isinstance(inner, str) and inner in ALIGNED)
    allowed = [scheme for scheme in level.schemes if not (must_fold and scheme.is_one_split)]
    return next((scheme for scheme in allowed if units <= scheme.most_rows), allowed[-1])


def sized(requests: Any, level: Effort, task: str) -> Any:
    """The learners with the spaces of a level, for built-in ones that name no size; as they are where nothing changes.

    >>> sized(["tree", "k-nn:large"], LEVELS["quick"], "regression")
    {'tree': learner('tree:small'), 'k-nn:large': 'k-nn:large'}
    """
    named = name_learners(requests, task)
    named_sized = {name: at_level(request, level) for name, request in named.items()}
    return requests if named_sized == named else named_sized


def at_level(request: Any, level: Effort) -> Any:
    """One learner with the space of a level, if it is built in and names no size.

    >>> at_level("ridge", LEVELS["thorough"]).name
    'ridge:large'
    """
    name = request.name if isinstance(request, Named) else request
    if not isinstance(name, str) or ":" in name or read_blend(name) is not None or not is_builtin_name(name):
        return request
    size, given = level.size_of(find_entry(name).name), request.overrides if isinstance(request, Named) else {}
    own = level.own.get(name, {})
    changes = {**own, **given} if set(given) <= {"max_rows"} else given  # fewer rows are no word on the space
    if size == "default" and changes == given:
        return request
    named = copy(request) if isinstance(request, Named) else Named(name)
    named.name, named.changes = f"{name}:{size}", changes
    return named


def _default_learners(level: Effort, data: Dataset) -> tuple[Any, list[Note]]:
    """The learners of a level; of a wide table, the dearest in small spaces or not at all, with notes."""
    learners, small, left_out, notes = dict[str, Any](), list[str](), list[str](), list[Note]()
    for name in default_names(level, data.task, rows=data.rows):
        least, most = WIDE.get(name, (ANY, ANY))
        if data.columns > most:
            left_out.append(name)
        elif data.columns > least and level.size_of(name) != "small":
            small.append(name)
            learners[name] = Named(f"{name}:small")
        else:
            learners[name] = at_level(name, level)
    learners |= {name: name for name in level.more}
    wide = f"the table has {data.columns:,} columns"
    if small:
        notes.append(("wide", f"{' and '.join(small)}: a small space, as {wide}; learners= names others"))
    if left_out:
        notes.append(("wide", f"{' and '.join(left_out)} left out, as {wide}; learners= names them nevertheless"))
    return (list(learners) if all(name == learner for name, learner in learners.items()) else learners), notes


def default_names(level: Effort, task: str, *, rows: int) -> list[str]:
    """The learners of a level by their own names; kernel-ridge, whose cost is of their cube, is for few rows.

    >>> default_names(LEVELS["quick"], "binary", rows=100)
    ['logistic', 'k-nn', 'tree', 'forest', 'boosting']
    """
    linear, more = ("ridge", level.for_numbers) if task == "regression" else ("logistic", ())
    kernel = ["kernel-ridge"] if task == "regression" and rows <= level.kernel_rows else []
    return [linear if name == LINEAR else name for name in level.learners] + [*more, *kernel]
