"""Do intervals cover? A study is run again on simulated tables whose truth is known."""

from __future__ import annotations

import json
import math
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from foldwise.api.compare import compare
from foldwise.api.result import Result
from foldwise.api.running import answer_study
from foldwise.arrays import AnyArray, FloatArray
from foldwise.blocks.numbers import number
from foldwise.data.dataset import Dataset
from foldwise.errors import BadStudy
from foldwise.executors.options import RunOptions
from foldwise.lab.likeness import likeness_of
from foldwise.lab.problems import Problem, find_problem
from foldwise.plans.runnable import RunnableStudy
from foldwise.questions.combined import answer_of
from foldwise.questions.contest import BASELINE, compared, pair_level
from foldwise.questions.method import MethodAnswer
from foldwise.shown import Shown
from foldwise.splits.split import Split, Splits
from foldwise.stats.chooser import find, work_out
from foldwise.stats.cross_validated import NOT_OFFERED
from foldwise.stats.estimate import percent
from foldwise.stats.interval_method import IntervalMethod, comparable
from foldwise.studies.reading import Reading
from foldwise.studies.study import Study
from foldwise.tuners.budget import read_seconds

if TYPE_CHECKING:
    import pandas as pd

QUICK = ("ridge", "k-nn")  # a table takes about a second with these; two minutes of all default learners show nothing
# Fresh rows from which true risks are worked out: few where the truth is a mean over all tables, else more.
FRESH_OF_MEAN, FRESH = 500, (2000, 4000)
LEAST = 20  # replications from which on a share is worth a conclusion


Tables = Callable[[int, np.random.Generator, str], Dataset]  # draws so many rows; the name tells tables apart
# Of one simulated table, NaN where there is none: estimates[method], ends[method, interval, side], true risks[method]
# of the models of the outer splits, and ends[pair, side] that hold for all pairs at once
Replication = tuple[FloatArray, FloatArray, FloatArray, FloatArray]


@dataclass(frozen=True, eq=False)
class Coverage(Shown):
    """What intervals and comparisons achieved on simulated tables.

    `intervals` has a row for each method and interval, `differences` one for each pair of methods; `error` is the
    Monte-Carlo standard error of the coverage. `false_alarms` is the share of tables in which some method is
    called better than another and is not.
    """

    intervals: pd.DataFrame
    differences: pd.DataFrame
    false_alarms: float | None
    replications: int
    level: float
    seconds: float
    is_like: bool

    def __repr__(self) -> str:
        import pandas as pd

        tables = "tables like yours" if self.is_like else "tables"
        head = (
            f"{self.replications} simulated {tables}, {number(self.seconds, digits=3)} s, level {percent(self.level)}:"
        )
        show: Any = partial(pd.DataFrame.to_string, index=False, float_format="{:.4g}".format)
        parts: list[str] = [head, show(self.intervals)]
        if self.false_alarms is not None:
            error = _error(self.false_alarms, self.replications)
            parts += ["Differences, by intervals that hold for all pairs at once:", show(self.differences)]
            parts += [f"Some method falsely called better: {self.false_alarms:.3f} of the tables (error {error:.3f})."]
        return "\n".join([*parts, self.verdict])

    @property
    def verdict(self) -> str:
        """Which intervals fall short by more than chance, in a sentence."""
        if self.replications < LEAST:
            return f"{self.replications} tables are too few to say more: give it more time (time_limit=, --time-limit)."
        where = "data like yours" if self.is_like else "this problem"
        short = self.intervals[self.intervals["coverage"] + 2 * self.intervals["error"] < self.level]
        if len(short):
            named = ", ".join(f"{line.interval} of {line.method} ({line.coverage:.2f})" for line in short.itertuples())
            return f"On {where} these fall short of {percent(self.level)}: {named}."
        limit = " No residual beyond the largest of yours was simulated." if self.is_like else ""
        return f"On {where} no interval falls short of {percent(self.level)} by more than chance.{limit}"

    def to_dict(self) -> dict[str, Any]:
        """The same in plain values for JSON."""

        def records(frame: pd.DataFrame) -> Any:
            return json.loads(frame.to_json(orient="records", double_precision=15))

        values: dict[str, Any] = json.loads(json.dumps({**vars(self), "verdict": self.verdict}, default=records))
        return values


