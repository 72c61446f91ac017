"""No code outside tuners/ asks what kind of tuning it is: it goes by the protocol."""

from __future__ import annotations

import re
from pathlib import Path

from foldwise.tuners.registry import tuner_classes

SOURCE = Path(__file__).parent.parent / "src" / "foldwise"
CLASSES = sorted(kind.__name__ for kind in tuner_classes().values())
# A comparison with a tuner's name, or a question about a tuner's class.
NAMED = re.compile(
    rf"""(tuner|tuning)\S*\s*(==|!=|\bin\b|\bnot\s+in\b)\s*[("']"""
    rf"|isinstance\([^)]*\b({'|'.join([*CLASSES, 'Search', 'Stepwise'])})\b"
)


def test_no_file_outside_the_room_asks_for_a_tuners_name_or_class():
    files = [path for path in SOURCE.rglob("*.py") if "tuners" not in path.relative_to(SOURCE).parts[:1]]
    asking = [
        f"{path.relative_to(SOURCE)}:{number}: {line.strip()}"
        for path in files
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        if NAMED.search(line)
    ]
    assert asking == []


def test_the_search_finds_such_questions():
    assert NAMED.search('if method.tuner == "grid":')
    assert NAMED.search('if method.tuner not in ("grid", "random"):')
    assert NAMED.search("if isinstance(method.tuner, Racing):")
    assert not NAMED.search("if method.tuner.is_listed:")
