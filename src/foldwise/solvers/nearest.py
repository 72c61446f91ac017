"""k-nearest neighbours: one search answers every k, both weightings and every training set."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Any, Literal
from weakref import WeakKeyDictionary

import numpy as np

from foldwise.arrays import AnyArray, FloatArray, IntArray
from foldwise.data.dataset import Dataset
from foldwise.learners.estimators.distances import before_ties, distances, in_order, power
from foldwise.solvers.nearest_lists import Index, Lists, first_kept, list_length
from foldwise.solvers.nearest_training_sets import Asks, Scale, Search, Ties, Together, TrainingSet, Votes, Walk
from foldwise.solvers.nearest_votes import Weighting, make_target, running_answers
from foldwise.solvers.scaling import Scaling, known_numbers, known_scaling, numbers, scale_columns, scaled
from foldwise.solvers.solver import Answered, FitRequest, RequestPart, any_of, grouped_parts, has_repeats, rows_digest

ALGORITHMS = ("auto", "brute", "kd_tree", "ball_tree")
BLOCK = 2_000_000  # neighbours listed at a time
CELLS, TABLES = 60_000, 400_000  # neighbours of small training sets answered together, and cells of their tables
FIRST = 0.4  # of what lists are made longer by is looked at first, and then all of it where that is too little
WIDEST = 3.0  # lists are made at most this much longer to allow for the scaling of a training set
ANSWERS = 20_000_000  # answers held at a time, where lists are made for some rows at a time
LONGEST = 500  # lists that are longer are not made: the training rows are searched instead
MOST_SCALES = 2_000_000  # columns whose scaling is remembered, of all training sets


class NeighboursSolver:
    """Answers KNeighborsRegressor and KNeighborsClassifier, and their twins that break ties by the order of rows."""

    name = "k-nn"
    batch: Literal["method", "train"] = "method"
    is_exact = True

    def takes(self, estimator: Any, data: Dataset) -> bool:
        known = scaled(estimator)
        is_ours = known is not None and not known[0].target and is_known(known[1], data.task)
        return is_ours and numbers(data) is not None

    def shares(self, estimator: Any) -> Hashable:
        scaling, final = known_scaling(estimator)
        return type(final).__name__, scaling, final.algorithm, final.leaf_size, power(final)

    def pays(self, requests: Sequence[FitRequest], data: Dataset) -> bool:
        """Even one fit is answered sooner: its search asks no estimator, and lists of earlier fits serve it."""
        return True

    def solve(self, requests: Sequence[FitRequest], data: Dataset) -> Iterator[Answered]:
        """Answers of all candidates of a training set in one array, one training set after the other."""
        for parts in grouped_parts(requests, self.shares):
            yield from NeighbourBatch(parts[0].request.estimators[0], data).solve(parts)


def is_known(final: Any, task: str) -> bool:
    """Is it an estimator of nearest neighbours, with parameters that are answered here?"""
    from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor

    from foldwise.learners.estimators.nearest import NearestClassifier, NearestRegressor

    is_regression = task == "regression"
    kinds = (KNeighborsRegressor, NearestRegressor) if is_regression else (KNeighborsClassifier, NearestClassifier)
    if type(final) not in kinds:
        return False
    is_count = isinstance(final.n_neighbors, int | np.integer) and bool(final.n_neighbors >= 1)
    is_weighted = isinstance(final.weights, str) and final.weights in ("uniform", "distance")
    return is_count and is_weighted and power(final) is not None and final.algorithm in ALGORITHMS


SOLVERS = (NeighboursSolver(),)


class NeighbourBatch:
    """Searches block after block of rows, and answers each block for every training set, k and weighting."""

    def __init__(self, estimator: Any, data: Dataset) -> None:
        from foldwise.learners.estimators.nearest import RowOrder

        X = known_numbers(data)
        self.scaling, self.final = known_scaling(estimator)
        self.X, self.data = X, data
        self.p = power(self.final) or 2.0
        self.is_by_row = isinstance(self.final, RowOrder)  # are ties broken by the order of rows?
        self.target = make_target(data)
        self._no_scale = np.zeros(X.shape[1]), np.ones(X.shape[1])
        self.ties = None if self.is_by_row else Ties(self.final, self.scaling, X, self.p, self.target)
        self._wanted: dict[int, tuple[IntArray, list[Weighting]]] = {}  # by estimators: k and weighting of each
        self._asks: dict[Hashable, Asks] = {}

    def solve(self, parts: Sequence[RequestPart]) -> Iterator[Answered]:
        """Answers training set by training set; fits that ask for more neighbours than there are rows are left out."""
        able = [part for part in parts if part.request.rows.size and self._asks_of(part).able.size]
        yield from self._walk(able) if able else ()

    def _wants(self, part: RequestPart) -> tuple[IntArray, list[Weighting]]:
        estimators = part.request.estimators
        if id(estimators) not in self._wanted:
            finals = [known_scaling(estimator)[1] for estimator in estimators]
            ks = np.array([int(final.n_neighbors) for final in finals])
            self._wanted[id(estimators)] = ks, [final.weights for final in finals]
        return self._wanted[id(estimators)]

    def _asks_of(self, part: RequestPart) -> Asks:
        wanted, weightings = self._wants(part)
        size = part.request.train.size
        name = id(part.request.estimators), min(size, int(wanted.max()))
        if name not in self._asks:
            able = np.flatnonzero(wanted <= size)
            fits: dict[Weighting, list[int]] = {}
            for place, at in enumerate(able.tolist()):
                fits.setdefault(weightings[at], []).append(place)
            ks = {weighting: np.unique(wanted[able[own]]) for weighting, own in fits.items()}
            places = {weighting: np.searchsorted(ks[weighting], wanted[able[own]]) for weighting, own in fits.items()}
            self._asks[name] = Asks(ks, {weighting: np.array(own) for weighting, own in fits.items()}, places, able)
        return self._asks[name]

    def _training_set(self, part: RequestPart, scale: Scale, longer: float) -> TrainingSet:
        request, asks = part.request, self._asks_of(part)
        is_kept = np.zeros(self.data.rows, bool)
        is_kept[request.train] = True
        found = TrainingSet(part, asks, is_kept, self._width(part), longer, *scale)
        for weighting, ks in asks.ks.items():
            empty = self._empty(request.responses, ks.size, request.rows.size)
            found.votes[weighting] = Votes(ks, empty, np.zeros(ks.size, bool))
        return found

    def _width(self, part: RequestPart) -> int:
        most = max(int(ks[-1]) for ks in self._asks_of(part).ks.values())
        return min(most + (not self.is_by_row), part.request.train.size)

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

    def _walk(self, parts: list[RequestPart]) -> Iterator[Answered]:
        """The answers of every training set, some after the others where one search finds all lists."""
        asked = any_of([part.request.rows for part in parts])
        spread = scale_columns(self.X, np.arange(self.data.rows), self.scaling)[1]
        scales = [self._scale(part.request.train) for part in parts]
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

    def _in_blocks(self, sets: list[TrainingSet], step: int, search: Search, most: int) -> Iterator[Answered]:
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

    def _portions(self, parts: list[RequestPart]) -> Iterator[slice]:
        """Training sets whose answers are held together, about as many in each portion."""
        sizes = [self._answers(part) for part in parts]
        share, start, held = sum(sizes) / np.ceil(sum(sizes) / ANSWERS), 0, 0
        for end, size in enumerate(sizes, 1):
            held += size
            if held >= share or end == len(parts):
                yield slice(start, end)
                start, held = end, 0

    def _answers(self, part: RequestPart) -> int:
        """How many numbers all its answers are."""
        each = {"predict": 1, "predict_proba": self.target.order.size}
        ks = sum(one.size for one in self._asks_of(part).ks.values())
        return ks * part.request.rows.size * sum(each[name] for name in part.request.responses)

    def _groups(self, parts: list[RequestPart]) -> Iterator[range]:
        """Places of training sets that follow each other and are asked for the same; no more than the cache holds."""
        start, rows, name = 0, 0, None
        for at, part in enumerate(parts):
            request = part.request
            same = (id(self._asks_of(part)), request.responses, self._goes_together(part))
            is_full = rows * self._width(part) >= CELLS or (at - start) * self.X.size >= TABLES
            if at > start and (same != name or is_full):
                yield range(start, at)
                start, rows = at, 0
            name, rows = same, rows + request.rows.size
        yield range(start, len(parts))

    def _goes_together(self, part: RequestPart) -> bool:
        """Can it be answered with others? Its ties must be broken by the order of rows, and no row be there twice."""
        return self.is_by_row and self.scaling.spreads and not has_repeats(part.request.train)

    def _answer_together(self, sets: Together, asked: IntArray, lists: Lists, search: Search) -> Iterator[Answered]:
        """Answers of training sets that are asked for the same, all rows of all of them in one pass."""
        asks, first = self._asks_of(sets.parts[0]), sets.parts[0].request
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
            self._fill(part, slice(low, high), found)
            if self.ties is not None:
                self.ties.settle(part, slice(low, high), rows, found, is_sure=search.index.is_tree)

    def _index(self, spread: FloatArray) -> Index:
        """Made once for a table, whatever is asked of it later."""
        made = _INDEXES.setdefault(self.data, {})
        name = (self.scaling.spreads, self.p, self.is_by_row)
        if name not in made:
            made[name] = Index(self.X / spread if self.scaling.spreads else self.X, self.p, is_by_row=self.is_by_row)
        return made[name]

    def _length(self, part: RequestPart, longer: float) -> int:
        return list_length(int(np.ceil(self._width(part) * longer)), 1.0 - part.request.train.size / self.data.rows)

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

    def _fill(self, part: TrainingSet, slot: slice, near: Lists) -> None:
        """What the nearest rows answer, under every weighting."""
        across, distance = np.ascontiguousarray(near.near.T), np.ascontiguousarray(near.distance.T)
        for weighting, votes in part.votes.items():
            answers, close = running_answers(self.target, across, distance, weighting, part.names, votes.ks)
            for name, found in answers.items():
                votes.answers[name][:, slot] = found
            if close is not None:
                votes.is_doubtful |= close.any(axis=1)

    def _handed(self, part: RequestPart, asks: Asks, votes: Mapping[Weighting, Votes]) -> Iterator[Answered]:
        """The responses of every fit; those in doubt are left out."""
        able, is_sure = asks.able, np.empty(asks.able.size, bool)
        for weighting, found in votes.items():
            is_sure[asks.fits[weighting]] = ~found.is_doubtful[asks.places[weighting]]
        stacked = self._stacked(part, asks, votes)
        if not is_sure.all():
            able, stacked = able[is_sure], {name: values[is_sure] for name, values in stacked.items()}
        if able.size:
            yield Answered(part.number, [part.places[at] for at in able.tolist()], stacked)

    def _stacked(self, part: RequestPart, asks: Asks, votes: Mapping[Weighting, Votes]) -> dict[str, AnyArray]:
        """The responses of all fits, in their order."""
        (weighting, first), *others = votes.items()
        if not others and np.array_equal(asks.places[weighting], np.arange(first.ks.size)):
            return {name: np.ascontiguousarray(values) for name, values in first.answers.items()}  # may be large
        stacked = self._empty(part.request.responses, asks.able.size, part.request.rows.size)
        for weighting, found in votes.items():
            for name, values in stacked.items():
                values[asks.fits[weighting]] = found.answers[name][asks.places[weighting]]
        return stacked


_SCALES: WeakKeyDictionary[Dataset, dict[Hashable, Scale]] = WeakKeyDictionary()
_INDEXES: WeakKeyDictionary[Dataset, dict[tuple[bool, float, bool], Index]] = WeakKeyDictionary()
