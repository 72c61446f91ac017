"""Every exception of the project, one base class.

A message says what cannot be done, what was found, and what to do.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Any

LONGEST = 1_000  # characters of a problem, or of what to do


class FoldwiseError(ValueError):
    """Base of all our errors: one problem, one way out.

    `problem`: what was found.
    `remedy`: what to do.
    `found`: further facts, which become attributes.

    >>> str(FoldwiseError("cannot make 10 folds of 4 rows", "Use at most 4 folds"))
    'cannot make 10 folds of 4 rows. Use at most 4 folds.'
    """

    exit_code = 2

    def __init__(self, problem: str, remedy: str = "", **found: object) -> None:
        self.problem, self.remedy = (_without_stop(_in_a_line(text)) for text in (problem, remedy))
        self.found = found
        super().__init__(" ".join(_sentence(part) for part in (self.problem, self.remedy) if part))

    def _render_traceback_(self) -> list[str]:
        """What a notebook shows: the sentence, without the lines of code above it (`%debug` still has them)."""
        return [f"{type(self).__name__}: {self}"]


class BadData(FoldwiseError):
    """A table, a column or a target that cannot be used."""


class BadCell(BadData, TypeError):
    """A cell that holds more than one value."""


class BadSplits(FoldwiseError):
    """Splits that cannot be made, or that are not valid for these data."""


class BadLoss(FoldwiseError):
    """A loss that is unknown, or that does not fit the task or the learner."""


class BadSpace(FoldwiseError):
    """A space, a parameter or a candidate that cannot be used."""


class BadLearner(FoldwiseError):
    """A learner that is unknown or cannot be used for this task."""


class BadStudy(FoldwiseError):
    """A study whose settings contradict one another."""


class BadOption(FoldwiseError, TypeError):
    """A keyword that a function does not have, or arguments that do not fit together."""


class BadInterval(FoldwiseError):
    """An interval or a bound that would not be valid here."""


class BadPlugin(FoldwiseError):
    """A part brought by another package that is unknown or cannot be loaded."""


class BadStore(FoldwiseError):
    """A store that cannot be opened, is damaged, or belongs to another study."""


class MissingExtra(FoldwiseError):
    """An optional package that is not installed."""


class InvalidOutput(FoldwiseError):
    """A model answered with something that cannot be judged."""


class FitsFailed(FoldwiseError):
    """Fits failed, so there is no honest number to give; `result` is the rest of the answer, if there is one.

    `problem`: what was found.
    `remedy`: what to do.
    `result`: a `Result`, or None.

    >>> import foldwise as fw
    >>> from sklearn.isotonic import IsotonicRegression
    >>> try:
    ...     fw.risk(IsotonicRegression(), "diabetes", outer=3, jobs=1)
    ... except fw.FitsFailed as problem:
    ...     print(problem)
    3 of 3 fits failed, so there is no honest estimate. The first says: ValueError: Isotonic regression ...
    """

    exit_code = 1

    def __init__(self, problem: str, remedy: str = "", *, result: Any = None) -> None:
        super().__init__(problem, remedy)
        self.result = result


class Terminated(SystemExit):
    """A run that was stopped; `result` is the answer so far, if there is one."""

    exit_code = 143

    def __init__(self, words: str, result: object = None) -> None:
        super().__init__(self.exit_code)
        self.words, self.result = words, result

    @property
    def reason(self) -> str:
        """What stopped it, in a word or two."""
        return self.words.partition(":")[0]


def interrupted(words: str, result: object = None) -> KeyboardInterrupt:
    """An interrupt that carries the answer so far as `result`; no class of its own, or Python would exit with 1."""
    stopped = KeyboardInterrupt(words)
    stopped.result = result  # type: ignore[attr-defined]
    return stopped


def nearest(name: str, known: Iterable[str]) -> str:
    """A hint with the nearest known name, or the known names.

    >>> nearest("rigde", ["ridge", "lasso"])
    "Did you mean 'ridge'?"
    >>> nearest("xyz", ["ridge", "lasso"])
    'Known are: lasso, ridge'
    """
    known = sorted(map(str, known))
    close = difflib.get_close_matches(str(name), known, n=1)
    return f"Did you mean {close[0]!r}?" if close else f"Known are: {', '.join(known)}"


def _sentence(text: str) -> str:
    return text if text.endswith(("?", "!", "...")) else text + "."


def _in_a_line(text: str) -> str:
    """The text on one line, not too long: some of it may be what another library said of a broken file."""
    line = " ".join(text.splitlines())
    return line if len(line) <= LONGEST else line[:LONGEST] + "..."


def _without_stop(text: str) -> str:
    return text if text.endswith("...") else text.rstrip(".")
