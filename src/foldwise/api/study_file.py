"""A study written down: the same StudySpec from a TOML file, from flags, and back from a store."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError, create_model, field_validator

from foldwise.api.compare import plan, run_comparison
from foldwise.api.options import OPTIONS, WRITTEN, DataOptions
from foldwise.api.planning import Plan
from foldwise.api.request import request
from foldwise.api.result import Result
from foldwise.api.study_values import check_sizes, make_parameter, one_form, read_space, read_text
from foldwise.data.dataset import Dataset
from foldwise.data.packed import STDIN
from foldwise.data.sources import read
from foldwise.errors import BadSpace, BadStudy, nearest
from foldwise.executors.engines import check_engine
from foldwise.executors.engines import is_foreign as is_foreign_engine
from foldwise.learners.catalogue import builtin, is_builtin_name
from foldwise.learners.named import Named, learner
from foldwise.learners.plugin import foreign_names
from foldwise.learners.tuned import Tuned, tune
from foldwise.losses.loss import is_foreign as is_foreign_loss
from foldwise.plans.blends import read_blend
from foldwise.plans.effort import at_level, find_level
from foldwise.plans.methods import task_hint
from foldwise.questions.decision import checked_margin
from foldwise.records.store import opened
from foldwise.splits.making import is_foreign as is_foreign_splitter
from foldwise.stats.chooser import is_foreign as is_foreign_interval
from foldwise.studies.stored import ORIGIN
from foldwise.tuners.budget import read_seconds
from foldwise.tuners.registry import is_foreign as is_foreign_tuner

MOST_JOBS = 256  # processes, or threads of a fit, that a file may ask for
BOOSTERS = ("lightgbm", "xgboost", "catboost")
_NUMBERS = """n_estimators iterations num_trees learning_rate eta max_depth depth num_leaves max_leaves
    min_child_samples min_child_weight min_split_gain min_data_in_leaf gamma subsample subsample_freq colsample_bytree
    colsample_bylevel colsample_bynode rsm reg_alpha reg_lambda l2_leaf_reg random_strength bagging_temperature max_bin
    border_count max_delta_step path_smooth extra_trees linear_lambda cat_l2 cat_smooth max_cat_to_onehot
    one_hot_max_size max_ctr_complexity leaf_estimation_iterations num_parallel_tree scale_pos_weight is_unbalance
    drop_rate skip_drop random_state random_seed n_jobs thread_count verbosity verbose early_stopping_rounds"""
BOOSTER_NUMBERS = frozenset(_NUMBERS.split())
# What shapes the data set goes to `read`, the rest to `compare`.
_OF_READERS = ("title", "margin")  # which change no fit
_DATA_OPTIONS = ("target", "drop", *DataOptions.__annotations__)


class LearnerSpec(BaseModel):
    """A built-in learner and what is tried for its parameters (empty: its own space)."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)
    learner: str
    parameters: dict[str, Any] = {}

    @property
    def is_plain(self) -> bool:
        """Is this a built-in learner with its own space?"""
        return not self.parameters

    @field_validator("parameters")
    @classmethod
    def _known_forms(cls, parameters: dict[str, Any]) -> dict[str, Any]:
        return {name: one_form(name, value) for name, value in parameters.items()}


_KEYS: dict[str, Any] = {
    name: (row.file_type | None, None) for name, row in (WRITTEN | OPTIONS).items() if row.file_type is not None
}
_Keys: Any = create_model("_Keys", **_KEYS)


