"""How many fits a study needs and which are done, from its methods and the keys of its records."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from foldwise.records.sqlite import Facts
from foldwise.studies.counting import Sureness, most_fits, own_keys, rows_of_chosen
from foldwise.studies.reading import Reading
from foldwise.studies.study import Method, Study

Slot = tuple[int, str]  # a method, and the judged split on which only its chosen candidate is fitted


@dataclass(eq=False)
class MethodCount:
    """The fits of one method, and the losses of its finished outer splits."""

    method: Method
    own: int = 0  # fits that do not wait for a choice
    expected: int = 0  # with those of chosen candidates
    sureness: Sureness = ""
    done: int = 0
    failed: int = 0
    seconds: float = 0.0
    chosen: set[str] = field(default_factory=set)  # judged splits whose chosen candidate is fitted
    finished: set[str] = field(default_factory=set)  # judged splits without further fits to come
    losses: dict[int, float] = field(default_factory=dict)  # of finished outer splits, NaN where there is none
    is_over: bool = False
    is_new: bool = True  # are there fits that were not read yet?

    @property
    def total(self) -> int:
        """All fits, never fewer than are done."""
        return self.done if self.is_over else max(self.expected, self.done)


class Counts:
    """The fits of all methods; one that several need counts for each of them, and once for the study."""

    def __init__(self, reading: Reading) -> None:
        self.reading = reading
        self.known: dict[str, Facts] = {}  # of all records by key
        self.failures: list[tuple[str, str, str]] = []  # method, status and key of those that failed
        self.done = 0
        self._slots: dict[str, list[Slot]] = {}
        self._shared = 0
        self.methods = [MethodCount(method) for method in self.study.methods]
        for at in range(len(self.methods)):
            self._expect(at)

    @property
    def study(self) -> Study:
        return self.reading.study

    @property
    def total(self) -> int:
        return max(self.done, sum(count.total for count in self.methods) - self._shared)

    @property
    def sureness(self) -> Sureness:
        found = {count.sureness for count in self.methods if not count.is_over}
        return "at least" if "at least" in found else "at most" if "at most" in found else ""

    @property
    def is_over(self) -> bool:
        return all(count.is_over for count in self.methods)

    def add(self, facts: Iterable[Facts]) -> None:
        """Count these records; those of other studies in the store are ignored."""
        for fact in facts:
            is_known = fact.key in self.known
            self.known[fact.key] = fact
            slots = [] if is_known else self._slots.get(fact.key, [])
            self.done += bool(slots)
            for slot in slots:
                self._take(slot, fact)

    def ask_again(self) -> None:
        """Count what searches have asked for since; records may be there before we hear of it."""
        for at, count in enumerate(self.methods):
            if not count.method.tuner.is_listed and not count.is_over:
                count.method = self.reading.method(count.method.name)
                self._expect(at)

    def _take(self, slot: Slot, fact: Facts) -> None:
        at, split = slot
        count = self.methods[at]
        count.is_new = True
        if split in count.chosen:
            return
        if split:
            count.chosen.add(split)
        count.done += 1
        count.seconds += fact.seconds
        if fact.status != "ok":
            count.failed += 1
            self.failures.append((count.method.name, fact.status, fact.key))

    def _expect(self, at: int) -> None:
        """Note which fits a method may need, and how many there will be."""
        count, study = self.methods[at], self.study
        own = dict.fromkeys(own_keys(self.reading, count.method))
        for key in own:
            self._note(key, (at, ""))
        alone = rows_of_chosen(study, count.method)
        for name in alone:
            for key in study.keys(count.method, name):
                self._note(key, (at, name))
        most, count.sureness = most_fits(self.reading, count.method, len(own))
        count.own, count.expected = most, most + len(alone)

    def _note(self, key: str, slot: Slot) -> None:
        slots = self._slots.setdefault(key, [])
        if slot in slots:
            return
        self._shared += not slot[1] and any(not split for _, split in slots)
        slots.append(slot)
        if key in self.known:
            self.done += len(slots) == 1
            self._take(slot, self.known[key])
