"""The table of all codes, from the files of their families."""

from __future__ import annotations

from collections.abc import Iterable

from foldwise.errors import BadOption, nearest
from foldwise.guards.code import Code
from foldwise.guards.codes import columns, new_rows, procedure, results, rows, splits

CODES: dict[str, Code] = {
    code.name: code for family in (rows, columns, splits, procedure, results, new_rows) for code in family.CODES
}


def read_silence(silence: str | Iterable[str] | None) -> tuple[str, ...]:
    """The codes to silence, each known and once.

    >>> read_silence("fw201"), read_silence(["FW204", "FW201", "FW204"])
    (('FW201',), ('FW201', 'FW204'))
    """
    given = [silence] if isinstance(silence, str) else list(silence or ())
    codes = [str(code).upper() for code in given]
    for code in codes:
        if code not in CODES:
            raise BadOption(f"there is no check {code!r} to silence", nearest(code, CODES))
    return tuple(sorted(set(codes)))