class StudySpec(_Keys):  # type: ignore[misc]
    """One study with the options of `fw.compare`, plus where the data are; None means the default.

    >>> StudySpec(data="diabetes", learners=["k-nn"], outer=8, inner=5).learners
    {'k-nn': LearnerSpec(learner='k-nn', parameters={})}
    """

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)
    data: str
    learners: dict[str, LearnerSpec] | None = None

    @field_validator("engine")
    @classmethod
    def _known_engine(cls, value: str | None) -> str | None:
        return None if value is None else check_engine(value)

    @field_validator("margin")
    @classmethod
    def _possible_margin(cls, value: float | None) -> float | None:
        return checked_margin(value)

    @field_validator("time_limit", mode="before")
    @classmethod
    def _seconds(cls, value: Any) -> Any:
        return read_seconds(value, "time limit") if isinstance(value, str) else value

    @field_validator("learners", mode="before")
    @classmethod
    def _learner_tables(cls, value: Any) -> Any:
        if isinstance(value, list) and all(isinstance(name, str) for name in value):
            if doubled := next((name for name in value if value.count(name) > 1), None):
                raise BadStudy(
                    f"learner {doubled!r} is given twice", "Name each once, or use a table with another name"
                )
            value = {name: {} for name in value}
        if isinstance(value, list) and all(
            isinstance(table, dict) and isinstance(table.get("name"), str) for table in value
        ):
            value = {table["name"]: {key: table[key] for key in table if key != "name"} for table in value}
        if not isinstance(value, dict):
            return value
        if not value:
            raise BadStudy("the study names no learner", "Leave `learners` out for a sensible set")
        return {name: _learner_table(name, table) for name, table in value.items()}

    def run(self, *, progress: bool | None = None) -> Result:
        """Compare the learners as the study says."""
        options = self.options()  # first, as it says best which column of labels is missing
        comparison = request(self.make_learners(), self.read_data(), None, **options, progress=progress)
        return run_comparison(comparison.timed(), origin=self.origin())

    def plan(self) -> Plan:
        """What the study would cost, without running it."""
        options = self.options()
        return plan(self.make_learners(), self.read_data(), **options)

    def origin(self) -> dict[str, Any]:
        """The study as JSON, with full paths so that it can be resumed from any folder."""
        unset = {key for key, value in self if value is None}
        options: dict[str, Any] = self.model_dump(
            mode="json", exclude=unset | {"retry_failed", "time_limit"}
        )  # of this run alone
        if self.learners is not None:
            # Lists, since a store may sort keys and the order of methods and parameters matters.
            options["learners"] = [
                {"name": name, "learner": spec.learner, "parameters": [list(item) for item in spec.parameters.items()]}
                for name, spec in self.learners.items()
            ]
        for key in ("data", "store"):
            if key in options and options[key] != STDIN and (key == "store" or Path(options[key]).exists()):
                options[key] = str(Path(options[key]).absolute())
        return options

    def read_data(self) -> Dataset:
        """The data set, without the columns that hold fold labels."""
        return self._read(without=[name for name in map(_label_column, (self.outer, self.inner)) if name])

    def options(self) -> dict[str, Any]:
        """The options of `fw.compare` that the study sets."""
        given = self.model_dump(exclude_none=True, exclude={"data", "learners", *_OF_READERS, *_DATA_OPTIONS})
        return {key: self._labels(value) if key in ("outer", "inner") else value for key, value in given.items()}

    def make_learners(self) -> Any:
        """What `fw.compare` takes as learners: None, names, or learners with their own spaces."""
        if self.learners is None:
            return None
        if all(spec.is_plain and spec.learner == name for name, spec in self.learners.items()):
            return list(self.learners)
        return {name: make_learner(spec) for name, spec in self.learners.items()}

    def make_one_learner(self) -> Any:
        """The learner of a study that names exactly one."""
        assert self.learners is not None
        (spec,) = self.learners.values()
        return make_learner(spec)

    def make_tuned(self, data: Dataset) -> Any:
        """The one learner of the study as a Tuned learner for these data, to be fitted on its own."""
        assert self.learners is not None
        ((name, spec),) = self.learners.items()
        if read_blend(spec.learner) is not None:
            raise BadSpace(
                f"{name} has nothing of its own to tune", "Tune its members, or fit it with `compare --save`"
            )
        made = make_learner(spec)
        if isinstance(made := at_level(made, find_level(self.effort or "normal")), Named):
            made = builtin(made.name, data, overrides=made.overrides)
        elif not isinstance(made, Tuned):
            made = Tuned(made)
        if not made.space:
            raise BadSpace(f"the learner {name!r} has nothing to tune", "Give values to try with --space")
        options = {
            key: value
            for key, value in self.options().items()
            if key in ("inner", "tuner", "budget", "rule", "stop", "loss", "seed")
        }
        return tune(made.estimator, space=made.space, **options)

    def _read(self, without: Iterable[str] = ()) -> Dataset:

        options: dict[str, Any] = {key: value for key in _DATA_OPTIONS if (value := getattr(self, key)) is not None}
        options["drop"] = (*options.get("drop", ()), *without)
        return read(self.data, task_hint=task_hint(self.make_learners(), self.loss), **options)

    def _labels(self, scheme: Any) -> Any:
        """Fold labels from a column (`column:NAME`); any other scheme as it is."""
        name = _label_column(scheme)
        if name is None:
            return scheme
        data = self._read()
        if name not in data.names:
            raise BadStudy(f"there is no column {name!r} to take fold labels from", nearest(name, data.names))
        if hasattr(data.X, "columns"):
            return data.X[name].to_numpy()
        column = data.X[:, data.names.index(name)]
        return column.toarray().ravel() if hasattr(column, "toarray") else column


