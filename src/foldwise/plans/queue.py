"""What to do next: every method continues as soon as its own fits are done, whatever the others do."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from foldwise.plans.fit import Fit
from foldwise.plans.needed import join, needed_of
from foldwise.plans.order import cheap_first
from foldwise.plans.runnable import RunnableStudy
from foldwise.records.record import Record
from foldwise.studies.reading import Reading


class Queue:
    """Hands out the fits of a study as they become known.

    `one_by_one`: a method starts when those before it are finished, cheap ones first, so that a run that is stopped
    early has answers. `before` is called with each method just before its fits are listed. Fits of cheap methods come
    before those of dear ones in any case.
    """

    def __init__(
        self,
        runnable: RunnableStudy,
        reading: Reading,
        *,
        before: Callable[[int], None] = lambda method: None,
        one_by_one: bool = False,
    ) -> None:
        self.runnable, self.reading, self._before = runnable, reading, before
        everyone = cheap_first(runnable)
        self._later = [[at] for at in everyone] if one_by_one else [sorted(everyone)]
        self._open: dict[int, set[str]] = {}  # keys that methods wait for
        self._out: dict[str, tuple[int, ...]] = {}  # methods that wait for a key
        self._waiting = _waiting(runnable, is_last=one_by_one)
        self._ranks = {at: rank for rank, at in enumerate(everyone)}
        self._settled: dict[int, None] = {}  # methods that ask for nothing more, as long as no other one ends

    def next(self, records: Sequence[Record] = ()) -> list[Fit]:
        """Fits that can be done now that these records have arrived; none of them was handed out before."""
        ready = []
        for record in records:
            for at in self._out.pop(record.key, ()):
                self._open[at].discard(record.key)
                ready += [at] if not self._open[at] else []
        waiting = dict.fromkeys(other for at in ready for other in self._waiting.get(at, ()))
        fits = self._needed([*ready, *(other for other in waiting if not self._open.get(other))])
        while not fits and not any(self._open.values()) and self._later:
            fits = self._needed(self._later.pop(0))
        return fits

    def settled(self) -> list[int]:
        """Methods that have come to ask for no more fits since this was last called."""
        found, self._settled = list(self._settled), {}
        return found

    @property
    def is_open(self) -> bool:
        """May there be more fits than can be counted now?"""
        return any(self.reading.is_proposing(method) for method in self.reading.study.methods)

    def _needed(self, methods: Sequence[int]) -> list[Fit]:
        fresh: list[Fit] = []
        out = set(self._out)
        for at in methods:
            self._before(at)
            own = list(needed_of(self.runnable, self.reading, at))
            self._open[at] = {fit.key for fit in own}
            self._settled |= {} if own else {at: None}
            alone = (at,)  # one value for all: there may be very many fits
            for fit in own:
                known = self._out.get(fit.key)
                self._out[fit.key] = alone if known is None else (*known, at)
            fresh += [fit for fit in own if fit.key not in out]
        return sorted(join(fresh), key=lambda fit: self._ranks[fit.method])


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
