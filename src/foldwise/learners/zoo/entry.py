"""What is known of a built-in learner: how it is made, what is tuned over which values, and what it needs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from foldwise.spaces.space import Direction

if TYPE_CHECKING:
    from foldwise.data.dataset import Dataset

Size = Literal["small", "default", "large"]
Blocks = list[dict[str, Any]]  # of a conditional space
Written = dict[str, Any] | Blocks
Item = TypeVar("Item")

SIZES: tuple[Size, ...] = ("small", "default", "large")
REGRESSION = ("regression",)
CLASSIFICATION = ("binary", "multiclass")
EVERY_TASK = REGRESSION + CLASSIFICATION
TEXT = 49  # columns that come of one of free text, beyond its own


@dataclass(frozen=True)
class Facts:
    """What a space may depend on: the shape of the table and the task, never the values.

    >>> Facts(rows=100, columns=4).root_share
    0.5
    """

    rows: int
    columns: int
    task: str = "regression"
    classes: int = 2

    @property
    def is_classification(self) -> bool:
        return self.task in CLASSIFICATION

    @property
    def root_share(self) -> float:
        """The root of the number of columns, as a share of them."""
        return float(round(max(self.columns, 1) ** -0.5, 3))


@dataclass(frozen=True)
class Entry:
    """One built-in learner."""

    name: str
    summary: str
    make: Callable[[Facts], Any]  # -> estimator
    space: Callable[[Facts, Size], Written]
    simpler: Mapping[str, Direction]
    tasks: tuple[str, ...] = EVERY_TASK
    instead: str = ""  # the learner to use for the other task
    solver: str = ""  # what is shared between candidates or folds, in words
    scale: bool = False
    impute: bool = True
    categories: Literal["encode", "native", "text"] = "encode"
    is_prepared: bool = True
    takes_sparse: bool = True
    takes_weights: bool = True
    words: bool = False  # does it take the words of free text as they are, a sparse column for each?
    most_rows: int | None = None  # it learns from a sample of so many rows where there are more
    extra: str | None = None  # the optional dependency, which is also the module's name
    complete: Callable[[Blocks, Facts], Blocks] | None = None  # what else the user's own values ask for

    @property
    def preprocessing(self) -> str:
        """What is done to the table first, in words."""
        if not self.is_prepared:
            return "none"
        text = "categories encoded" if self.categories == "encode" else "categories taken as they are"
        steps = (("missing numbers imputed", self.impute), ("scaled", self.scale), (text, True))
        return ", ".join(step for step, is_done in steps if is_done)


def facts_of(data: Dataset) -> Facts:
    from foldwise.learners.preprocessing.column_facts import free_text

    return Facts(data.rows, data.columns + TEXT * len(free_text(data)), data.task, max(len(data.classes), 2))


def pick(size: Size, small: Item, default: Item, large: Item) -> Item:
    """The one of three that goes with the size.

    >>> pick("small", 1, 2, 3)
    1
    """
    return {"small": small, "default": default, "large": large}[size]


def nothing(facts: Facts, size: Size) -> Written:
    """The space of a learner that is not tuned."""
    return {}


def scaled_target(regressor: Any) -> Any:
    """The regressor on a target of mean 0 and variance 1, so that its ranges fit any unit."""
    from sklearn.compose import TransformedTargetRegressor
    from sklearn.preprocessing import StandardScaler

    return TransformedTargetRegressor(regressor, transformer=StandardScaler(), check_inverse=False)
