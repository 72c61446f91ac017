"""What a study will cost: its fits are counted, and a few of them are made on the path of the run to tell the time."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from foldwise.arrays import BoolArray, IntArray
from foldwise.blocks.numbers import with_reason
from foldwise.data.dataset import Dataset
from foldwise.executors.local.local_executor import SMALL_STUDY_SECONDS, LocalExecutor
from foldwise.executors.options import RunOptions
from foldwise.executors.worker import Worker
from foldwise.executors.workload import workload_of
from foldwise.plans.cost import cheap_first
from foldwise.plans.fit import Batch, Fit
from foldwise.plans.needed import needed_of
from foldwise.plans.runnable import RunnableStudy
from foldwise.records.memory import MemoryStore
from foldwise.run import keep_proposals
from foldwise.shown import table_html, words_html
from foldwise.splits.split import union
from foldwise.studies.counting import own_keys, rows_of_chosen
from foldwise.studies.pace import duration
from foldwise.studies.reading import Reading
from foldwise.studies.study import Method
from foldwise.tuners.tuner import worst_case

if TYPE_CHECKING:
    from foldwise.api.request import Request

PILOT_SECONDS = 1.5  # of a pilot, for all methods; one pass of each method is made, however long it takes, on few rows
SHARE, LONGEST = 0.05, 1.0  # or so much of what fits are told to take, and seconds: few rows tell badly of very many
FIRST_ROWS = 400  # to train on, to begin with
WARM_ROWS, WARM_FITS = 60, 4  # before the clock is looked at: what is imported or compiled on the way is not counted
CHOSEN = 3  # candidates that are tried alone
GROWTH = 1.2  # of the time with the rows, until two numbers of rows have been measured
clock = time.perf_counter
KEEPING_SECONDS = 2e-4  # of a fit besides the fit itself: naming it, keeping its record, reading its loss


@dataclass(frozen=True)
class Plan:
    """What a study will cost, before it starts.

    `fits`: how many distinct fits.
    `methods`: a dictionary for each.
    `seconds`: of one core, or None where nothing is known; `wall_seconds`: on `cores` cores.
    `outer`, `inner`: the splits, in words.
    `rows`: of the table.
    `task`: and why, where it could be another.
    `cores`: how many the run would use.
    `limit`: what a time limit decides.

    >>> import foldwise as fw
    >>> plan = fw.plan(["ridge"], "diabetes", outer=5, inner=3)
    >>> plan.fits, plan.outer, plan.to_dict()["rows"]
    (753, '5 folds', 442)
    """

    fits: int
    methods: list[dict[str, Any]]
    seconds: float | None
    outer: str
    inner: str | None
    rows: int
    task: str = ""  # and why, where it could be another
    wall_seconds: float | None = None  # on the cores that the run would use; `seconds` are those of one
    cores: int | None = None
    limit: str = ""  # what a time limit decides
    importance: int = 0  # of the fits, those that permutation importance makes again, at most

    def to_dict(self) -> dict[str, Any]:
        """The plan in plain values; the same as `--json`."""
        return dict(vars(self))

    def __repr__(self) -> str:
        task = f"{self.task}; " if self.task else ""
        lines = [f"{task}{self.rows:,} rows; outer splits: {self.outer}; inner splits: {self.inner or 'none'}"]
        lines += [
            f"  {method['name']}: {_sureness([method])}{_counted(method['fits'], 'fit')}"
            + (f", {_counted(method['candidates'], 'candidate')}" if method["candidates"] else "")
            + (f", about {duration(method['seconds'])}" if method["seconds"] is not None else "")
            for method in self.methods
        ]
        if self.importance:
            lines.append(f"  importance of columns: at most {_counted(self.importance, 'fit')} made again")
        shared = sum(method["fits"] for method in self.methods) + self.importance - self.fits
        cost = f"{_sureness(self.methods)}{_counted(self.fits, 'fit')}"
        cost += f" ({shared:,} fewer than the lines above: fits that methods share are made once)" if shared else ""
        cost += f", about {duration(self.seconds)} of work for one core" if self.seconds is not None else ""
        if self.wall_seconds is not None and self.cores is not None and self.cores > 1:
            cost += f": about {duration(self.wall_seconds)} on {self.cores} cores"
        return "\n".join([*lines, cost, *([self.limit] if self.limit else [])])

    def _repr_html_(self) -> str:
        heads, rows = ("method", "fits", "candidates", "time"), [_method_html(method) for method in self.methods]
        table = table_html({head: [row[at] for row in rows] for at, head in enumerate(heads)})
        first, *rest = [line for line in repr(self).splitlines() if not line.startswith("  ")]
        return words_html(first) + table + words_html(*rest)


def _method_html(method: Mapping[str, Any]) -> tuple[str, ...]:
    """A row of the plan's table; what is not known is left empty."""
    time = "" if method["seconds"] is None else f"about {duration(method['seconds'])}"
    return method["name"], f"{_sureness([method])}{method['fits']:,}", str(method["candidates"] or ""), time