def coverage(
    problem: str | Problem | None = None,
    learners: Any = None,
    *,
    like: Any = None,
    target: Any = None,
    rows: int = 100,
    intervals: str | IntervalMethod | Sequence[str | IntervalMethod] = "own",
    replications: int = 200,
    time_limit: float | str | None = "2 min",
    seed: int = 0,
    jobs: int | None = None,
    progress: bool | None = None,
    **options: Any,
) -> Coverage:
    """Do intervals cover? The same study on many simulated tables whose truth is known.

    The tables are those of a problem with known truth, or `like` a table of yours: its rows, drawn with replacement,
    with targets from the best method and the residuals it left. Rows are independent; groups and time order are
    refused.

    `problem`: a name of `fw.lab.PROBLEMS`, or a problem of your own (None: "linear", without `like`).
    `learners`: as in `compare` (None: quick ones).
    `like`: a table as in `compare`, or the result of a study, which is run again with all its options.
    `target`: of a table, its column or values.
    `rows`: of each table of a problem.
    `intervals`: "own" is the study's own; others by name, "naive z" and "fold t" among them, which are offered nowhere
    else and show what they miss; or intervals of your own.
    `replications`: simulated tables, or as many as the time limit allows.
    `time_limit`: seconds, or text such as "2 min".
    `seed`: names the random draws; the same seed gives the same answer.
    `jobs`: worker processes (None: one per core).
    `progress`: show it or not (None: in a terminal).
    `options`: further options of `compare`, such as `outer`, `inner`, `repeats` and `level`.

    >>> import foldwise as fw
    >>> check = fw.lab.coverage("linear", outer=5, intervals=["own", "naive z"], replications=20, jobs=1)
    >>> check.intervals.groupby("interval")["width"].mean().round(1)
    interval
    naive z            1.1
    the study's own    2.7
    Name: width, dtype: float64
    >>> fw.lab.coverage(like="diabetes", learners=["linear"], outer=3, replications=20, jobs=1).false_alarms
    0.0
    """
    from joblib import Parallel, cpu_count, delayed

    if replications < 2:
        raise BadStudy(f"{replications} replications show nothing", "Ask for at least 2")
    limit = math.inf if time_limit is None else read_seconds(time_limit, "time limit")
    asked = [intervals] if isinstance(intervals, str | IntervalMethod) else intervals
    judged = [_interval(name) for name in asked]
    options |= {"seed": seed, "jobs": jobs}
    tables: Tables
    if like is None:
        simulated = problem if isinstance(problem, Problem) else find_problem(problem or "linear")
        runnable, tables = study_of_problem(simulated, learners, rows, **options)
    elif problem is None:
        names = list(QUICK) if learners is None else learners
        result = like if isinstance(like, Result) else compare(names, like, target, **options)
        if result.runnable is None:
            raise BadStudy("a result loaded from a store has no learners to fit", "Run the study again with its store")
        runnable, tables = _again(result.runnable), likeness_of(result).draw
    else:
        raise BadStudy("tables are those of a problem or like a table, not both", "Leave out the problem or like=")
    is_shown = sys.stderr.isatty() if progress is None else progress
    begun, done, spent, width = time.monotonic(), list[Replication](), 0.0, jobs or cpu_count()
    # whole studies run beside one another: the fits of one are too few and too short to keep workers busy
    with Parallel(n_jobs=width) as workers:
        while len(done) < replications:
            places = range(len(done), min(len(done) + width, replications))
            done += workers(delayed(_replicate)(runnable, tables, judged, [seed, place]) for place in places)
            last, spent = spent, time.monotonic() - begun
            if is_shown:
                words = f"coverage: {len(done)} of {replications} tables, {number(spent / len(done), digits=2)} s each"
                print(f"\r{words}", end="" if sys.stderr.isatty() else "\n", file=sys.stderr, flush=True)
            # another batch takes about as long as the last one, and the first one also starts the workers
            if len(done) >= 2 and 2 * spent - last > limit:
                break
    return _summary(runnable.study, judged, done, is_like=like is not None, begun=begun)


