"""A picture on a page: its title, and the sentence that says what to see in it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from markupsafe import Markup


class Figure(NamedTuple):
    """A picture with its title and the sentence that says what to see in it."""

    title: str
    picture: Markup
    words: str
    tool: Markup | str = ""
    legend: Sequence[str] = ()
    is_wide: bool = False
