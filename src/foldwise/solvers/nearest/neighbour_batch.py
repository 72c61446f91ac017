"""All k-nearest-neighbour fits that measure distance alike, from one search."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from foldwise.arrays import AnyArray, FloatArray, IntArray
from foldwise.data.dataset import Dataset
from foldwise.learners.estimators.distances import EPSILON, before_ties, distances, in_order, norm_error, squared_norms
from foldwise.learners.estimators.distances import power as power_of
from foldwise.solvers.batches import SplitFits, any_of, by_split, has_repeats
from foldwise.solvers.fitted_steps import numbers, scale_columns
from foldwise.solvers.nearest.neighbour_lists import Index, Lists, first_kept, list_length
from foldwise.solvers.nearest.neighbour_votes import Weighting, make_target, running_answers, tied_boundaries
from foldwise.solvers.solver import Answer, FitRequest
from foldwise.solvers.steps import Scaling, scaled

BLOCK = 2_000_000  # neighbours listed at a time
WIDEST = 3.0  # lists are made at most this much longer to allow for the scaling of a training set
LONGEST = 500  # lists that are longer are not made: the training rows are searched instead
MOST_SCALES = 2_000_000  # columns whose scaling is remembered, of all training sets
NEAREST = 1e-11  # relative error of a squared distance that inverse weights may have


@dataclass(frozen=True, eq=False)
class Asks:
    """What the fits of a training set ask for; most training sets are asked for the same."""

    ks: dict[Weighting, IntArray]
    names: dict[Weighting, set[str]]
    places: list[tuple[Weighting, int]]  # of each fit: its weighting, and the place of its k


@dataclass(eq=False)
class Votes:
    """What one weighting is asked for on one training set, filled in block by block."""

    ks: IntArray
    names: set[str]
    answers: dict[str, AnyArray]  # response -> k x rows (x classes)
    is_doubtful: Any  # by k: must the plain loop do it?


@dataclass(eq=False)
class TrainingSet:
    """One training set, and what is asked of it."""

    split: SplitFits
    asks: Asks
    is_kept: Any  # of all rows
    width: int  # neighbours looked at: the largest k, or one more to see ties
    shift: FloatArray
    spread: FloatArray
    votes: dict[Weighting, Votes] = field(default_factory=dict)
    tree: Any = None  # scikit-learn's, if ties ask for it

    def table(self, X: FloatArray) -> FloatArray:
        """Rows as this training set scales them."""
        return (X - self.shift) / self.spread


class NeighbourBatch:
    """Searches block after block of rows, and answers each block for every training set, k and weighting."""

    def __init__(self, estimator: Any, data: Dataset, fits: Sequence[FitRequest]) -> None:
        from foldwise.learners.estimators.nearest import RowOrder

        known, X = scaled(estimator), numbers(data)
        assert known is not None
        assert X is not None
        self.scaling, self.final = known
        self.X, self.data, self.fits = X, data, fits
        self.p = power_of(self.final) or 2.0
        self.is_by_row = isinstance(self.final, RowOrder)  # are ties broken by the order of rows?
        self.target = make_target(data)
        self._no_scale = np.zeros(X.shape[1]), np.ones(X.shape[1])
        self.plain_error: FloatArray | None = None
        self._wanted: dict[int, tuple[int, Weighting]] = {}  # by estimator: its k and its weighting
        self._asks: dict[Hashable, Asks] = {}

    def solve(self, places: Sequence[int]) -> Iterator[tuple[int, Answer | None]]:
        """Answers by place; fits that ask for more neighbours than there are rows are left out."""
        parts = [self._part(split) for split in map(self._able, by_split(self.fits, places)) if split.fits]
        if parts:
            self._walk(parts)
        for part in parts:
            yield from self._handed(part)

    def _able(self, split: SplitFits) -> SplitFits:
        """The fits that ask for no more neighbours than there are, and for some rows."""
        most = split.train.size if split.rows.size else 0
        return replace(split, fits=[at for at in split.fits if self._want(at)[0] <= most])

    def _want(self, at: int) -> tuple[int, Weighting]:
        estimator = self.fits[at].estimator
        found = self._wanted.get(id(estimator))
        if found is None:
            final = (scaled(estimator) or (None, estimator))[1]
            found = self._wanted[id(estimator)] = int(final.n_neighbors), final.weights
        return found

    def _asks_of(self, split: SplitFits) -> Asks:
        fits = [self.fits[at] for at in split.fits]
        name = tuple(id(fit.estimator) for fit in fits), tuple(fit.responses for fit in fits)
        if name not in self._asks:
            ks: dict[Weighting, set[int]] = {}
            names: dict[Weighting, set[str]] = {}
            for at in split.fits:
                k, weighting = self._want(at)
                ks.setdefault(weighting, set()).add(k)
                names.setdefault(weighting, set()).update(self.fits[at].responses)
            order = {weighting: np.array(sorted(found)) for weighting, found in ks.items()}
            wants = [self._want(at) for at in split.fits]
            places = [(weighting, int(np.searchsorted(order[weighting], k))) for k, weighting in wants]
            self._asks[name] = Asks(order, names, places)
        return self._asks[name]

    def _part(self, split: SplitFits) -> TrainingSet:
        is_kept = np.zeros(self.data.rows, bool)
        is_kept[split.train] = True
        asks = self._asks_of(split)
        most = max(int(ks[-1]) for ks in asks.ks.values())
        width = min(most + (not self.is_by_row), split.train.size)
        part = TrainingSet(split, asks, is_kept, width, *self._scale(split))
        for weighting, ks in asks.ks.items():
            empty = self._empty(asks.names[weighting], ks.size, split.rows.size)
            part.votes[weighting] = Votes(ks, asks.names[weighting], empty, np.zeros(ks.size, bool))
        return part

    def _scale(self, split: SplitFits) -> tuple[FloatArray, FloatArray]:
        """Shift and spread of every column, found once for all powers of the distance."""
        if self.scaling == Scaling():
            return self._no_scale
        known = _SCALES.setdefault(self.data, {})
        name = (self.scaling, split.name)
        if name not in known:
            if len(known) * self.X.shape[1] > MOST_SCALES:
                known.clear()
            known[name] = scale_columns(self.X, split.train, self.scaling)
        return known[name]

    def _empty(self, names: set[str], ks: int, rows: int) -> dict[str, AnyArray]:
        made: dict[str, AnyArray] = {}
        if "predict" in names:
            made["predict"] = np.empty((ks, rows), np.int64 if self.target.is_classes else np.float64)
        if "predict_proba" in names:
            made["predict_proba"] = np.empty((ks, rows, self.target.order.size))
        return made

    def _walk(self, parts: list[TrainingSet]) -> None:
        asked = any_of([part.split.rows for part in parts])
        spread = scale_columns(self.X, np.arange(self.data.rows), self.scaling)[1]
        index, longer = self._index(spread), self._longer(parts, spread)
        length = min(max(self._length(part, longer) for part in parts), self.data.rows)
        step = max(BLOCK // length, 1)
        for start in range(0, asked.size, step):
            block = asked[start : start + step]
            lists = index.of(block, length, is_kept=block.size == asked.size)
            for part in parts:
                low, high = np.searchsorted(part.split.rows, (block[0], block[-1] + 1))
                if low < high:
                    rows = part.split.rows[low:high]
                    found = self._nearest(part, rows, lists.at(np.searchsorted(block, rows)), index, spread, longer)
                    self._answer(part, slice(low, high), rows, found, is_sure=index.is_tree)

    def _index(self, spread: FloatArray) -> Index:
        """Made once for a table, whatever is asked of it later."""
        made = _INDEXES.setdefault(self.data, {})
        name = (self.scaling.spreads, self.p, self.is_by_row)
        if name not in made:
            made[name] = Index(self.X / spread if self.scaling.spreads else self.X, self.p, is_by_row=self.is_by_row)
        return made[name]

    def _length(self, part: TrainingSet, longer: float) -> int:
        return list_length(int(np.ceil(part.width * longer)), 1.0 - part.split.train.size / self.data.rows)

    def _longer(self, parts: list[TrainingSet], spread: FloatArray) -> float:
        """How much longer lists are made, so that they hold the nearest rows also as each part scales them."""
        if not self.scaling.spreads:
            return 1.0
        uneven = max(float(np.ptp(np.log(spread / part.spread))) for part in parts)
        return float(np.exp(min(uneven * self.X.shape[1], np.log(WIDEST)))) + 0.1

    def _nearest(
        self, part: TrainingSet, rows: IntArray, lists: Lists, index: Index, spread: FloatArray, longer: float
    ) -> Lists:
        """The nearest training rows of these rows: from the lists, or from longer ones where they run short."""
        if has_repeats(part.split.train):
            return self._searched(part, rows)
        found, is_short = self._listed(part, rows, lists, spread, longer)
        short = np.flatnonzero(is_short)
        if not short.size:
            return found
        if 4 * lists.near.shape[1] < min(len(index.X), 4 * LONGEST):
            more = index.search(index.X[rows[short]], 4 * lists.near.shape[1])
            again = self._nearest(part, rows[short], more, index, spread, longer)
        else:
            again = self._searched(part, rows[short])
        found.near[short], found.distance[short] = again.near, again.distance
        return found

    def _listed(
        self, part: TrainingSet, rows: IntArray, lists: Lists, spread: FloatArray, longer: float
    ) -> tuple[Lists, Any]:
        """The nearest training rows as the lists have them, by this part's own distances; and where lists run short."""
        if not self.scaling.spreads:
            return first_kept(lists, part.is_kept, part.width)
        most = min(int(np.ceil(part.width * longer)), part.split.train.size, lists.near.shape[1])
        listed, is_short = first_kept(lists, part.is_kept, most)
        reach = listed.reach if most < part.split.train.size else np.full(rows.size, np.inf)
        reach = before_ties(reach, self.X.shape[1]) if self.is_by_row else reach
        table = part.table(self.X)
        distance, near = in_order(distances(table[rows], table, listed.near, self.p), listed.near)
        found = Lists(near[:, : part.width], distance[:, : part.width], reach * (spread / part.spread).min())
        return found, is_short | (found.distance[:, -1] > found.reach)

    def _searched(self, part: TrainingSet, rows: IntArray) -> Lists:
        train = part.split.train
        if self.is_by_row:
            from foldwise.learners.estimators.nearest import NearestRegressor

            model = NearestRegressor(p=self.p).fit(part.table(self.X[train]), np.zeros(train.size))
            distance, near = model.kneighbors(part.table(self.X[rows]), part.width)
            return Lists(train[near], distance, distance[:, -1])
        found = Index(part.table(self.X[train]), self.p).search(part.table(self.X[rows]), part.width)
        return Lists(train[found.near], found.distance, found.reach)

    def _answer(self, part: TrainingSet, slot: slice, rows: IntArray, near: Lists, *, is_sure: bool) -> None:
        """Fill in a block of rows; where neighbours tie, as scikit-learn's tree has it, or else not at all."""
        if self.is_by_row:
            for weighting, votes in part.votes.items():
                self._fill(votes, weighting, slot, near)
            return
        is_forced = self._is_by_force(np.arange(1, part.width + 1), part.split.train.size)
        is_open, is_tiny = self._open(part, rows, near, is_forced, is_sure=is_sure)
        columns = np.flatnonzero(is_open.any(axis=0))
        for weighting, votes in part.votes.items():
            self._fill(votes, weighting, slot, near)
            if is_tiny and weighting == "distance":
                votes.is_doubtful |= is_forced[votes.ks - 1]
            for at in np.flatnonzero(np.isin(votes.ks - 1, columns)).tolist():
                k = int(votes.ks[at])
                if is_forced[k - 1]:
                    votes.is_doubtful[at] = True
                else:
                    self._as_tree(part, votes, weighting, at, slot, rows, np.flatnonzero(is_open[:, k - 1]))

    def _fill(self, votes: Votes, weighting: Weighting, slot: slice, near: Lists) -> None:
        answers, close = running_answers(self.target, near.near, near.distance, weighting, votes.names, votes.ks)
        for name, found in answers.items():
            votes.answers[name][:, slot] = found
        if close is not None:
            votes.is_doubtful |= close.any(axis=1)

    def _open(
        self, part: TrainingSet, rows: IntArray, near: Lists, is_forced: Any, *, is_sure: bool
    ) -> tuple[Any, bool]:
        """By row and k: might scikit-learn choose other neighbours? And is some distance it computes all rounding?"""
        distance, values = near.distance, self.target.values[near.near]
        is_whole = part.width == part.split.train.size
        tied = distance[:, 1:] - distance[:, :-1] <= 4 * (self.X.shape[1] + 4) * EPSILON * distance[:, 1:]
        is_open, is_tiny = tied_boundaries(tied, values, is_whole=is_whole), False
        if self.p == 2 and (is_forced.any() or not is_sure):
            error = self._error(part, rows)[:, None]
            squares = distance**2
            is_wide = is_forced[:-1] if is_sure else np.ones(part.width - 1, bool)
            wide = tied_boundaries(np.diff(squares, axis=1) <= error, values, is_whole=is_whole)
            is_open = np.where(is_wide, wide, is_open)
            is_tiny = bool((squares[:, :1] * NEAREST < error).any())
        return is_open, is_tiny

    def _error(self, part: TrainingSet, rows: IntArray) -> FloatArray:
        """By row: how wrong squared distances computed from norms may be."""
        if self.scaling == Scaling():
            if self.plain_error is None:
                self.plain_error = _rounding(self.X)
            return self.plain_error[rows]
        return _rounding(part.table(self.X))[rows]

    def _is_by_force(self, ks: IntArray, train: int) -> Any:
        """By k: does scikit-learn look at every row?"""
        if self.final.algorithm == "auto":
            return (ks >= train // 2) | (self.X.shape[1] > 15)
        return np.full(ks.size, self.final.algorithm == "brute")

    def _as_tree(
        self,
        part: TrainingSet,
        votes: Votes,
        weighting: Weighting,
        at: int,
        slot: slice,
        rows: IntArray,
        places: IntArray,
    ) -> None:
        """Rows whose neighbours tie, with the neighbours that scikit-learn's tree finds."""
        k, table = votes.ks[at : at + 1], part.table if self.scaling != Scaling() else np.asarray
        distance, near = self._tree(part, table).kneighbors(table(self.X[rows[places]]), int(k[0]))
        answers, close = running_answers(self.target, part.split.train[near], distance, weighting, votes.names, k)
        for name, found in answers.items():
            votes.answers[name][at, slot.start + places] = found[0]
        votes.is_doubtful[at] |= close is not None and close.any()

    def _tree(self, part: TrainingSet, table: Callable[[FloatArray], FloatArray]) -> Any:
        """scikit-learn's own tree of a training set, as its estimator makes it."""
        from sklearn.neighbors import NearestNeighbors

        if part.tree is None:
            final, kind = self.final, "kd_tree" if self.final.algorithm == "auto" else self.final.algorithm
            tree = NearestNeighbors(algorithm=kind, leaf_size=final.leaf_size, metric=final.metric, p=final.p)
            part.tree = tree.fit(table(self.X[part.split.train]))
        return part.tree

    def _handed(self, part: TrainingSet) -> Iterator[tuple[int, Answer | None]]:
        answers = {weighting: _by_k(votes) for weighting, votes in part.votes.items()}
        for fit, (weighting, at) in zip(part.split.fits, part.asks.places, strict=True):
            found, names = answers[weighting][at], self.fits[fit].responses
            yield fit, found if found is None or len(found) == len(names) else {name: found[name] for name in names}


_SCALES: WeakKeyDictionary[Dataset, dict[Hashable, tuple[FloatArray, FloatArray]]] = WeakKeyDictionary()
_INDEXES: WeakKeyDictionary[Dataset, dict[tuple[bool, float, bool], Index]] = WeakKeyDictionary()


def _by_k(votes: Votes) -> list[Answer | None]:
    """The responses at every k; None where the plain loop must do it."""
    doubtful, columns = votes.is_doubtful.tolist(), votes.answers.items()
    return [None if doubtful[at] else {name: values[at] for name, values in columns} for at in range(votes.ks.size)]


def _rounding(X: FloatArray) -> FloatArray:
    """By row: how wrong its squared distance from any other may be, computed from norms."""
    squares = squared_norms(X)
    return norm_error(squares + squares.max(initial=0.0), X.shape[1])