def _counted(number: int, noun: str) -> str:
    """
    >>> _counted(1, "fit"), _counted(4355, "fit")
    ('1 fit', '4,355 fits')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _sureness(methods: Sequence[Mapping[str, Any]]) -> str:
    """How sure a number of fits is: time decides, candidates may be dropped, or neither."""
    if any(method["is_rough"] for method in methods):
        return "about "
    return "at most " if any(method["at_most"] for method in methods) else ""


@dataclass(frozen=True)
class Cost:
    """What one method of a study will cost."""

    method: Method
    keys: frozenset[str]  # of its fits that are known before it starts
    fits: int
    seconds: float | None  # of all its fits
    is_rough: bool = False  # time ends its tunings, so that the number of fits is a guess
    at_most: bool = False  # its tuner may drop candidates, or it shares fits with another method

    def to_dict(self) -> dict[str, Any]:
        method, tuner = self.method, self.method.tuner
        candidates = method.listed if tuner.is_listed else tuner.limits.budget
        is_open = method.inner is None or (not tuner.is_listed and tuner.limits.seconds is not None)
        return {
            "name": method.name,
            "fits": self.fits,
            "at_most": self.at_most and not self.is_rough,
            "is_rough": self.is_rough,
            "candidates": None if is_open else candidates,
            "seconds": None if self.seconds is None else round(self.seconds, 3),
        }


def make_plan(asked: Request, *, has_pilot: bool = True) -> Plan:
    """The plan of a request; a pilot makes some of its fits to tell the time."""
    began = clock()
    runnable = asked.study()
    study, reading = runnable.study, Reading(runnable.study, MemoryStore())
    for at in range(len(study.methods)):
        keep_proposals(runnable, reading, at)  # in memory, for the pilot
    own_seconds = clock() - began
    measured = measure(runnable, reading) if has_pilot else {}
    costs = _costs(reading, measured)
    fits, work = total(costs)
    again = 0  # the most fits of permutation importance: each outer model of the picked method, with a blend's members
    if study.wants_importance:
        again = len(study.outer) * max(1 + len(method.members) for method in study.shown)
    fits, work = fits + again, work + again * max((seconds.alone for seconds in measured.values()), default=0.0)
    own_seconds += fits * KEEPING_SECONDS
    cores = cores_of(asked.run, work)
    longest = max((seconds.longest for seconds in measured.values()), default=0.0)
    notes = [{"code": code, "text": text} for code, text in study.notes]
    return Plan(
        fits=fits,
        methods=[cost.to_dict() for cost in costs],
        seconds=round(work + own_seconds, 3) if has_pilot else None,
        outer=with_reason(study.outer.scheme, "scheme", study.notes),
        inner=" / ".join(dict.fromkeys(method.inner.scheme for method in study.methods if method.inner)) or None,
        rows=study.rows,
        task=with_reason(study.task, "task", study.notes),
        wall_seconds=round(own_seconds + max(work / cores, longest), 3) if has_pilot and cores is not None else None,
        cores=cores,
        importance=again,
        limit=next((note["text"] for note in notes if note["code"] == "time_limit"), ""),
    )


def cores_of(options: RunOptions, work: float) -> int | None:
    """How many cores so many seconds of work will have; None where a cluster or an executor of one's own decides."""
    if options.engine != "local":
        return options.jobs
    executor = LocalExecutor(options)
    is_spread = executor.may_isolate and (executor.must_isolate or work > SMALL_STUDY_SECONDS)
    return executor.jobs if is_spread else 1


def _costs(reading: Reading, measured: Mapping[int, FitSeconds]) -> list[Cost]:
    """The costs of all methods; default parameters wait for the tuned learner, so the pilot has no fit of them."""
    methods, costs = reading.study.methods, list[Cost]()
    place = {method.name: at for at, method in enumerate(methods)}
    for at, method in enumerate(methods):
        seconds = measured.get(at)
        if seconds is None and method.defaults_of and (tuned := measured.get(place[method.defaults_of])) is not None:
            seconds = tuned._replace(together=tuned.alone)
        if seconds is None:
            costs.append(method_cost(reading, method, None))
        else:
            costs.append(method_cost(reading, method, seconds.together * _growth(reading, method), alone=seconds.alone))
    return costs


