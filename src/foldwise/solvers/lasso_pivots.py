"""The lasso path by pivots: a tableau in which columns change sides, so that no system is ever solved again.

For the active columns A and the others I of a Gram matrix G the tableau holds the inverse of G_AA (with a minus), its
product with G_AI, and what is left of G_II beside A. All columns that change sides at a penalty do so in one pivot,
which is one product of matrices; coefficients and what is left of c follow as lines in the penalty."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from foldwise.arrays import AnyArray, FloatArray, IntArray
from foldwise.solvers.lasso_active_set import LONGEST_STEP, MOST_ROUNDS, ROUNDING, SAFE_STRETCH, SLACK, Gram, lasso_path

FIRST = 128  # columns the tableau begins with
TOGETHER = 48  # columns whose pivots wait
MORE = 0.5  # share by which it grows, so that most pivots find the columns they need


class Lost(Exception):
    """Rounding may have grown too large here, or the active columns did not settle."""


class Tableau:
    """Some of the columns, in units of their lengths: active ones with their signs, others with none.

    Its cells are those of `_cells`, less the product of `_left` and `_right`: pivots wait there until there are enough
    of them, as the product of two tall matrices moves far less memory than many of two columns.
    """

    def __init__(self, problem: Gram) -> None:
        self.problem = problem
        self.columns: IntArray = np.empty(0, dtype=np.int64)
        self.signs: FloatArray = np.empty(0)
        self.unit: FloatArray = np.empty(0)  # by place: one over the length of its column
        self.lines: FloatArray = np.empty((2, 0))  # coefficients and rests: the first less penalty times the second
        self._cells: FloatArray = np.empty((0, 0))
        self._left: FloatArray = np.empty((0, 0))
        self._right: FloatArray = np.empty((0, 0))
        self._waiting = 0
        lengths = np.sqrt(np.maximum(problem.gram.diagonal(), 0.0))
        self._units: FloatArray = 1.0 / np.where(lengths > 0, lengths, 1.0)

    def at(self, penalty: float) -> FloatArray:
        """Coefficients of active columns, rests of others."""
        return np.asarray(self.lines[0] - penalty * self.lines[1])

    def grow(self, columns: IntArray) -> None:
        """Takes in these columns, not active."""
        self._catch_up()
        size, unit = self.columns.size, self._units[columns]
        rows = self.problem.gram[columns] * unit[:, None]
        beside, used = rows[:, self.columns] * self.unit, np.flatnonzero(self.signs)
        active = beside[:, used]
        own = -(active @ self._cells[used, :size])
        own[:, self.signs == 0] += beside[:, self.signs == 0]
        rest = rows[:, columns] * unit - own[:, used] @ active.T
        ends = self.problem.linear[columns] * unit - active @ self.lines[0, used]
        self._reserve(size + columns.size)
        self._cells[size : size + columns.size, :size] = own
        self._cells[:size, size : size + columns.size] = own.T
        self._cells[size : size + columns.size, size : size + columns.size] = rest
        self.lines = np.hstack([self.lines, [ends, -(active @ self.lines[1, used])]])
        self.columns = np.append(self.columns, columns)
        self.signs = np.append(self.signs, np.zeros(columns.size))
        self.unit = np.append(self.unit, unit)

    def pivot(self, places: IntArray, signs: FloatArray) -> None:
        """The columns at these places change sides; those that become active get these signs."""
        count, waiting, old = places.size, self._waiting, self.signs[places]
        if waiting + count > len(self._left):
            self._catch_up(count)
            waiting = 0
        taken = self._cells[places] - self._left[:waiting, places].T @ self._right[:waiting]
        inverse = np.linalg.inv(taken[:, places])
        is_new = old == 0
        side = np.where(is_new, 1.0, -1.0)
        if not (inverse.diagonal()[is_new].max(initial=0.0) < SAFE_STRETCH):
            raise Lost
        taken[np.arange(count), places] -= side
        self._cells[places, places] -= 2 * side
        self._left[waiting : waiting + count] = taken
        np.matmul(inverse, taken, out=self._right[waiting : waiting + count])
        self.signs[places] = np.where(is_new, signs, 0.0)
        self.lines[1, places] += self.signs[places] * self.unit[places]
        self.lines -= self.lines[:, places] @ self._right[waiting : waiting + count, : self.columns.size]
        self.lines[1, places] -= old * self.unit[places]
        self._waiting = waiting + count

    def correct(self, missed: FloatArray) -> None:
        """Puts right coefficients that leave this much of c, by place, where they should not."""
        self._catch_up()
        self.lines[0] -= self._cells[: missed.size, : missed.size] @ (missed * self.unit)

    def _catch_up(self, room: int = 0) -> None:
        """Takes the waiting pivots off the cells, and makes room for so many more."""
        from scipy.linalg.blas import dgemm

        if self._waiting:
            left, right = self._left[: self._waiting], self._right[: self._waiting]
            dgemm(-1.0, right.T, left.T, beta=1.0, c=self._cells.T, trans_b=1, overwrite_c=1)  # in place
        if room > len(self._left):
            self._left, self._right = np.empty((2, room, len(self._cells)))
        self._waiting = 0

    def _reserve(self, size: int) -> None:
        room = size + (-size) % 8
        room += 8 * (room % 64 == 0)  # columns a power of two apart would share their place in the cache
        cells: FloatArray = np.zeros((room, room))
        cells[: self.columns.size, : self.columns.size] = self._cells[: self.columns.size, : self.columns.size]
        self._cells = cells
        self._left, self._right = np.empty((2, TOGETHER, room))


def pivot_path(problem: Gram, penalties: Sequence[float], *, positive: bool = False) -> list[FloatArray | None]:
    """The minimum of half b'Gb - c'b + penalty |b|_1 at each penalty; None where it could not be certified.

    >>> G, c = np.array([[2.0, 0.0], [0.0, 1.0]]), np.array([4.0, -0.5])
    >>> [b.round(9).tolist() for b in pivot_path(Gram(G, c), [1.0, 0.25])]
    [[1.5, 0.0], [1.875, -0.25]]
    """
    order = np.argsort(-np.asarray(penalties, dtype=np.float64), kind="stable").tolist()
    path: list[FloatArray | None] = [None] * len(penalties)
    walk = _PivotWalk(problem, positive=positive)
    for done, place in enumerate(order):
        try:
            path[place] = walk.down_to(float(penalties[place]))
        except (Lost, np.linalg.LinAlgError):
            rest = order[done:]
            exact = lasso_path(problem, [penalties[at] for at in rest], positive=positive)
            for at, coefficients in zip(rest, exact, strict=True):
                path[at] = coefficients
            break
    return path


class _PivotWalk:
    """A walk down the penalties."""

    def __init__(self, problem: Gram, *, positive: bool) -> None:
        self.problem, self.positive = problem, positive
        self.tableau = Tableau(problem)
        wanted = self._wanted(problem.linear)
        self.penalty = float(wanted.max(initial=0.0))
        self.rounding = ROUNDING * float(np.abs(problem.linear).max(initial=0.0))
        self._grow(wanted, wanted > self.penalty)

    def down_to(self, penalty: float) -> FloatArray:
        """The coefficients at this penalty, which is not above the last one."""
        if penalty >= self.penalty and not self.tableau.signs.any():
            return np.zeros(self.problem.linear.size)
        for goal in self._steps(penalty):
            coefficients = self._settle(goal)
            self.penalty = goal
        return coefficients

    def _steps(self, penalty: float) -> Iterator[float]:
        """Where to go first: from too far off, the guess of the active columns would be poor."""
        goal = self.penalty
        while goal * LONGEST_STEP > penalty:
            goal *= LONGEST_STEP
            yield goal
        yield penalty

    def _settle(self, penalty: float) -> FloatArray:
        slack = SLACK * penalty + self.rounding
        for _ in range(MOST_ROUNDS):
            values = self._exchange(penalty, penalty + slack)
            coefficients, rest = self._checked(values, penalty, slack)
            above = self._wanted(rest) > penalty + slack
            above[self.tableau.columns] = False
            if not above.any():
                return coefficients
            self._grow(self._wanted(rest), above)
        raise Lost

    def _exchange(self, penalty: float, limit: float) -> FloatArray:
        """Columns of the tableau change sides until every coefficient has its sign, and no rest is above the limit."""
        tableau, limits = self.tableau, limit * self.tableau.unit
        for _ in range(MOST_ROUNDS):
            values = tableau.at(penalty)
            is_wrong: AnyArray = values * tableau.signs < 0
            is_wrong |= (self._wanted(values) > limits) & (tableau.signs == 0)
            wrong = np.flatnonzero(is_wrong)
            if not wrong.size:
                return values
            tableau.pivot(wrong, np.sign(values[wrong]))
        raise Lost

    def _checked(self, values: FloatArray, penalty: float, slack: float) -> tuple[FloatArray, FloatArray]:
        """All coefficients, and what they leave of c, by the Gram itself; put right where rounding has grown."""
        tableau, is_active = self.tableau, self.tableau.signs != 0
        for _ in range(3):
            coefficients = np.zeros(self.problem.linear.size)
            coefficients[tableau.columns] = np.where(is_active, values * tableau.unit, 0.0)
            rest = self.problem.linear - self.problem.products(coefficients)
            missed = (rest[tableau.columns] - penalty * tableau.signs) * is_active
            if np.abs(missed).max(initial=0.0) <= slack:
                return coefficients, rest
            tableau.correct(missed)
            values = tableau.at(penalty)
        raise Lost

    def _grow(self, wanted: FloatArray, above: AnyArray) -> None:
        """The columns that are needed, and those that are likely to be needed next."""
        tableau = self.tableau
        size = max(FIRST, int(MORE * tableau.columns.size), int(above.sum()))
        is_new = np.ones(wanted.size, dtype=bool)
        is_new[tableau.columns] = False
        new = np.flatnonzero(is_new)
        new = new[np.argsort(-wanted[new], kind="stable")[:size]]
        tableau.grow(np.sort(new))

    def _wanted(self, rest: FloatArray) -> FloatArray:
        return rest if self.positive else np.abs(rest)
