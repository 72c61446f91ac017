"""The interval whose variance comes from two disjoint halves of the rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from foldwise.errors import BadInterval
from foldwise.formulas.checks import Found, checked_level, checked_losses, checked_tables, normal_quantile, plain


def conservative_z(full_scores: Any, half_scores: Any, *, level: float = 0.95) -> Found:
    """Mean of the full-data scores -+ z sigma, sigma^2 = sum (u_m - v_m)^2 / 2M (Nadeau and Bengio, 2003).

    `half_scores[repetition, half]` are the mean scores of the same scheme inside each of two disjoint halves, with
    the test size of the full one. Halves train on fewer rows, so the variance errs on the safe side. Both may have
    leading axes.

    >>> found = conservative_z([0.2, 0.3], [[0.2, 0.3], [0.3, 0.2]])
    >>> round(found.se, 4)
    0.0707
    """
    full = checked_losses(full_scores, method="the conservative z", at_least=1)
    halves = checked_tables(half_scores, method="the conservative z", axes=("repetition", "half"), at_least=(1, 2))
    if halves.shape[-1] != 2:
        raise BadInterval(f"the conservative z needs the scores of 2 halves per repetition, not {halves.shape[-1]}")
    gaps = halves[..., 0] - halves[..., 1]
    se = np.sqrt(np.vecdot(gaps, gaps) / (2 * gaps.shape[-1]))
    value, reach = full.mean(-1), normal_quantile(checked_level(level)) * se
    return Found(*map(plain, (value, value - reach, value + reach, se)))
