"""`permutation_test`: would a learner do as well if the features told nothing about the target?"""

from __future__ import annotations

import math
import sys
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from foldwise.api.calls import call, one_learner
from foldwise.api.options import CompareOptions
from foldwise.api.request import Request, request
from foldwise.blocks.numbers import number
from foldwise.data.dataset import Dataset
from foldwise.data.roles import Roles
from foldwise.data.shuffled import Way, draw_for, shuffled, way_of
from foldwise.errors import BadData, BadOption, FitsFailed
from foldwise.questions.combined import answer_of
from foldwise.shown import words_html
from foldwise.studies.pace import duration

if TYPE_CHECKING:
    import pandas as pd

WAYS: dict[Way, str] = {
    "rows": "exchanged between all rows",
    "within": "exchanged within each block",
    "groups": "exchanged between whole groups",
    "time": "shifted in time",
}


@dataclass(frozen=True)
class PermutationTest:
    """A risk beside those of the same learner with exchanged targets.

    `p` = (b + 1) / (n + 1), where b of n risks with exchanged targets are as small: it is never 0, and valid for any n.

    `risk`: with the targets as they are.
    `risks`: with exchanged targets.
    `loss`: its name.
    `way`: how targets were exchanged: "rows", "within", "groups" or "time".
    `fits`, `seconds`: what it took.

    >>> import foldwise as fw
    >>> found = fw.permutation_test("linear", "diabetes", outer=3, permutations=19, jobs=1)
    >>> found.p, found.permutations, len(found.to_frame()), found.to_dict()["way"]
    (0.05, 19, 19, 'rows')
    """

    risk: float
    p: float
    risks: tuple[float, ...]  # with exchanged targets
    loss: str
    way: Way
    fits: int
    seconds: float

    @property
    def permutations(self) -> int:
        """How many times the targets were exchanged."""
        return len(self.risks)

    def to_dict(self) -> dict[str, Any]:
        """The test in plain values."""
        return {**vars(self), "risks": list(self.risks), "permutations": self.permutations, "words": repr(self)}

    def to_frame(self) -> pd.DataFrame:
        """One row per permutation."""
        import pandas as pd

        return pd.DataFrame({"permutation": range(1, len(self.risks) + 1), "risk": self.risks})

    def __repr__(self) -> str:
        low, high = min(self.risks), max(self.risks)
        return (
            f"p = {self.p:.2g}: the risk is {number(self.risk)} ({self.loss} loss); with targets {WAYS[self.way]} it "
            f"is {number(low)} to {number(high)} in {self.permutations} permutations ({self.fits:,} fits, "
            f"{duration(self.seconds)})"
        )

    def _repr_html_(self) -> str:
        return words_html(repr(self))


@call("learner", outer=5)
def permutation_test(
    *given: Any,
    learner: Any = None,
    X: Any = None,
    y: Any = None,
    permutations: int = 99,
    within: Any = None,
    **options: Unpack[CompareOptions],
) -> PermutationTest:
    """Test whether the features tell anything about the target: the risk beside risks with exchanged targets.

    Everything is done again for every permutation, tuning and splitting included, so the test is valid for any learner
    and it costs `permutations` + 1 times the fits of `fw.risk`. With 99 of them p is at least 0.01.

    `learner`, `X`, `y`, `outer` and all `options` are those of `fw.risk`, such as `inner`, `loss`, `seed` and `jobs`.
    `permutations`: how many. `within`: labels of blocks within which targets may be exchanged (an array with one per
    row), where rows of different blocks are not alike. Without it, `groups` that have one target each exchange it as a
    whole and others exchange within, an array for `stratify` is taken as blocks, and with `time` targets are shifted in
    time by a random number of rows, which keeps what neighbours have in common. Weights stay with their rows.

    >>> import numpy as np
    >>> import foldwise as fw
    >>> draw = np.random.default_rng(0)
    >>> X, noise = draw.normal(size=(60, 2)), draw.normal(size=60)
    >>> fw.permutation_test("linear", X, X[:, 0] + noise, permutations=19).p
    0.05
    """
    if isinstance(permutations, bool) or not isinstance(permutations, int) or permutations < 1:
        raise BadOption(f"permutations must be a whole number of at least 1, not {permutations!r}", "99 is usual")
    started, shown = time.perf_counter(), options.pop("progress", None)
    learners = dict([one_learner(learner, "permutation_test")])
    asked = request(learners, X, y, **options)
    data = asked.data()
    blocks = _blocks(within, data.rows)
    way, asked = way_of(data, blocks), replace(asked, y=None, roles=Roles(), progress=False)
    line = _Line(permutations, is_shown=sys.stderr.isatty() if shown is None else bool(shown))
    risk, loss, fits = _risk(asked, data, is_guarded=True)
    risks = []
    for at in range(permutations):
        line.show(at, fits, time.perf_counter() - started)
        again, _, more = _risk(asked, shuffled(data, draw_for(data, asked.options.seed, at), blocks))
        risks.append(again)
        fits += more
    line.end()
    as_small = sum(again <= risk for again in risks)
    p = (as_small + 1) / (permutations + 1)
    return PermutationTest(risk, p, tuple(risks), loss, way, fits, time.perf_counter() - started)


def _risk(asked: Request, data: Dataset, *, is_guarded: bool = False) -> tuple[float, str, int]:
    """The risk of the learner on these data, its loss, and the fits it took."""
    asked = replace(asked, X=data)
    runnable = asked.checked_study(is_alone=True) if is_guarded else asked.study(is_alone=True)
    ran = asked.answer(runnable, is_kept=False)
    ran.check_finished(asked.store)
    method = answer_of(ran.reading, ran.reading.study.methods[0])
    if not math.isfinite(method.risk):
        why = method.failures[0] if method.failures else "the loss is undefined on some split"
        raise FitsFailed(f"a permutation has no risk: {why}", "Use another loss, or larger test sets")
    return method.risk, runnable.study.losses[0].name, len(method.keys)


def _blocks(within: Any, rows: int) -> Any:
    if within is None:
        return None
    blocks = np.asarray(within)
    if blocks.ndim != 1 or len(blocks) != rows:
        raise BadData(f"within has shape {blocks.shape} for {rows} rows", "Give one label per row")
    return blocks


class _Line:
    """How far the test has come, on one line of standard error."""

    def __init__(self, count: int, *, is_shown: bool) -> None:
        self.count, self.is_shown = count, is_shown

    def show(self, done: int, fits: int, seconds: float) -> None:
        if self.is_shown:
            left = duration(seconds / (done + 1) * (self.count - done))
            sys.stderr.write(f"\rpermutation {done + 1} of {self.count}, {fits:,} fits so far, about {left} left  ")
            sys.stderr.flush()

    def end(self) -> None:
        if self.is_shown:
            sys.stderr.write("\n")