def study_of_problem(
    problem: Problem, learners: Any, rows: int, *, seed: int = 0, **options: Any
) -> tuple[RunnableStudy, Tables]:
    """A study of a problem, to be run again on tables drawn from it."""
    if learners is None:
        from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

        learners = ["linear"] if problem.task == "regression" else {"lda": LinearDiscriminantAnalysis()}
    rng = np.random.default_rng([seed, rows])
    X, y = problem.draw(rows, rng)
    if problem.task != "regression":  # the study is made for usual shares of the classes
        X, y = problem.draw(20 * rows, rng)
        usual = rng.permutation(np.argsort(y, kind="stable")[::20])
        X, y = X[usual], y[usual]
    quiet = {"guards": False, "progress": False, "groups": problem.groups(rows)}
    runnable = compare(learners, X, y, seed=seed, **{**quiet, **options}).runnable
    assert runnable is not None
    data = replace(runnable.data, strata=None)

    def draw(rows: int, rng: np.random.Generator, name: str) -> Dataset:
        X, y = problem.draw(rows, rng)
        return replace(data, X=X, y=y, groups=problem.groups(rows), fingerprint=f"{problem.name} {name}")

    return _again(runnable), draw


def _interval(asked: str | IntervalMethod) -> IntervalMethod | None:
    """The interval that is judged; None for the study's own."""
    name = comparable(asked) if isinstance(asked, str) else ""
    return None if name == "own" else NOT_OFFERED[name] if name in NOT_OFFERED else find(asked)


def _again(runnable: RunnableStudy) -> RunnableStudy:
    """The study with no more than its risks need."""
    methods = [method for method in runnable.study.methods if not method.defaults_of]
    for method in methods:
        if not method.tuner.is_listed:
            raise BadStudy(
                f"{method.name} is tuned by a search, which is not run again on simulated tables",
                "Leave it out, or tune it over a grid",
            )
    runnable = runnable.only({method.name for method in methods})
    spare: dict[str, Any] = {"has_final": False, "has_optimism": False, "wants_importance": False}
    return replace(runnable, study=replace(runnable.study, findings=(), notes=(), **spare))


def simulate(runnable: RunnableStudy, tables: Tables, seed: Sequence[int], fresh: int) -> tuple[Reading, Reading]:
    """The study on one simulated table, and its outer models on fresh rows, whose losses are its true risks."""
    study, rows = runnable.study, runnable.data.rows
    data = tables(rows + fresh, np.random.default_rng(seed), ".".join(map(str, seed)))
    if data.task != "regression" and "stratified" in study.outer.scheme:
        data = _placed(data, runnable.data.codes)
    tests, more = [split.test for split in study.outer], np.arange(rows, rows + fresh)
    wide = _on(study, data, [np.concatenate([test, more]) for test in tests])
    options = RunOptions(jobs=1)
    store = answer_study(replace(runnable, data=data, study=wide), options, progress=False, is_kept=False).reading.store
    # the fits of the wide study answer for its parts too
    narrow = replace(_on(study, data, tests, rows), outer=study.outer)
    return Reading(narrow, store), Reading(_on(study, data, [more] * len(tests)), store)


def _replicate(
    runnable: RunnableStudy, tables: Tables, judged: Sequence[IntervalMethod | None], seed: list[int]
) -> Replication:
    study = runnable.study
    is_mean = len(study.outer) > 1 and not any(row is not None and row.covers == "these models" for row in judged)
    fresh = FRESH_OF_MEAN if is_mean else int(np.clip(4 * runnable.data.rows, *FRESH))
    reading, true = simulate(runnable, tables, seed, fresh)
    methods = [answer_of(reading, method) for method in reading.study.shown]
    risks = [answer_of(true, method).risk for method in true.study.shown]
    own, ends = study.interval, np.full((len(methods), len(judged), 2), np.nan)
    for at, method in enumerate(methods):
        for place, row in enumerate(judged if method.status == "ok" else ()):
            _, _, pair = work_out(method.evidence, own if row is None else row, study.level)
            if pair is not None:
                ends[at, place] = pair.low, pair.high
    return np.array([method.risk for method in methods]), ends, np.array(risks), _pair_ends(methods)


def _placed(data: Dataset, codes: AnyArray) -> Dataset:
    """The first rows in places where the study had rows of their class, or nearly so: folds stay stratified."""
    order = np.arange(data.rows)
    order[np.argsort(codes, kind="stable")] = np.argsort(data.codes[: len(codes)], kind="stable")
    weights = None if data.weights is None else data.weights[order]
    return replace(data, X=data.take(order), y=data.y[order], weights=weights)