def _growth(reading: Reading, method: Method) -> float:
    """How much longer the mean fit of a tuning takes than its first ones, which may have less of the rows."""
    if method.tuner.is_exhaustive or not method.tuner.is_listed:
        return 1.0
    evaluations = worst_case(method.tuner, reading.runs(method)[0])
    shares = [
        (len(evaluation.candidates) * len(evaluation.splits), method.tuner.share(evaluation.level))
        for evaluation in evaluations
    ]
    mean = sum(count * share for count, share in shares) / sum(count for count, _ in shares)
    return mean / shares[0][1]


def method_cost(reading: Reading, method: Method, seconds: float | None, *, alone: float | None = None) -> Cost:
    """The most fits of a method and, where a pilot measured the seconds of one fit, their time.

    `seconds` are its part of a pass in which a solver answers many fits; a chosen candidate is fitted `alone`.
    """
    tuner, runs = method.tuner, reading.runs(method)
    is_fixed = tuner.is_listed and tuner.is_exhaustive
    keys = frozenset(own_keys(reading, method) if is_fixed else ())
    tuning, chosen = len(keys) or tuner.most_fits(runs), len(rows_of_chosen(reading.study, method))
    at_most = not is_fixed or _may_share(reading, method)
    if seconds is None:
        return Cost(method, keys, tuning + chosen, None, at_most=at_most)
    cost, share = tuning * seconds + chosen * (seconds if alone is None else alone), tuner.limits.seconds
    if share is None or cost <= share:
        return Cost(method, keys, tuning + chosen, cost, at_most=at_most)
    least = tuner.fewest_fits(runs) + chosen  # its time is up before its candidates are
    return Cost(method, keys, max(least, round(share / seconds)), max(share, least * seconds), is_rough=True)


def _may_share(reading: Reading, method: Method) -> bool:
    """Are these default parameters a candidate of the tuned method, or may they become one in its search?"""
    if not method.defaults_of:
        return False
    tuned = reading.method(method.defaults_of)
    return not tuned.tuner.is_listed or method.identities[0] in tuned.identities


def total(costs: Sequence[Cost]) -> tuple[int, float]:
    """Fits and seconds of all methods; a fit that several ask for is made once."""
    known: set[str] = set()
    fits, seconds = 0, 0.0
    for cost in costs:
        new = cost.fits - len(cost.keys & known)
        fits += new
        seconds += (cost.seconds or 0.0) * new / max(cost.fits, 1)
        known |= cost.keys
    return fits, seconds


class FitSeconds(NamedTuple):
    """Seconds of one fit of a method."""

    together: float  # while it is tuned: its part of the pass that a solver makes for many
    alone: float  # of a chosen candidate, for which there is a pass of its own
    longest: float  # seconds of one batch, which no number of cores shortens


def measure(runnable: RunnableStudy, reading: Reading, *, seconds: float = PILOT_SECONDS) -> dict[int, FitSeconds]:
    """The cost of the methods that can begin, by their places, from a sample of about so many seconds."""
    from sklearn import config_context

    worker, measured = Worker(workload_of(runnable)), dict[int, FitSeconds]()
    fits_of = {at: list(needed_of(runnable, reading, at)) for at in cheap_first(runnable)}
    fits_of = {at: fits for at, fits in fits_of.items() if fits and fits[0].members is None}
    with config_context(enable_metadata_routing=False):
        for place, (at, fits) in enumerate(fits_of.items()):
            started = clock()
            measured[at] = _measured(worker, reading, fits, max(seconds, 0.0) / (len(fits_of) - place))
            seconds -= clock() - started
    return measured


def _measured(worker: Worker, reading: Reading, fits: Sequence[Fit], allowed: float) -> FitSeconds:
    batches = one_pass(worker, fits)
    _timed(worker, [_thinned(worker, type(batches[0])(batches[0][:WARM_FITS]), WARM_ROWS)])
    method, alone, power = reading.study.methods[fits[0].method], None, None
    if method.inner is not None and len(reading.study.outer):  # first: how one fit grows tells how many do
        chosen = list(_chosen(reading, fits))
        seconds, power = _seconds(worker, worker.solvers.batches(chosen), allowed / 3)
        alone = seconds / len(chosen)
    took, _ = _seconds(worker, batches, allowed * 2 / 3, power=power)
    together = took / sum(map(len, batches))
    return FitSeconds(together, together if alone is None else alone, took / len(batches))


