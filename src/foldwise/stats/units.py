"""What as many independent units, rows or groups, would allow: no interval about new rows may claim more."""

from __future__ import annotations

from typing import Any

import numpy as np

from foldwise.arrays import FloatArray
from foldwise.stats.checks import Found, Number, checked_level, plain


def independent_se(deviations: FloatArray) -> Number:
    """The standard error of a mean from each unit's term deviations[..., unit] less its share of that mean.

    With one row a unit and equal weights the terms are (loss - mean) / n, and this is sd / sqrt(n).

    >>> round(independent_se(np.array([-1.0, 0.0, 1.0]) / 3), 4)
    0.5774
    """
    units = deviations.shape[-1]
    return plain(np.sqrt(np.vecdot(deviations, deviations) * (units / max(units - 1, 1))))


def exact_share(share: Any, units: Any, *, level: float) -> Found:
    """The interval of Clopper and Pearson where neither errors nor units need to be whole numbers.

    Errors averaged over repeats, and units of unequal weight, are not; between whole numbers the ends rise steadily.

    >>> round(exact_share(0.0, 20, level=0.95).high, 4)
    0.1684
    """
    from scipy import special

    share = np.asarray(share, np.float64)
    errors, half = share * units, (1 - checked_level(level)) / 2
    is_some, is_all = errors > 0, share >= 1
    low = np.where(is_some, special.betaincinv(np.where(is_some, errors, 1.0), units - errors + 1, half), 0.0)
    high = np.where(is_all, 1.0, special.betainccinv(errors + 1, np.where(is_all, 1.0, units - errors), half))
    return Found(plain(share), plain(low), plain(high))