def _on(study: Study, data: Dataset, tests: Sequence[AnyArray], rows: int | None = None) -> Study:
    """The study on the first rows of other data (None: all), its outer models judged on these test rows."""
    splits = (
        Split(split.train, test, split.repeat, split.fold) for split, test in zip(study.outer, tests, strict=True)
    )
    return replace(
        study,
        fingerprint=data.fingerprint,
        target=data.target[:rows],
        weights=None if data.weights is None else data.weights[:rows],
        groups=None if data.groups is None else data.groups[:rows],
        outer=Splits(tuple(splits), study.outer.scheme, study.outer.kind, study.outer.is_partition),
        _names={},
        _keys={},
        _tuning_rows={},
    )


def _pair_ends(methods: list[MethodAnswer]) -> FloatArray:
    """Ends of the difference of each pair, which hold for all pairs at once."""
    names = {method.method.name for method in compared(methods)} | {BASELINE}
    ends = []
    for one, other in combinations(methods, 2):
        is_able = {one.method.name, other.method.name} <= names
        apart = one.difference(other, level=pair_level(methods, one, other)) if is_able else None
        pair = (None, None) if apart is None else (apart.low, apart.high)
        ends.append([math.nan if end is None else end for end in pair])
    return np.array(ends, np.float64).reshape(-1, 2)


def _summary(
    study: Study,
    judged: Sequence[IntervalMethod | None],
    done: Sequence[Replication],
    *,
    is_like: bool,
    begun: float,
) -> Coverage:
    import pandas as pd

    names, own = [method.name for method in study.shown], study.interval
    values, ends, risks, pair_ends = (np.stack(arrays) for arrays in zip(*done, strict=True))
    # one test set is about its very models, several splits are about the learner: the mean over all tables
    truths = risks if len(study.outer) == 1 else np.broadcast_to(np.nanmean(risks, axis=0), risks.shape)
    intervals, differences, is_false = [], [], np.zeros(len(done), bool)
    for at, name in enumerate(names):
        for place, row in enumerate(judged):
            truth = (risks if row and row.covers == "these models" else truths)[:, at]
            means = {"truth": float(np.nanmean(truth)), "mean_estimate": float(np.nanmean(values[:, at]))}
            means["estimate_sd"] = float(np.nanstd(values[:, at]))
            own_name = "the study's own" + (f" ({own.name})" if own else "")
            interval = {"method": name, "interval": own_name if row is None else row.name}
            intervals.append({**interval, **_covered(ends[:, at, place], truth), **means})
    for place, (first, second) in enumerate(combinations(range(len(names)), 2)):
        truth, (low, high) = truths[:, first] - truths[:, second], pair_ends[:, place].T
        is_wrong = ((low > 0) & (truth <= 0)) | ((high < 0) & (truth >= 0))
        is_false |= is_wrong
        claims = {"told_apart": float(((low > 0) | (high < 0)).mean()), "false_claims": float(is_wrong.mean())}
        pair = {"first": names[first], "second": names[second], "truth": float(np.nanmean(truth))}
        differences.append({**pair, **_covered(pair_ends[:, place], truth), **claims})
    alarms = float(is_false.mean()) if np.isfinite(pair_ends).any() else None
    frames = pd.DataFrame(intervals), pd.DataFrame(differences)
    return Coverage(*frames, alarms, len(done), study.level, time.monotonic() - begun, is_like)


def _covered(ends: FloatArray, truth: FloatArray) -> dict[str, Any]:
    """Coverage among the tables that had an interval, with its error, width, and the misses on either side."""
    has = np.isfinite(ends).all(axis=1) & np.isfinite(truth)
    count, (low, high), true = int(has.sum()), ends[has].T, truth[has]
    shares = {"coverage": (low <= true) & (true <= high), "truth_below": true < low, "truth_above": true > high}
    means = {name: float(hits.mean()) if count else math.nan for name, hits in shares.items()}
    width = float((high - low).mean()) if count else math.nan
    return {**means, "error": _error(means["coverage"], count), "width": width, "answered": count}


def _error(share: float, count: int) -> float:
    """The Monte-Carlo standard error of a share; that of 0 or 1 is given the error of one miss."""
    if not count or math.isnan(share):
        return math.nan
    share = min(max(share, 1 / count), 1 - 1 / count) if count > 1 else share
    return math.sqrt(max(share * (1 - share), 0.0) / count)
