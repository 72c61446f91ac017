"""`check`: leaks and traps in data and set-up, without a study."""

from __future__ import annotations

from typing import Any, Unpack

from foldwise.api.calls import call
from foldwise.api.options import CompareOptions
from foldwise.api.request import request
from foldwise.guards.checking import find
from foldwise.guards.findings import Findings


@call("learners")
def check(
    *given: Any, learners: Any = None, X: Any = None, y: Any = None, **options: Unpack[CompareOptions]
) -> Findings:
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
