"""What to do next: every method continues as soon as its own fits are done, whatever the others do."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from foldwise.plans.cost import cheap_first, turns
from foldwise.plans.fit import Fit, FitPart, Fits
from foldwise.plans.needed import join_parts, needed_parts
from foldwise.plans.runnable import RunnableStudy
from foldwise.records.block import record_keys
from foldwise.records.record import Record
from foldwise.studies.reading import Reading

MANY_SETS, MOST_ROWS = 1000, 2**22  # training sets that are handed out at once, and their rows


class Queue:
    """Hands out the fits of a study as they become known.

    `at_once`: within a time limit a method starts when those before it leave one of so many workers idle, so that a run
    that is stopped early has answers, and its risk comes before its final tuning. `before` is called with each method
    just before its fits are listed. Without a limit fits of cheap methods come before those of dear ones.
    """

    def __init__(
        self,
        runnable: RunnableStudy,
        reading: Reading,
        *,
        before: Callable[[int], None] = lambda method: None,
        at_once: int | None = None,
    ) -> None:
        self.runnable, self.reading, self._before, self._at_once = runnable, reading, before, at_once
        everyone = cheap_first(runnable) if at_once is None else list(dict.fromkeys(turns(runnable)))
        self._later = [sorted(everyone)] if at_once is None else [[at] for at in turns(runnable)]
        self._final = set[int]()  # methods whose final tuning is asked for too
        self._open: dict[int, set[str]] = {}  # keys that methods wait for
        self._out: dict[str, tuple[int, ...]] = {}  # methods that wait for a key
        self._strands: dict[str, tuple[int, int]] = {}  # within a limit: the method and training set of a key
        self._waiting = _waiting(runnable, is_last=at_once is not None)
        self._ranks = {at: rank for rank, at in enumerate(everyone)}
        self._settled: dict[int, None] = {}  # methods that ask for nothing more, as long as no other one ends

    def next(self, records: Sequence[Record] = ()) -> Sequence[Fit]:
        """Fits that can be done now that these records have arrived; none of them was handed out before."""
        ready = []
        for key in record_keys(records):
            self._strands.pop(key, None)
            for at in self._out.pop(key, ()):
                self._open[at].discard(key)
                ready += [at] if not self._open[at] else []
        waiting = dict.fromkeys(other for at in ready for other in self._waiting.get(at, ()))
        fits = self._needed([*ready, *(other for other in waiting if not self._open.get(other))])
        while self._later and not self._is_busy():
            fits += self._begin()
        return Fits(fits)

    def _begin(self) -> list[FitPart]:
        """The first fits of the methods whose turn it is, or the final tuning of one that has begun."""
        methods = self._later.pop(0)
        self._final |= {at for at in methods if self._at_once is None or at in self._open}
        return self._needed(methods)

    def _is_busy(self) -> bool:
        """Is there work for every worker, of which training sets are shared out? Without a limit: is there any?"""
        return bool(self._out) if self._at_once is None else len(set(self._strands.values())) >= self._at_once

    def settled(self) -> list[int]:
        """Methods that have come to ask for no more fits since this was last called."""
        found, self._settled = list(self._settled), {}
        return found

    @property
    def is_open(self) -> bool:
        """May there be more fits than can be counted now?"""
        return any(self.reading.is_proposing(method) for method in self.reading.study.methods)

    def _needed(self, methods: Sequence[int]) -> list[FitPart]:
        fresh: list[FitPart] = []
        new = set[str]()
        for at in methods:
            self._before(at)
            own = list(_first(needed_parts(self.runnable, self.reading, at, has_final=at in self._final)))
            keys = self._open[at] = {key for part in own for key in part.keys}
            for part in own if self._at_once is not None else ():
                self._strands |= dict.fromkeys(part.keys, (at, id(part.train)))
            self._settled |= {} if own or at not in self._final else {at: None}
            out = {} if self._out.keys().isdisjoint(keys) else {key: self._out[key] for key in keys & self._out.keys()}
            self._out.update(dict.fromkeys(keys, (at,)))  # one value for all: there may be very many
            self._out.update((key, (*others, at)) for key, others in out.items())
            before = out.keys() - new
            new |= keys - before
            fresh += [fit for fit in Fits(own) if fit.key not in before] if before else own
        return sorted(join_parts(fresh), key=lambda part: self._ranks[part.method])


def _first(parts: Iterable[FitPart]) -> Iterator[FitPart]:
    """A thousand training sets, or more as long as they are small; the others are asked for when these are done.

    Training rows of very many splits are worked out when they are asked for, and fits hold them.
    """
    sets, rows, last = 0, 0, None
    for part in parts:
        if part.train is not last:
            if sets >= MANY_SETS and rows >= MOST_ROWS:
                return
            sets, rows, last = sets + 1, rows + part.train.size, part.train
        yield part


def _waiting(runnable: RunnableStudy, *, is_last: bool) -> dict[int, list[int]]:
    """The methods that wait for others: stacks and blends for their members, default parameters for the tuned learner.

    Where methods come one by one, default parameters come last, in their turn.
    """
    place = {method.name: at for at, method in enumerate(runnable.study.methods)}
    found: dict[int, list[int]] = {}
    for at, method in enumerate(runnable.study.methods):
        for _, name in method.members:
            found.setdefault(place[name], []).append(at)
        if method.defaults_of and not is_last:
            found.setdefault(place[method.defaults_of], []).append(at)
    return found
