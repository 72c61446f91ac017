"""A store that another process writes to, read again and again."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from foldwise.records.cache import Cache
from foldwise.records.lock import holder_of
from foldwise.records.sqlite import Facts, SqliteStore


class NewRecords(NamedTuple):
    """Facts of the records since the last reading; with `is_anew`, of all records, and what was read before is void."""

    facts: list[Facts]
    is_anew: bool


class FollowedStore(SqliteStore):
    """Only reads, and holds the file no longer than it reads: a run that ends must find it free.

    New records are known by their place in the file. Where some were removed, the study has
    changed or another run has started, everything is read again.
    """

    def __init__(self, path: str | Path) -> None:
        super().__init__(path, readonly=True)
        self.close()
        self._place = 0
        self._known: set[str] = set()
        self._stamps: dict[str, str] = {}
        self._writer: int | None = None

    @property
    def writer(self) -> int | None:
        """The number of the process that is writing to the store, as far as this machine knows."""
        return holder_of(self.path / "lock")

    @property
    def has_ended(self) -> bool:
        """Is it known that nobody is writing? A process of another machine can be neither seen nor ruled out."""
        if self.writer is not None:
            return False
        lock = self.path / "lock"
        return self._writer is not None or not lock.exists() or not lock.stat().st_size

    def read_new(self) -> NewRecords:
        """What is new, read in one transaction."""
        is_anew = self._has_other_writer()
        self._select("BEGIN")
        try:
            is_anew = self._has_other_study() or is_anew
            facts = [] if is_anew else self._newer()
            if is_anew or self._has_lost_some():
                self._place, self._known, self._cache, is_anew = 0, set(), Cache(), True
                facts = self._newer()
            self._select("COMMIT")
        finally:
            self.close()
        return NewRecords(facts, is_anew)

    def _content(self, statement: str, name: str) -> bytes | None:
        try:
            return super()._content(statement, name)
        finally:
            self.close()

    def _has_other_study(self) -> bool:
        """Forget the documents that have changed; is the study one of them?"""
        stamps = {str(name): str(stamp) for name, stamp in self._select("SELECT name, checksum FROM documents")}
        known, self._stamps = self._stamps, stamps
        for name in [name for name in self._documents if stamps.get(name) != known.get(name)]:
            del self._documents[name]
        return known.get("study") != stamps.get("study")

    def _has_other_writer(self) -> bool:
        """Has another run begun? It may make failed fits again."""
        was, now = self._writer, self.writer
        self._writer = now or was
        return was is not None and now is not None and was != now

    def _has_lost_some(self) -> bool:
        ((count,),) = self._select("SELECT count(*) FROM records")
        return bool(count != len(self._known))

    def _newer(self) -> list[Facts]:
        new = list(self._places(f"WHERE rowid > {self._place} ORDER BY rowid"))
        for place, facts in new:
            self._place = place
            self._known.add(facts.key)
            self._cache.drop(facts.key)  # it may have been written again, with more in it
        return [facts for _, facts in new]
