"""`check`: leaks and traps in data and set-up, without a study."""

from __future__ import annotations

from inspect import signature
from typing import Any, Unpack, overload

from foldwise.api.compare import compare, request
from foldwise.api.options import CompareOptions
from foldwise.api.positional import from_the_right
from foldwise.guards.checking import find
from foldwise.guards.findings import Findings


@overload
def check(X: Any, y: Any, /, *, learners: Any = None, **options: Unpack[CompareOptions]) -> Findings: ...
@overload
def check(learners: Any, X: Any, y: Any, /, **options: Unpack[CompareOptions]) -> Findings: ...
@overload
def check(X: Any, /, *, y: Any, learners: Any = None, **options: Unpack[CompareOptions]) -> Findings: ...
@overload
def check(builtin: str, /, *, learners: Any = None, **options: Unpack[CompareOptions]) -> Findings: ...
@overload
def check(*, X: Any, y: Any = None, learners: Any = None, **options: Unpack[CompareOptions]) -> Findings: ...
@from_the_right("learners", more=lambda: signature(compare).parameters)
def check(learners: Any = None, X: Any = None, y: Any = None, **options: Any) -> Findings:
    """Leaks and traps in the data and the set-up of a study: the checks that `compare` makes, and slower ones.

    `learners`, `X`, `y` and all `options` are those of `compare`, such as `groups`, `time`, `outer` and `silence`; see
    there. Nothing is refused, and no risk is estimated; each learner is fitted a few times, to see whether it gives the
    same again and how far its seed moves it. Every code is explained in docs/guards.md.

    >>> import numpy as np
    >>> import foldwise as fw
    >>> y = np.random.default_rng(0).normal(size=60)
    >>> fw.check(np.column_stack([y, y**3 - y]), y).codes
    ['FW201']
    """
    asked = request(learners, X, y, **options)
    return find(asked.study(), asked.guards, is_slow=True)