def read_study(path: str | Path, **changes: Any) -> StudySpec:
    """The study in a TOML file; its paths are relative to the file, `changes` replace its options."""
    path = Path(path)
    try:
        options = tomllib.loads(read_text(path))
    except OSError as error:
        raise BadStudy(f"cannot read the study file {path}: {error.strerror}") from None
    except BadStudy:
        raise
    except (ValueError, RecursionError) as error:  # what is no TOML, no UTF-8, or a number without end
        raise BadStudy(f"{path} is not a TOML file: {error}") from None
    if "address" in options:
        # Whoever is at the other end can run code here: only the person at the keyboard may say who.
        raise BadStudy("a study file cannot name the address of a cluster", "Give it with --address")
    if foreign := _foreign_part(options):
        raise BadStudy(f"a study file cannot name {foreign} of another package", "Give it with a flag, or in Python")
    _check_amounts(path, options, changes)
    check_sizes(options)
    for key in ("data", "store"):
        if isinstance(options.get(key), str):
            options[key] = _next_to_file(path, options[key], must_exist=key == "data")
    return make_spec(options, **changes)


def make_spec(options: Mapping[str, Any], *, space: Iterable[str] = (), **changes: Any) -> StudySpec:
    """A StudySpec from options, with `space` flags such as `k-nn.n_neighbors=1..30` added.

    >>> study = make_spec({"data": "diabetes", "learners": ["ridge"]}, space=["ridge.alpha=log(1e-4,1e4,50)"])
    >>> study.learners["ridge"].parameters
    {'alpha': {'log_range': [0.0001, 10000.0, 50]}}
    """
    options = {**options, **{key: value for key, value in changes.items() if value is not None}}
    check_sizes(options)
    try:
        study = StudySpec.model_validate(options)
        return _with_spaces(study, list(space)) if space else study
    except ValidationError as error:
        raise _first_problem(error) from None


def stored_study(run: str | Path, **changes: Any) -> StudySpec:
    """The study a store was begun with, if it was begun from the command line or a file."""
    with opened(run, readonly=True) as store:
        origin = ORIGIN.read(store)
    if not origin:
        raise BadStudy(f"the study in {run} was begun in Python", "Run the same line again: finished fits are kept")
    options = {name: value for name, value in origin.items() if name != "address"}  # said again, or not used
    if is_foreign_engine(options.get("engine")):
        del options["engine"]  # no number depends on it
    if foreign := _foreign_part({name: value for name, value in options.items() if changes.get(name) is None}):
        remedy = "Run the same line again: finished fits are kept"
        raise BadStudy(f"the study in {run} asks for {foreign} of another package", remedy)
    _check_amounts(run, options, changes)
    return make_spec({**options, "store": str(run)}, **changes)


def _check_amounts(source: str | Path, options: Mapping[str, Any], changes: Mapping[str, Any]) -> None:
    """A file may not start processes without end; whoever is at the keyboard may."""
    for name in ("jobs", "fit_threads"):
        value = options.get(name)
        if changes.get(name) is None and isinstance(value, int | float) and value > MOST_JOBS:
            flag = f"--{name.replace('_', '-')}"
            raise BadStudy(f"{source} asks for {name} = {value:.7g}, more than {MOST_JOBS}", f"Give {flag} yourself")


def _foreign_part(options: Mapping[str, Any]) -> str:
    """A part of another package that a file names: only the person at the keyboard may call for its code."""
    learners = options.get("learners")
    learners = learners if isinstance(learners, dict | list) else ()  # what it should not be is refused later
    tables = list(learners.values() if isinstance(learners, dict) else learners)
    names = [*learners, *(table.get("learner") or table.get("name") for table in tables if isinstance(table, dict))]
    parts = {part for name in names if isinstance(name, str) for part in re.split(r"[(+:)]", name)}
    if not all(map(is_builtin_name, parts)) and (found := sorted(parts & set(foreign_names()))):
        return f"the learner {found[0]!r}"
    losses = options.get("loss")
    for loss in losses if isinstance(losses, list) else [losses]:
        if is_foreign_loss(loss):
            return f"the loss {loss!r}"
    for level in ("outer", "inner"):
        if is_foreign_splitter(options.get(level)):
            return f"the splitter {options[level]!r}"
    if is_foreign_tuner(options.get("tuner")):
        return f"the tuner {options['tuner']!r}"
    if is_foreign_engine(options.get("engine")):
        return f"the engine {options['engine']!r}"
    return f"the interval {options['interval']!r}" if is_foreign_interval(options.get("interval")) else ""


