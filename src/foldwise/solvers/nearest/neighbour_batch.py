"""All k-nearest-neighbour fits that measure distance alike, from one search."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from foldwise.arrays import AnyArray, FloatArray, IntArray
from foldwise.data.dataset import Dataset
from foldwise.learners.estimators.distances import EPSILON, before_ties, distances, in_order, norm_error, squared_norms
from foldwise.learners.estimators.distances import power as power_of
from foldwise.solvers.batches import BlockPart, any_of, has_repeats, rows_digest
from foldwise.solvers.fitted_steps import numbers, scale_columns
from foldwise.solvers.nearest.neighbour_lists import Index, Lists, first_in_order, first_kept, first_places, list_length
from foldwise.solvers.nearest.neighbour_votes import Weighting, make_target, running_answers, tied_boundaries
from foldwise.solvers.solver import BlockAnswer
from foldwise.solvers.steps import Scaling, scaled

BLOCK = 2_000_000  # neighbours listed at a time
CELLS, TABLES = 60_000, 400_000  # neighbours of small training sets answered together, and cells of their tables
FIRST = 0.4  # of what lists are made longer by is looked at first, and then all of it where that is too little
WIDEST = 3.0  # lists are made at most this much longer to allow for the scaling of a training set
ANSWERS = 20_000_000  # answers held at a time, where lists are made for some rows at a time
LONGEST = 500  # lists that are longer are not made: the training rows are searched instead
MOST_SCALES = 2_000_000  # columns whose scaling is remembered, of all training sets
Scale = tuple[FloatArray, FloatArray]  # what is taken off every column, and what it is divided by
NEAREST = 1e-11  # relative error of a squared distance that inverse weights may have


@dataclass(frozen=True, eq=False)
class Asks:
    """What the fits of a training set ask for; most training sets are asked for the same."""

    ks: dict[Weighting, IntArray]
    fits: dict[Weighting, IntArray]  # the fits of a weighting
    places: dict[Weighting, IntArray]  # and the place of the k of each
    able: IntArray  # fits that ask for no more neighbours than there are


@dataclass(eq=False)
class Votes:
    """What one weighting is asked for on one training set, filled in block by block."""

    ks: IntArray
    answers: dict[str, AnyArray]  # response -> k x rows (x classes)
    is_doubtful: Any  # by k: must the plain loop do it?


@dataclass(frozen=True, eq=False)
class Search:
    """Where lists come from: the index of all rows, and how they are scaled there."""

    index: Index
    spread: FloatArray
    longest: float  # how much longer the lists are at most


@dataclass(eq=False)
class TrainingSet:
    """One training set, and what is asked of it."""

    part: BlockPart
    asks: Asks
    is_kept: Any  # of all rows
    width: int  # neighbours looked at: the largest k, or one more to see ties
    longer: float  # how much longer lists are looked at, as it scales the columns in its own way
    shift: FloatArray
    spread: FloatArray
    votes: dict[Weighting, Votes] = field(default_factory=dict)
    tree: Any = None  # scikit-learn's, if ties ask for it

    @property
    def train(self) -> IntArray:
        return self.part.block.train

    @property
    def rows(self) -> IntArray:
        return self.part.block.rows

    @property
    def names(self) -> tuple[str, ...]:
        return self.part.block.responses

    def table(self, X: FloatArray) -> FloatArray:
        """Rows as this training set scales them."""
        return (X - self.shift) / self.spread


class Together:
    """Training sets that are asked for the same, and all their rows, one training set after the other."""

    def __init__(self, parts: Sequence[BlockPart], scales: Sequence[Scale], longer: Sequence[float]) -> None:
        self.parts, self.scales, self.longer = parts, scales, longer
        asked = [part.block.rows for part in parts]
        self.rows = np.concatenate(asked)
        self.ends = [0, *accumulate(rows.size for rows in asked)]
        self.owner = np.repeat(np.arange(len(parts)), np.diff(self.ends))  # the training set of every row
        self.sizes = np.array([part.block.train.size for part in parts])
        self.shift = np.array([shift for shift, _ in scales])
        self.spread = np.array([spread for _, spread in scales])

    def is_kept(self, rows: int) -> Any:
        """By training set and row of the data."""
        found = np.zeros((len(self.parts), rows), bool)
        for own, part in zip(found, self.parts, strict=True):
            own[part.block.train] = True
        return found


class Walk:
    """Walks lists for the rows of many training sets at once.

    A row of a training set is numbered as one of a table that holds all rows once for every training set.
    """

    def __init__(self, sets: Together, X: FloatArray, p: float, width: int) -> None:
        self.sets, self.p, self.width = sets, p, width
        self.first_row = np.arange(len(sets.parts)) * len(X)  # of every training set
        self.is_kept = sets.is_kept(len(X)).ravel()
        self.table = ((X - sets.shift[:, None, :]) / sets.spread[:, None, :]).reshape(-1, X.shape[1])

    def first(
        self, some: IntArray, lists: Lists, places: IntArray, spread: FloatArray, most: int, length: int
    ) -> tuple[Lists, AnyArray]:
        """Neighbours of these of the rows, neighbour by row, and where lists run short; not more is looked at."""
        sets, owner = self.sets, self.sets.owner[some]
        most, first_row = min(most, sets.sizes.min(), lists.near.shape[1]), self.first_row[owner]
        listed = lists.near[:, :length][places]
        listed += first_row[:, None]
        at, is_short = first_places(self.is_kept.take(listed), most)
        near, cells = listed.ravel().take(at), at[:, -1] - np.arange(some.size) * listed.shape[1]
        reach = lists.distance[places, cells.clip(0, listed.shape[1] - 1)]
        is_short |= reach > lists.reach[places]
        reach = np.where(sets.sizes[owner] > most, before_ties(reach, self.table.shape[1]), np.inf)
        gaps = distances(self.table[first_row + sets.rows[some]], self.table, near, self.p)
        found = first_in_order(gaps, near, self.width)
        found.near[...] -= first_row
        is_short |= found.reach > reach * (spread / sets.spread).min(axis=1)[owner]
        return found, is_short


class NeighbourBatch:
    """Searches block after block of rows, and answers each block for every training set, k and weighting."""

    def __init__(self, estimator: Any, data: Dataset) -> None:
        from foldwise.learners.estimators.nearest import RowOrder

        known, X = scaled(estimator), numbers(data)
        assert known is not None
        assert X is not None
        self.scaling, self.final = known
        self.X, self.data = X, data
        self.p = power_of(self.final) or 2.0
        self.is_by_row = isinstance(self.final, RowOrder)  # are ties broken by the order of rows?
        self.target = make_target(data)
        self._no_scale = np.zeros(X.shape[1]), np.ones(X.shape[1])
        self.plain_error: FloatArray | None = None
        self._wanted: dict[int, tuple[IntArray, list[Weighting]]] = {}  # by estimators: k and weighting of each
        self._asks: dict[Hashable, Asks] = {}

    def solve(self, parts: Sequence[BlockPart]) -> Iterator[BlockAnswer]:
        """Answers training set by training set; fits that ask for more neighbours than there are rows are left out."""
        able = [part for part in parts if part.block.rows.size and self._asks_of(part).able.size]
        yield from self._walk(able) if able else ()

    def _wants(self, part: BlockPart) -> tuple[IntArray, list[Weighting]]:
        estimators = part.block.estimators
        if id(estimators) not in self._wanted:
            finals = [(scaled(estimator) or (None, estimator))[1] for estimator in estimators]
            ks = np.array([int(final.n_neighbors) for final in finals])
            self._wanted[id(estimators)] = ks, [final.weights for final in finals]
        return self._wanted[id(estimators)]

    def _asks_of(self, part: BlockPart) -> Asks:
        wanted, weightings = self._wants(part)
        size = part.block.train.size
        name = id(part.block.estimators), min(size, int(wanted.max()))
        if name not in self._asks:
            able = np.flatnonzero(wanted <= size)
            fits: dict[Weighting, list[int]] = {}
            for place, at in enumerate(able.tolist()):
                fits.setdefault(weightings[at], []).append(place)
            ks = {weighting: np.unique(wanted[able[own]]) for weighting, own in fits.items()}
            places = {weighting: np.searchsorted(ks[weighting], wanted[able[own]]) for weighting, own in fits.items()}
            self._asks[name] = Asks(ks, {weighting: np.array(own) for weighting, own in fits.items()}, places, able)
        return self._asks[name]

    def _training_set(self, part: BlockPart, scale: Scale, longer: float) -> TrainingSet:
        block, asks = part.block, self._asks_of(part)
        is_kept = np.zeros(self.data.rows, bool)
        is_kept[block.train] = True
        found = TrainingSet(part, asks, is_kept, self._width(part), longer, *scale)
        for weighting, ks in asks.ks.items():
            empty = self._empty(block.responses, ks.size, block.rows.size)
            found.votes[weighting] = Votes(ks, empty, np.zeros(ks.size, bool))
        return found

    def _width(self, part: BlockPart) -> int:
        most = max(int(ks[-1]) for ks in self._asks_of(part).ks.values())
        return min(most + (not self.is_by_row), part.block.train.size)

    def _scale(self, train: IntArray) -> Scale:
        """Shift and spread of every column, found once for all powers of the distance."""
        if self.scaling == Scaling():
            return self._no_scale
        known = _SCALES.setdefault(self.data, {})
        name = (self.scaling, rows_digest(train))
        if name not in known:
            if len(known) * self.X.shape[1] > MOST_SCALES:
                known.clear()
            known[name] = scale_columns(self.X, train, self.scaling)
        return known[name]

    def _empty(self, names: tuple[str, ...], ks: int, rows: int) -> dict[str, AnyArray]:
        made: dict[str, AnyArray] = {}
        if "predict" in names:
            made["predict"] = np.empty((ks, rows), np.int64 if self.target.is_classes else np.float64)
        if "predict_proba" in names:
            made["predict_proba"] = np.empty((ks, rows, self.target.order.size))
        return made

    def _walk(self, parts: list[BlockPart]) -> Iterator[BlockAnswer]:
        """The answers of every training set, some after the others where one search finds all lists."""
        asked = any_of([part.block.rows for part in parts])
        spread = scale_columns(self.X, np.arange(self.data.rows), self.scaling)[1]
        scales = [self._scale(part.block.train) for part in parts]
        index, longer = self._index(spread), self._longer(scales, spread)
        most = list(map(self._length, parts, longer))
        search = Search(index, spread, float(max(longer)))
        step = max(BLOCK // min(max(most), self.data.rows), 1)
        if asked.size > step:
            for these in self._portions(parts):
                sets = list(map(self._training_set, parts[these], scales[these], longer[these]))
                yield from self._in_blocks(sets, max(step // 2, 1), search, max(most[these]))
            return
        lists = index.of(asked, min(max(most), self.data.rows), is_kept=True)
        for group in self._groups(parts):
            these = slice(group[0], group[-1] + 1)
            if self._goes_together(parts[group[0]]):
                yield from self._answer_together(
                    Together(parts[these], scales[these], longer[these]), asked, lists, search
                )
                continue
            for training_set in map(self._training_set, parts[these], scales[these], longer[these]):
                self._answer_block(training_set, asked, lists, search)
                yield from self._handed(training_set.part, training_set.asks, training_set.votes)

    def _in_blocks(self, sets: list[TrainingSet], step: int, search: Search, most: int) -> Iterator[BlockAnswer]:
        """The same with lists of some rows at a time; all these training sets are answered at the end."""
        asked = any_of([one.rows for one in sets])
        for start in range(0, asked.size, step):
            block = asked[start : start + step]
            lists = search.index.of(block, min(most, self.data.rows), is_kept=False)
            for one in sets:
                self._answer_block(one, block, lists, search)
        for one in sets:
            yield from self._handed(one.part, one.asks, one.votes)
            one.votes.clear()

    def _portions(self, parts: list[BlockPart]) -> Iterator[slice]:
        """Training sets whose answers are held together, about as many in each portion."""
        sizes = [self._answers(part) for part in parts]
        share, start, held = sum(sizes) / np.ceil(sum(sizes) / ANSWERS), 0, 0
        for end, size in enumerate(sizes, 1):
            held += size
            if held >= share or end == len(parts):
                yield slice(start, end)
                start, held = end, 0

    def _answers(self, part: BlockPart) -> int:
        """How many numbers all its answers are."""
        each = {"predict": 1, "predict_proba": self.target.order.size}
        ks = sum(one.size for one in self._asks_of(part).ks.values())
        return ks * part.block.rows.size * sum(each[name] for name in part.block.responses)

    def _groups(self, parts: list[BlockPart]) -> Iterator[range]:
        """Places of training sets that follow each other and are asked for the same; no more than the cache holds."""
        start, rows, name = 0, 0, None
        for at, part in enumerate(parts):
            block = part.block
            same = (id(self._asks_of(part)), block.responses, self._goes_together(part))
            is_full = rows * self._width(part) >= CELLS or (at - start) * self.X.size >= TABLES
            if at > start and (same != name or is_full):
                yield range(start, at)
                start, rows = at, 0
            name, rows = same, rows + block.rows.size
        yield range(start, len(parts))

    def _goes_together(self, part: BlockPart) -> bool:
        """Can it be answered with others? Its ties must be broken by the order of rows, and no row be there twice."""
        return self.is_by_row and self.scaling.spreads and not has_repeats(part.block.train)

    def _answer_together(self, sets: Together, asked: IntArray, lists: Lists, search: Search) -> Iterator[BlockAnswer]:
        """Answers of training sets that are asked for the same, all rows of all of them in one pass."""
        asks, first = self._asks_of(sets.parts[0]), sets.parts[0].block
        found = self._listed_together(sets, asked, lists, search, self._width(sets.parts[0]))
        given = {
            weighting: running_answers(self.target, found.near, found.distance, weighting, first.responses, ks)
            for weighting, ks in asks.ks.items()
        }
        for at, part in enumerate(sets.parts):
            own = slice(*sets.ends[at : at + 2])
            votes = {
                weighting: Votes(
                    asks.ks[weighting],
                    {name: values[:, own] for name, values in answers.items()},
                    np.zeros(asks.ks[weighting].size, bool) if close is None else close[:, own].any(axis=1),
                )
                for weighting, (answers, close) in given.items()
            }
            yield from self._handed(part, asks, votes)

    def _listed_together(self, sets: Together, asked: IntArray, lists: Lists, search: Search, width: int) -> Lists:
        """Neighbour by row: the nearest training rows of all rows of these training sets, by their own distances."""
        places, walk = np.searchsorted(asked, sets.rows), Walk(sets, self.X, self.p, width)
        longest, length = max(sets.longer), lists.near.shape[1]
        kept, least = sets.sizes.min() / self.data.rows, int(np.ceil(width * (1.0 + FIRST * (longest - 1.0))))
        usual = int(np.ceil(least / kept + 2.0 * np.sqrt(least * (1.0 - kept)) / kept))
        found, is_short = walk.first(np.arange(sets.rows.size), lists, places, search.spread, least, usual)
        short = np.flatnonzero(is_short)
        if short.size:
            most = int(np.ceil(width * longest))
            again, is_short = walk.first(short, lists, places[short], search.spread, most, length)
            found.near[:, short], found.distance[:, short] = again.near, again.distance
            short = short[is_short]
        for number in np.unique(sets.owner[short]).tolist():
            own = short[sets.owner[short] == number]
            part = self._training_set(sets.parts[number], sets.scales[number], sets.longer[number])
            again = self._nearest(part, sets.rows[own], lists.at(places[own]), search)
            found.near[:, own], found.distance[:, own] = again.near.T, again.distance.T
        return found

    def _answer_block(self, part: TrainingSet, block: IntArray, lists: Lists, search: Search) -> None:
        """Answer a training set for those of its rows that are in a block of rows."""
        low, high = np.searchsorted(part.rows, (block[0], block[-1] + 1))
        if low < high:
            rows = part.rows[low:high]
            found = self._nearest(part, rows, lists.at(np.searchsorted(block, rows)), search)
            self._answer(part, slice(low, high), rows, found, is_sure=search.index.is_tree)

    def _index(self, spread: FloatArray) -> Index:
        """Made once for a table, whatever is asked of it later."""
        made = _INDEXES.setdefault(self.data, {})
        name = (self.scaling.spreads, self.p, self.is_by_row)
        if name not in made:
            made[name] = Index(self.X / spread if self.scaling.spreads else self.X, self.p, is_by_row=self.is_by_row)
        return made[name]

    def _length(self, part: BlockPart, longer: float) -> int:
        return list_length(int(np.ceil(self._width(part) * longer)), 1.0 - part.block.train.size / self.data.rows)

    def _longer(self, scales: Sequence[Scale], spread: FloatArray) -> list[float]:
        """How much longer lists are made, so that they hold the nearest rows also as each part scales them."""
        if not self.scaling.spreads:
            return [1.0] * len(scales)
        uneven = np.ptp(np.log(spread / np.array([own for _, own in scales])), axis=1)
        longer: list[float] = (np.exp(np.minimum(uneven * self.X.shape[1], np.log(WIDEST))) + 0.1).tolist()
        return longer

    def _nearest(self, part: TrainingSet, rows: IntArray, lists: Lists, search: Search) -> Lists:
        """The nearest training rows of these rows: from the lists, or from longer ones where they run short."""
        if has_repeats(part.train):
            return self._searched(part, rows)
        found, is_short = self._listed(part, rows, lists, search.spread, part.longer)
        short = np.flatnonzero(is_short)
        if not short.size:
            return found
        if part.longer < search.longest:  # what is listed may be enough, if more of it is looked at
            again, is_short = self._listed(part, rows[short], lists.at(short), search.spread, search.longest)
            found.near[short], found.distance[short] = again.near, again.distance
            short = short[is_short]
        if short.size:
            again = self._from_longer(part, rows[short], 4 * lists.near.shape[1], search)
            found.near[short], found.distance[short] = again.near, again.distance
        return found

    def _from_longer(self, part: TrainingSet, rows: IntArray, length: int, search: Search) -> Lists:
        """The same from lists of this length, if that is worth while."""
        if length >= min(len(search.index.X), 4 * LONGEST):
            return self._searched(part, rows)
        lists = search.index.search(search.index.X[rows], length)
        found, is_short = self._listed(part, rows, lists, search.spread, search.longest)
        short = np.flatnonzero(is_short)
        if short.size:
            again = self._from_longer(part, rows[short], 4 * length, search)
            found.near[short], found.distance[short] = again.near, again.distance
        return found

    def _listed(
        self, part: TrainingSet, rows: IntArray, lists: Lists, spread: FloatArray, longer: float
    ) -> tuple[Lists, Any]:
        """The nearest training rows as the lists have them, by this part's own distances; and where lists run short."""
        if not self.scaling.spreads:
            return first_kept(lists, part.is_kept, part.width)
        most = min(int(np.ceil(part.width * longer)), part.train.size, lists.near.shape[1])
        listed, is_short = first_kept(lists, part.is_kept, most)
        reach = listed.reach if most < part.train.size else np.full(rows.size, np.inf)
        reach = before_ties(reach, self.X.shape[1]) if self.is_by_row else reach
        table = part.table(self.X)
        distance, near = in_order(distances(table[rows], table, listed.near, self.p), listed.near)
        found = Lists(near[:, : part.width], distance[:, : part.width], reach * (spread / part.spread).min())
        return found, is_short | (found.distance[:, -1] > found.reach)

    def _searched(self, part: TrainingSet, rows: IntArray) -> Lists:
        train = part.train
        if self.is_by_row:
            from foldwise.learners.estimators.nearest import NearestRegressor

            model = NearestRegressor(p=self.p).fit(part.table(self.X[train]), np.zeros(train.size))
            distance, near = model.kneighbors(part.table(self.X[rows]), part.width)
            return Lists(train[near], distance, distance[:, -1])
        found = Index(part.table(self.X[train]), self.p).search(part.table(self.X[rows]), part.width)
        return Lists(train[found.near], found.distance, found.reach)

    def _answer(self, part: TrainingSet, slot: slice, rows: IntArray, near: Lists, *, is_sure: bool) -> None:
        """Fill in a block of rows; where neighbours tie, as scikit-learn's tree has it, or else not at all."""
        self._fill(part, slot, near)
        if self.is_by_row:
            return
        is_forced = self._is_by_force(np.arange(1, part.width + 1), part.train.size)
        is_open, is_tiny = self._open(part, rows, near, is_forced, is_sure=is_sure)
        columns = np.flatnonzero(is_open.any(axis=0))
        for weighting, votes in part.votes.items():
            if is_tiny and weighting == "distance":
                votes.is_doubtful |= is_forced[votes.ks - 1]
            for at in np.flatnonzero(np.isin(votes.ks - 1, columns)).tolist():
                k = int(votes.ks[at])
                if is_forced[k - 1]:
                    votes.is_doubtful[at] = True
                else:
                    self._as_tree(part, votes, weighting, at, slot, rows, np.flatnonzero(is_open[:, k - 1]))

    def _fill(self, part: TrainingSet, slot: slice, near: Lists) -> None:
        """What the nearest rows answer, under every weighting."""
        across, distance = np.ascontiguousarray(near.near.T), np.ascontiguousarray(near.distance.T)
        for weighting, votes in part.votes.items():
            answers, close = running_answers(self.target, across, distance, weighting, part.names, votes.ks)
            for name, found in answers.items():
                votes.answers[name][:, slot] = found
            if close is not None:
                votes.is_doubtful |= close.any(axis=1)

    def _open(
        self, part: TrainingSet, rows: IntArray, near: Lists, is_forced: Any, *, is_sure: bool
    ) -> tuple[Any, bool]:
        """By row and k: might scikit-learn choose other neighbours? And is some distance it computes all rounding?"""
        distance, values = near.distance, self.target.values[near.near]
        is_whole = part.width == part.train.size
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
        answers, close = running_answers(self.target, part.train[near].T, distance.T, weighting, part.names, k)
        for name, found in answers.items():
            votes.answers[name][at, slot.start + places] = found[0]
        votes.is_doubtful[at] |= close is not None and close.any()

    def _tree(self, part: TrainingSet, table: Callable[[FloatArray], FloatArray]) -> Any:
        """scikit-learn's own tree of a training set, as its estimator makes it."""
        from sklearn.neighbors import NearestNeighbors

        if part.tree is None:
            final, kind = self.final, "kd_tree" if self.final.algorithm == "auto" else self.final.algorithm
            tree = NearestNeighbors(algorithm=kind, leaf_size=final.leaf_size, metric=final.metric, p=final.p)
            part.tree = tree.fit(table(self.X[part.train]))
        return part.tree

    def _handed(self, part: BlockPart, asks: Asks, votes: Mapping[Weighting, Votes]) -> Iterator[BlockAnswer]:
        """The responses of every fit; those in doubt are left out."""
        able, is_sure = asks.able, np.empty(asks.able.size, bool)
        for weighting, found in votes.items():
            is_sure[asks.fits[weighting]] = ~found.is_doubtful[asks.places[weighting]]
        stacked = self._stacked(part, asks, votes)
        if not is_sure.all():
            able, stacked = able[is_sure], {name: values[is_sure] for name, values in stacked.items()}
        if able.size:
            yield part.number, [part.places[at] for at in able.tolist()], stacked

    def _stacked(self, part: BlockPart, asks: Asks, votes: Mapping[Weighting, Votes]) -> dict[str, AnyArray]:
        """The responses of all fits, in their order."""
        (weighting, first), *others = votes.items()
        if not others and np.array_equal(asks.places[weighting], np.arange(first.ks.size)):
            return {name: np.ascontiguousarray(values) for name, values in first.answers.items()}  # may be large
        stacked = self._empty(part.block.responses, asks.able.size, part.block.rows.size)
        for weighting, found in votes.items():
            for name, values in stacked.items():
                values[asks.fits[weighting]] = found.answers[name][asks.places[weighting]]
        return stacked


_SCALES: WeakKeyDictionary[Dataset, dict[Hashable, Scale]] = WeakKeyDictionary()
_INDEXES: WeakKeyDictionary[Dataset, dict[tuple[bool, float, bool], Index]] = WeakKeyDictionary()


def _rounding(X: FloatArray) -> FloatArray:
    """By row: how wrong its squared distance from any other may be, computed from norms."""
    squares = squared_norms(X)
    return norm_error(squares + squares.max(initial=0.0), X.shape[1])
