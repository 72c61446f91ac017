"""What to do next: every method continues as soon as its own fits are done, whatever the others do."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from foldwise.plans.fit import Fit
from foldwise.plans.needed import join, needed_of
from foldwise.plans.runnable import RunnableStudy
from foldwise.records.record import Record
from foldwise.studies.reading import Reading


class Queue:
    """Hands out the fits of a study as they become known.

    `one_by_one`: a method starts when those before it are finished, so that a run that is
    stopped early has answers. The baseline, the last method of a study, then comes first. `before` is called with each
    method just before its fits are listed.
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
        everyone = list(range(len(runnable.study.methods)))
        self._later = [[at] for at in (*everyone[-1:], *everyone[:-1])] if one_by_one else [everyone]
        self._open: dict[int, set[str]] = {}  # keys that methods wait for
        self._out: dict[str, list[int]] = {}  # methods that wait for a key
        self._combined_with = _combined_with(runnable)

    def next(self, records: Sequence[Record] = ()) -> list[Fit]:
        """Fits that can be done now that these records have arrived; none of them was handed out before."""
        ready = []
        for record in records:
            for at in self._out.pop(record.key, ()):
                self._open[at].discard(record.key)
                ready += [at] if not self._open[at] else []
        stacks = dict.fromkeys(stack for at in ready for stack in self._combined_with.get(at, ()))
        fits = self._needed([*ready, *(stack for stack in stacks if not self._open.get(stack))])
        while not fits and not any(self._open.values()) and self._later:
            fits = self._needed(self._later.pop(0))
        return fits

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
            for fit in own:
                self._out.setdefault(fit.key, []).append(at)
            fresh += [fit for fit in own if fit.key not in out]
        return join(fresh)


def _combined_with(runnable: RunnableStudy) -> dict[int, list[int]]:
    """The stacks and blends that each method is a member of: they can continue when it has."""
    place = {method.name: at for at, method in enumerate(runnable.study.methods)}
    found: dict[int, list[int]] = {}
    for stack, method in enumerate(runnable.study.methods):
        for _, name in method.members:
            found.setdefault(place[name], []).append(stack)
    return found
