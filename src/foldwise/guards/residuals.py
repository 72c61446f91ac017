"""What a straight line through all columns leaves of the target: a quick look at what is not explained."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from foldwise.arrays import FloatArray, IntArray
from foldwise.data.equal_rows import in_deviations
from foldwise.guards.subject import Subject

MOST_COLUMNS = 60
MOST_LABELS = 30
MOST_ROWS = 20_000


class Design(NamedTuple):
    """Columns of numbers, the feature that each belongs to, and the targets of the same rows."""

    matrix: FloatArray
    owners: tuple[str, ...]
    outcomes: tuple[FloatArray, ...]

    def residuals(self, *, without: str = "") -> list[FloatArray]:
        """What ridge regression on all features but one leaves of each outcome."""
        kept = [at for at, owner in enumerate(self.owners) if not without or owner != without]
        matrix = self.matrix[:, kept]
        gram = matrix.T @ matrix
        gram[np.diag_indices(len(gram))] += 1e-6 * len(matrix)
        return [one - matrix @ np.linalg.solve(gram, matrix.T @ one) for one in self.outcomes]


def make_design(subject: Subject, rows: IntArray | slice) -> Design:
    """The design of these rows: numbers in standard deviations, and 0 or 1 for each label but one."""
    outcomes = tuple(one[rows] for one in subject.outcomes)
    parts, owners = [np.ones((len(outcomes[0]), 1))], [""]
    width = min(MOST_COLUMNS, max(1, len(outcomes[0]) // 10))
    for one in subject.columns:
        if len(owners) > width or one.distinct < 2:
            continue
        if one.is_number:
            scaled = in_deviations(one.values[rows])
            if scaled is None:
                continue
            part = scaled[:, None]
        elif one.distinct <= MOST_LABELS:
            part = (one.codes[rows, None] == np.arange(1, int(one.codes.max()) + 1)).astype(np.float64)
        else:
            continue
        parts.append(part)
        owners += [one.name] * part.shape[1]
    return Design(np.hstack(parts), tuple(owners), outcomes)
