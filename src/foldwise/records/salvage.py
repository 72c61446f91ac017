"""What is left of a damaged store: every record whose checksum holds, copied into a new one.

SQLite gives up at the first page that is not as it should be. Here the pages are read one by one, whatever leads to
them is damaged or not. That is safe, since a record counts only if its checksum holds.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from foldwise.errors import BadStore
from foldwise.records.database import FILE
from foldwise.records.encoding import MOST_BYTES, decode
from foldwise.records.schema import PAGE, checksum

TABLE_LEAF, TABLE_INTERIOR, INDEX_LEAF, INDEX_INTERIOR = 0x0D, 0x05, 0x0A, 0x02
_HEADER = b"SQLite format 3\0"
_KEY = 32  # hex digits of the key of a record


@dataclass
class Salvaged:
    """What was found: contents of records and documents that are whole, and the names of those that are not."""

    records: dict[str, bytes] = field(default_factory=dict)
    documents: dict[str, bytes] = field(default_factory=dict)
    lost: list[str] = field(default_factory=list)


def find_whole(folder: Path) -> Salvaged:
    """All that is whole in the file of a store and in the log beside it; nothing there is changed."""
    found, named = Salvaged(), set[str]()
    try:
        images = list(_images(folder))
    except OSError as reason:
        raise BadStore(f"cannot read the store {folder}: {reason.strerror}", "Check the disk, try again") from reason
    if not any(pages.count for pages in images):
        raise BadStore(f"there is no store in {folder} to salvage", "Give the folder that was named with --store")
    for pages in images:  # the log is newer than the file
        for row in pages.rows():
            named.update(name for name in row[:1] if isinstance(name, str) and (_is_key(name) or len(row) == 3))
            _keep(found, row)
    found.lost = sorted(named - {*found.records, *found.documents})
    return found


def _keep(found: Salvaged, row: list[Any]) -> None:
    """Keep a row of either table, of any format, if its content is what its checksum says."""
    if len(row) not in (3, 7) or not isinstance(row[0], str):
        return
    name = row[0]
    content, said = (row[1], row[2]) if len(row) == 3 else (row[6], row[5])
    if not isinstance(content, bytes) or checksum(name, content) != said:
        return
    if not _is_key(name):
        found.documents[name] = content
        return
    with suppress(BadStore):
        decode(name, content)
        found.records[name] = content


def _is_key(name: str) -> bool:
    return len(name) == _KEY and all(letter in "0123456789abcdef" for letter in name)


class _Pages:
    """The pages of one image of a database, by number from 1."""

    def __init__(self, read: dict[int, bytes], size: int) -> None:
        self.read, self.size, self.count = read, size, len(read)

    def rows(self) -> Iterator[list[Any]]:
        """The values of every row that can be read; a row of a damaged page may be anything."""
        for number, page in self.read.items():
            start = 100 if number == 1 else 0
            kind = page[start]
            if kind == TABLE_INTERIOR or not any(page):
                continue
            if kind not in (TABLE_LEAF, INDEX_LEAF, INDEX_INTERIOR):
                kind = TABLE_LEAF  # most pages are, and this may be one whose first byte is damaged
            (cells,) = struct.unpack_from(">H", page, start + 3)
            first = start + (12 if kind == INDEX_INTERIOR else 8)
            for at in range(first, min(first + 2 * cells, self.size - 1), 2):
                (place,) = struct.unpack_from(">H", page, at)
                try:
                    yield _values(self._payload(page, place, kind))
                except (IndexError, ValueError, KeyError, struct.error):
                    continue  # the cell is damaged, or is none

    def _payload(self, page: bytes, at: int, kind: int) -> bytes:
        """The content of a cell, with that of the pages it goes on in."""
        at += 4 if kind == INDEX_INTERIOR else 0
        length, at = _varint(page, at)
        if kind == TABLE_LEAF:
            _, at = _varint(page, at)
        if length > MOST_BYTES:
            raise ValueError("longer than anything we write")
        here = self._local(length, kind)
        parts, missing = [page[at : at + here]], length - here
        further = struct.unpack_from(">I", page, at + here)[0] if missing > 0 else 0
        while missing > 0:
            page = self.read[further]
            (further,) = struct.unpack_from(">I", page, 0)
            parts.append(page[4 : 4 + missing])
            missing -= len(parts[-1])
        return b"".join(parts)

    def _local(self, length: int, kind: int) -> int:
        """Bytes of a cell's content that are on its own page (section 1.6 of SQLite's file format)."""
        most = self.size - 35 if kind == TABLE_LEAF else (self.size - 12) * 64 // 255 - 23
        if length <= most:
            return length
        least = (self.size - 12) * 32 // 255 - 23
        rest = least + (length - least) % (self.size - 4)
        return rest if rest <= most else least


def _images(folder: Path) -> Iterator[_Pages]:
    """The file as it stands, then with the pages of its log over it."""
    file, log = folder / FILE, folder / f"{FILE}-wal"
    content = file.read_bytes() if file.is_file() else b""
    size = _page_size(content)
    pages = {at // size + 1: content[at : at + size] for at in range(0, len(content) - size + 1, size)}
    for number in _free_pages(pages, content):
        pages.pop(number, None)  # what was deleted stays so
    yield _Pages(pages, size)
    if log.is_file():
        newer = _logged(log.read_bytes(), size)
        yield _Pages({**pages, **newer}, size)


def _page_size(content: bytes) -> int:
    """As the header says, if it can be; else as we make it."""
    said = int.from_bytes(content[16:18], "big")
    is_sound = content[:16] == _HEADER and said >= 512 and said & (said - 1) == 0
    return said if is_sound else PAGE


def _free_pages(pages: dict[int, bytes], content: bytes) -> set[int]:
    """Pages on the free list, as far as it can be followed."""
    free, trunk = set[int](), int.from_bytes(content[32:36], "big")
    while trunk in pages and trunk not in free:
        free.add(trunk)
        page = pages[trunk]
        further, count = struct.unpack_from(">II", page, 0)
        free.update(struct.unpack_from(f">{min(count, (len(page) - 8) // 4)}I", page, 8))
        trunk = further
    return free


def _logged(log: bytes, size: int) -> dict[int, bytes]:
    """Pages of a write-ahead log up to its last commit, the newest of each number."""
    pages, waiting = dict[int, bytes](), dict[int, bytes]()
    salts = log[16:24]
    for at in range(32, len(log) - 24 - size + 1, 24 + size):
        number, committed = struct.unpack_from(">II", log, at)
        if log[at + 8 : at + 16] != salts:
            break  # of an older log
        waiting[number] = log[at + 24 : at + 24 + size]
        if committed:
            pages |= waiting
            waiting.clear()
    return pages


def _varint(page: bytes, at: int) -> tuple[int, int]:
    """A number of one to nine bytes, and where it ends."""
    value = 0
    for step in range(8):
        byte = page[at + step]
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, at + step + 1
    return value << 8 | page[at + 8], at + 9


def _values(payload: bytes) -> list[Any]:
    """The values of a row: texts, bytes and numbers."""
    end, at = _varint(payload, 0)
    place, values = end, list[Any]()
    while at < end:
        kind, at = _varint(payload, at)
        value, place = _value(payload, place, kind)
        values.append(value)
    return values


def _value(payload: bytes, at: int, kind: int) -> tuple[Any, int]:
    if kind >= 12:
        length = (kind - 12) // 2
        part = payload[at : at + length]
        if len(part) < length:
            raise ValueError("cut short")
        return part.decode() if kind % 2 else part, at + length
    width = (0, 1, 2, 3, 4, 6, 8, 8, 0, 0, 0, 0)[kind]
    part = payload[at : at + width]
    return struct.unpack(">d", part)[0] if kind == 7 else int.from_bytes(part, "big", signed=True), at + width