def make_learner(spec: LearnerSpec) -> Any:
    """The built-in learner with the parameters of the study."""
    for name, value in spec.parameters.items():
        _check_parameter(spec.learner, name, value)
    return learner(spec.learner, **{name: make_parameter(value) for name, value in spec.parameters.items()})


def _check_parameter(learner: str, name: str, value: Any) -> None:
    """Refuse what a stranger's file may not set: a million threads, or what LightGBM, XGBoost and CatBoost open.

    Many of their parameters name files and machines, in C++, where no path is checked. So only those can be set that
    are known to be numbers.
    """
    values = value if isinstance(value, list) else [value]
    if learner.partition(":")[0] in BOOSTERS:
        if name not in BOOSTER_NUMBERS:
            raise BadSpace(f"a study cannot set {name[:80]!r} of {learner}", nearest(name[:80], BOOSTER_NUMBERS))
        if any(isinstance(choice, str) for choice in values):
            raise BadSpace(f"a study cannot set {name!r} of {learner} to a text", "Give a number, true, false or none")
    if name in ("n_jobs", "thread_count") and any(
        isinstance(choice, int | float) and not abs(choice) <= MOST_JOBS for choice in values
    ):
        raise BadSpace(f"a study cannot set {name!r} of {learner} to {value}", f"Use at most {MOST_JOBS}")


def _with_spaces(study: StudySpec, flags: list[str]) -> StudySpec:
    tables = {name: spec.model_dump() for name, spec in (study.learners or {}).items()}
    for place, flag in enumerate(flags):
        learner, parameter, values = read_space(flag)
        if study.learners is not None and learner not in tables:
            raise BadSpace(f"the space {flag!r} is for {learner!r}, which is not compared", nearest(learner, tables))
        if any(read_space(other)[:2] == (learner, parameter) for other in flags[:place]):
            raise BadSpace(f"the values of {learner}.{parameter} are given twice", "Give them in one --space")
        table = tables.setdefault(learner, {"learner": learner, "parameters": {}})
        table["parameters"] = {**table["parameters"], parameter: values}
    return StudySpec(**{**study.model_dump(), "learners": tables})


def _learner_table(name: str, table: Any) -> Any:
    """One learner as {"learner", "parameters"}, from the flat table of a TOML file or from a store."""
    if isinstance(table, LearnerSpec):
        return table.model_dump()
    if not isinstance(table, dict):
        raise BadStudy(f"learner {name!r} must be a table of parameters, not {table!r}", f"Write [learners.{name}]")
    if isinstance(table.get("parameters"), dict | list):
        try:
            return {**table, "parameters": dict(table["parameters"])}
        except (TypeError, ValueError):  # a list, as a store keeps them, must be one of pairs
            raise BadStudy(f"learner {name!r} has parameters without a name", "Write each as name = values") from None
    rest = {key: value for key, value in table.items() if key != "learner"}
    return {"learner": table.get("learner", name), "parameters": rest}


def _label_column(scheme: Any) -> str | None:
    return scheme.removeprefix("column:") if isinstance(scheme, str) and scheme.startswith("column:") else None


def _next_to_file(path: Path, name: str, *, must_exist: bool) -> str:
    """A path in a study file is relative to the file; a name that is no file there is left alone."""
    beside = path.parent / name
    try:
        return str(beside) if not must_exist or beside.exists() else name
    except (OSError, ValueError):  # too long for a path, or with characters that no path can have
        return name


def _first_problem(error: ValidationError) -> Exception:
    # A misspelt option says more than that the right one is missing.
    problem = min(error.errors(), key=lambda problem: problem["type"] != "extra_forbidden")
    raised = problem.get("ctx", {}).get("error")
    if isinstance(raised, BadStudy | BadSpace):
        return raised
    key = str(problem["loc"][0]) if problem["loc"] else "the study"
    if problem["type"] == "extra_forbidden":
        return BadStudy(f"a study has no option {key!r}", nearest(key, StudySpec.model_fields))
    if problem["type"] == "missing":
        return BadStudy(f"the study does not say its {key!r}", f"Add a line {key} = ...")
    return BadStudy(f"{key} cannot be {problem['input']!r}", problem["msg"].replace("Input should", "It should"))