def one_pass(worker: Worker, fits: Sequence[Fit]) -> list[Batch]:
    """The batches of one training set; where a solver answers all of them together, those of all."""
    solver, middle = worker.solvers.solver(fits[0]), fits[len(fits) // 2].train
    is_whole = solver is not None and solver.batch == "method"
    return worker.solvers.batches([fit for fit in fits if is_whole or fit.train is middle])


def _chosen(reading: Reading, fits: Sequence[Fit]) -> Iterator[Fit]:
    """Some candidates, each on the training rows of an outer split, where it also predicts those."""
    study = reading.study
    for at, split in zip(range(1, CHOSEN + 1), study.outer, strict=False):
        rows = union(split.test, split.train) if study.has_training_risk else split.test
        yield replace(fits[at * len(fits) // (CHOSEN + 1)], train=split.train, rows=rows)


def _seconds(
    worker: Worker, batches: Sequence[Batch], allowed: float, *, power: float | None = None
) -> tuple[float, float]:
    """Seconds of all these batches, from as many of them and as many of their rows as there is time for.

    They grow with a power of the rows: a given one, or the one that is observed, which is told too.
    """
    size = max(len(batch[0].train) for batch in batches)
    rows, picked, took = min(size, FIRST_ROWS), list[Batch](), 0.0
    for batch in _spread(batches):
        took += _timed(worker, [_thinned(worker, batch, rows)])
        picked.append(batch)
        if len(picked) > 1 and took > (allowed if rows == size else allowed / 4):
            break
    spent, first, begun, next_power = took, took, rows, power or GROWTH
    while rows < size:
        more, on_all = min(size, 2 * rows), took * (size / rows) ** next_power
        expected = on_all * len(batches) / len(picked)
        if spent + took * (more / rows) ** next_power > max(allowed, min(SHARE * expected, LONGEST)):
            took = on_all
            break
        longer = _timed(worker, [_thinned(worker, batch, more) for batch in picked])
        if power is None:
            next_power = min(max(math.log(longer / took) / math.log(more / rows), 1.0), 3.0)
        spent, took, rows = spent + longer, longer, more
    whole = math.log(took / first) / math.log(size / begun) if begun < size else GROWTH
    return took * len(batches) / len(picked), max(whole, 0.1)


def _timed(worker: Worker, batches: Sequence[Batch]) -> float:
    started = clock()
    for batch in batches:
        worker.do(batch)
    return max(clock() - started, 1e-7)


def _thinned(worker: Worker, batch: Batch, rows: int) -> Batch:
    """The same fits on a part of the table, with some of every class: folds stay folds, which solvers make use of."""
    size = max(len(fit.train) for fit in batch)
    if rows >= size:
        return batch
    is_kept, thinned = _sample(worker.work.data, rows / size), dict[int, IntArray]()

    def part(of: IntArray) -> IntArray:
        if id(of) not in thinned:
            thinned[id(of)] = of[is_kept[of]] if is_kept[of].any() else of[:1]
        return thinned[id(of)]

    return type(batch)(replace(fit, train=part(fit.train), rows=part(fit.rows)) for fit in batch)


def _sample(data: Dataset, share: float) -> BoolArray:
    """Which rows of the table are kept: about this share of every class, the same ones whenever it is asked."""
    rng, is_kept = np.random.default_rng(0), np.zeros(data.rows, bool)
    classes = np.zeros(data.rows, int) if data.task == "regression" else data.target
    for code in np.unique(classes):
        rows = rng.permutation(np.flatnonzero(classes == code))
        is_kept[rows[: max(math.ceil(share * len(rows)), 6)]] = True  # every fold has some of six
    return is_kept


def _spread(batches: Sequence[Batch]) -> Iterator[Batch]:
    """All batches, the first ones far from each other: candidates next to each other cost about the same.

    >>> [at for at in _spread([(0,), (1,), (2,), (3,), (4,)])]
    [(3,), (1,), (0,), (4,), (2,)]
    """
    bits = max(1, (len(batches)).bit_length())
    order = (int(format(number, f"0{bits}b")[::-1], 2) for number in range(1, 2**bits))
    yield from (batches[place - 1] for place in order if place <= len(batches))
