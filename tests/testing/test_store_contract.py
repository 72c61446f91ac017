"""The suite for stores passes ours, and finds what is wrong with broken ones."""

from __future__ import annotations

import pytest

from foldwise.records.memory import MemoryStore
from foldwise.records.sqlite import SqliteStore
from foldwise.testing import check_store


def test_our_stores_keep_the_contract(tmp_path):
    folders = iter(range(100))
    check_store(MemoryStore)
    check_store(lambda: SqliteStore(tmp_path / str(next(folders))))


class Hasty(MemoryStore):
    """Keeps records as they come, though the rest may not."""

    def add(self, records):
        for record in records:
            super().add([record])


class Rounding(MemoryStore):
    def get(self, key):
        record = super().get(key)
        if record is not None and "predict" in record.responses:
            record.responses["predict"] = record.responses["predict"].astype("float32")
        return record


class Stubborn(MemoryStore):
    def discard(self, keys):
        for key in keys:
            del self._records[key]


class Leaky(MemoryStore):
    def close(self):
        self._records.clear()


@pytest.mark.parametrize(
    ("broken", "says"),
    [
        (Hasty, "records are added all or none"),
        (Rounding, "floats come back to the last bit"),
        (Stubborn, "a discarded record is gone and can be kept anew"),
        (Leaky, "records stay readable after close"),
    ],
)
def test_a_store_that_breaks_its_contract_is_found(broken, says):
    with pytest.raises(AssertionError, match=f"^the store breaks the contract: {says}"):
        check_store(broken)
