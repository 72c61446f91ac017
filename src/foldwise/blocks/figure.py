"""Figures: axes and marks in the data's own numbers, drawn as SVG and by Matplotlib from the same values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

Style: TypeAlias = Literal[
    "main", "second", "quiet", "train", "test", "best", "diagonal", "c0", "c1", "c2", "c3", "c4", "c5"
]


@dataclass(frozen=True)
class Axis:
    """The name of an axis and its scale; ends and ticks are worked out from the marks where they are not given."""

    name: str
    low: float | None = None
    high: float | None = None
    is_log: bool = False
    is_whole: bool = False  # only whole numbers are ticks
    ticks: tuple[tuple[float, str], ...] | None = None  # named places, such as categories
    has_zero: bool = False
    is_reversed: bool = False  # the first row at the top


@dataclass(frozen=True)
class Line:
    """A line through points; a label puts it into the legend."""

    x: Sequence[float]
    y: Sequence[float]
    style: Style = "main"
    label: str = ""
    is_dashed: bool = False
    is_thin: bool = False


@dataclass(frozen=True)
class Band:
    """The area between two lines."""

    x: Sequence[float]
    low: Sequence[float]
    high: Sequence[float]
    style: Style = "main"
    label: str = ""


@dataclass(frozen=True)
class Points:
    """Dots; `tips` say what each is, `sizes` are shares of the largest."""

    x: Sequence[float]
    y: Sequence[float]
    style: Style = "main"
    label: str = ""
    tips: Sequence[str] = ()
    sizes: Sequence[float] = ()
    is_hollow: bool = False
    names: Sequence[str] = ()  # written beside the dots, where there is room


@dataclass(frozen=True)
class Whiskers:
    """A range at each place: upright, or lying where `is_flat`."""

    at: Sequence[float]
    low: Sequence[float]
    high: Sequence[float]
    style: Style = "main"
    is_flat: bool = False
    label: str = ""


@dataclass(frozen=True)
class Bars:
    """Rectangles from left to right and from bottom to top."""

    left: Sequence[float]
    right: Sequence[float]
    bottom: Sequence[float]
    top: Sequence[float]
    style: Style = "main"
    label: str = ""
    tips: Sequence[str] = ()


@dataclass(frozen=True)
class Cells:
    """Unit squares around whole-numbered places, shaded from 0 to 1, with a text each where wanted."""

    x: Sequence[int]
    y: Sequence[int]
    shades: Sequence[float]
    texts: Sequence[str] = ()
    tips: Sequence[str] = ()
    marked: tuple[int, ...] = ()  # indices of cells with a ring
    low: str = ""  # what the lightest and the darkest shade mean
    high: str = ""


@dataclass(frozen=True)
class Level:
    """A line across the whole figure at one number; one beyond the scale is told as an arrow with its words."""

    value: float
    style: Style = "quiet"
    label: str = ""
    is_upright: bool = False


Marks: TypeAlias = Line | Band | Points | Whiskers | Bars | Cells | Level


@dataclass(frozen=True)
class Figure:
    """A picture: its title, both axes, the marks in drawing order, and what is seen, in words."""

    title: str
    x: Axis
    y: Axis
    marks: tuple[Marks, ...]
    words: str = ""
    is_wide: bool = False
    is_square: bool = False
