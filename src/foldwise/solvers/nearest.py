"""k-nearest neighbours: one search answers every k, both weightings and every training set."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import Any, Literal
from weakref import WeakKeyDictionary

import numpy as np

from foldwise.arrays import AnyArray, FloatArray, IntArray
from foldwise.data.dataset import Dataset
from foldwise.learners.estimators.distances import before_ties, distances, in_order, power
from foldwise.solvers.nearest_lists import Index, Lists, first_kept, list_length
from foldwise.solvers.nearest_training_sets import Asks, Scale, Search, Ties, TrainingSet, Votes
from foldwise.solvers.nearest_votes import Weighting, make_target, running_answers
from foldwise.solvers.scaling import Scaling, known_numbers, known_scaling, numbers, scale_columns, scaled
from foldwise.solvers.solver import Answered, FitRequest, RequestPart, any_of, grouped_parts, has_repeats, rows_digest

ALGORITHMS = ("auto", "brute", "kd_tree", "ball_tree")
BLOCK = 2_000_000  # neighbours listed at a time
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

        self.X, self.data = known_numbers(data), data
        self.scaling, self.final = known_scaling(estimator)
        self.p = power(self.final) or 2.0
        self.is_by_row = isinstance(self.final, RowOrder)  # are ties broken by the order of rows?
        self.target = make_target(data)
        self.ties = None if self.is_by_row else Ties(self.final, self.scaling, self.X, self.p, self.target)
        self._wanted: dict[int, tuple[IntArray, list[Weighting]]] = {}  # by estimators: k and weighting of each
        self._asks: dict[Hashable, Asks] = {}

    def solve(self, parts: Sequence[RequestPart]) -> Iterator[Answered]:
        """Answers training set by training set; fits that ask for more neighbours than there are rows are left out."""
        able = [part for part in parts if part.request.rows.size and self._asks_of(part).able.size]
        if not able:
            return
        asked = any_of([part.request.rows for part in able])
        spread = scale_columns(self.X, np.arange(self.data.rows), self.scaling)[1]
        scales = [self._scale(part.request.train) for part in able]
        longer = self._longer(scales, spread)
        search = Search(self._index(spread), spread, max(longer))
        lengths = list(map(self._length, able, longer))
        step = max(BLOCK // min(max(lengths), self.data.rows), 1)
        if asked.size <= step:
            lists = search.index.of(asked, min(max(lengths), self.data.rows), is_kept=True)
            for training_set in map(self._training_set, able, scales, longer):
                self._answer_block(training_set, asked, lists, search)
                yield from self._handed(training_set)
            return
        for some in self._portions(able):
            training_sets = list(map(self._training_set, able[some], scales[some], longer[some]))
            yield from self._solve_by_blocks(training_sets, max(step // 2, 1), search, max(lengths[some]))

    def _solve_by_blocks(
        self, training_sets: list[TrainingSet], step: int, search: Search, length: int
    ) -> Iterator[Answered]:
        """The same with lists of some rows at a time; all these training sets are answered at the end."""
        asked = any_of([training_set.rows for training_set in training_sets])
        for start in range(0, asked.size, step):
            block = asked[start : start + step]
            lists = search.index.of(block, min(length, self.data.rows), is_kept=False)
            for training_set in training_sets:
                self._answer_block(training_set, block, lists, search)
        for training_set in training_sets:
            yield from self._handed(training_set)
            training_set.votes.clear()

    def _asks_of(self, part: RequestPart) -> Asks:
        estimators, size = part.request.estimators, part.request.train.size
        if id(estimators) not in self._wanted:
            finals = [known_scaling(estimator)[1] for estimator in estimators]
            ks_of_all = np.array([int(final.n_neighbors) for final in finals])
            self._wanted[id(estimators)] = ks_of_all, [final.weights for final in finals]
        wanted, weightings = self._wanted[id(estimators)]
        name = id(estimators), min(size, int(wanted.max()))
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
        votes = {
            weighting: Votes(ks, self._empty(request, ks.size), np.zeros(ks.size, bool))
            for weighting, ks in asks.ks.items()
        }
        return TrainingSet(part, asks, votes, is_kept, self._width(part), longer, *scale)

    def _width(self, part: RequestPart) -> int:
        most = max(int(ks[-1]) for ks in self._asks_of(part).ks.values())
        return min(most + (not self.is_by_row), part.request.train.size)

    def _length(self, part: RequestPart, longer: float) -> int:
        return list_length(int(np.ceil(self._width(part) * longer)), 1.0 - part.request.train.size / self.data.rows)

    def _longer(self, scales: Sequence[Scale], spread: FloatArray) -> list[float]:
        """How much longer lists are made, so that they hold the nearest rows also as each part scales them."""
        if not self.scaling.spreads:
            return [1.0] * len(scales)
        uneven = np.ptp(np.log(spread / np.array([own for _, own in scales])), axis=1)
        longer: list[float] = (np.exp(np.minimum(uneven * self.X.shape[1], np.log(WIDEST))) + 0.1).tolist()
        return longer

    def _scale(self, train: IntArray) -> Scale:
        """Shift and spread of every column, found once for all powers of the distance."""
        if self.scaling == Scaling():
            return np.zeros(self.X.shape[1]), np.ones(self.X.shape[1])
        scales = _SCALES.setdefault(self.data, {})
        name = (self.scaling, rows_digest(train))
        if name not in scales:
            if len(scales) * self.X.shape[1] > MOST_SCALES:
                scales.clear()
            scales[name] = scale_columns(self.X, train, self.scaling)
        return scales[name]

    def _index(self, spread: FloatArray) -> Index:
        """Made once for a table, whatever is asked of it later."""
        indexes = _INDEXES.setdefault(self.data, {})
        name = (self.scaling.spreads, self.p, self.is_by_row)
        if name not in indexes:
            X = self.X / spread if self.scaling.spreads else self.X
            indexes[name] = Index(X, self.p, is_by_row=self.is_by_row)
        return indexes[name]

    def _empty(self, request: FitRequest, ks: int) -> dict[str, AnyArray]:
        """Room for the answers to so many k."""
        shape, empty = (ks, request.rows.size), dict[str, AnyArray]()
        if "predict" in request.responses:
            empty["predict"] = np.empty(shape, np.int64 if self.target.is_classes else np.float64)
        if "predict_proba" in request.responses:
            empty["predict_proba"] = np.empty((*shape, self.target.order.size))
        return empty

    def _portions(self, parts: list[RequestPart]) -> Iterator[slice]:
        """Training sets whose answers are held together, about as many numbers in each portion."""
        each = {"predict": 1, "predict_proba": self.target.order.size}
        sizes = [
            sum(ks.size for ks in self._asks_of(part).ks.values())
            * part.request.rows.size
            * sum(each[name] for name in part.request.responses)
            for part in parts
        ]
        share, start, held = sum(sizes) / np.ceil(sum(sizes) / ANSWERS), 0, 0
        for end, size in enumerate(sizes, 1):
            held += size
            if held >= share or end == len(parts):
                yield slice(start, end)
                start, held = end, 0

    def _answer_block(self, training_set: TrainingSet, block: IntArray, lists: Lists, search: Search) -> None:
        """What the nearest rows answer, under every weighting, for the rows that are in a block of rows."""
        low, high = np.searchsorted(training_set.rows, (block[0], block[-1] + 1))
        if low >= high:
            return
        slot, rows = slice(low, high), training_set.rows[low:high]
        nearest = self._nearest(training_set, rows, lists.at(np.searchsorted(block, rows)), search)
        across, distance = np.ascontiguousarray(nearest.near.T), np.ascontiguousarray(nearest.distance.T)
        for weighting, votes in training_set.votes.items():
            answers, close = running_answers(
                self.target, across, distance, weighting, training_set.part.request.responses, votes.ks
            )
            for name, values in answers.items():
                votes.answers[name][:, slot] = values
            if close is not None:
                votes.is_doubtful |= close.any(axis=1)
        if self.ties is not None:
            self.ties.settle(training_set, slot, rows, nearest, is_sure=search.index.is_tree)

    def _nearest(self, training_set: TrainingSet, rows: IntArray, lists: Lists, search: Search) -> Lists:
        """The nearest training rows of these rows: from the lists, or from longer ones where they run short."""
        if has_repeats(training_set.train):
            return self._searched(training_set, rows)
        nearest, is_short = self._listed(training_set, rows, lists, search.spread, training_set.longer)
        short = np.flatnonzero(is_short)
        if short.size and training_set.longer < search.longest:  # what is listed may be enough, if more is looked at
            again, is_short = self._listed(training_set, rows[short], lists.at(short), search.spread, search.longest)
            nearest.near[short], nearest.distance[short] = again.near, again.distance
            short = short[is_short]
        if short.size:
            again = self._from_longer(training_set, rows[short], 4 * lists.near.shape[1], search)
            nearest.near[short], nearest.distance[short] = again.near, again.distance
        return nearest

    def _from_longer(self, training_set: TrainingSet, rows: IntArray, length: int, search: Search) -> Lists:
        """The same from lists of this length, if that is worth while."""
        if length >= min(len(search.index.X), 4 * LONGEST):
            return self._searched(training_set, rows)
        lists = search.index.search(search.index.X[rows], length)
        nearest, is_short = self._listed(training_set, rows, lists, search.spread, search.longest)
        short = np.flatnonzero(is_short)
        if short.size:
            again = self._from_longer(training_set, rows[short], 4 * length, search)
            nearest.near[short], nearest.distance[short] = again.near, again.distance
        return nearest

    def _listed(
        self, training_set: TrainingSet, rows: IntArray, lists: Lists, spread: FloatArray, longer: float
    ) -> tuple[Lists, Any]:
        """The nearest training rows as the lists have them, by distances as scaled here; and where lists run short."""
        width, size = training_set.width, training_set.train.size
        if not self.scaling.spreads:
            return first_kept(lists, training_set.is_kept, width)
        most = min(int(np.ceil(width * longer)), size, lists.near.shape[1])
        listed, is_short = first_kept(lists, training_set.is_kept, most)
        reach = listed.reach if most < size else np.full(rows.size, np.inf)
        reach = before_ties(reach, self.X.shape[1]) if self.is_by_row else reach
        table = training_set.table(self.X)
        distance, near = in_order(distances(table[rows], table, listed.near, self.p), listed.near)
        nearest = Lists(near[:, :width], distance[:, :width], reach * (spread / training_set.spread).min())
        return nearest, is_short | (nearest.distance[:, -1] > nearest.reach)

    def _searched(self, training_set: TrainingSet, rows: IntArray) -> Lists:
        """The nearest of the training rows, by a search among these alone."""
        train, width = training_set.train, training_set.width
        table, asked = training_set.table(self.X[train]), training_set.table(self.X[rows])
        if self.is_by_row:
            from foldwise.learners.estimators.nearest import NearestRegressor

            model = NearestRegressor(p=self.p).fit(table, np.zeros(train.size))
            distance, near = model.kneighbors(asked, width)
            return Lists(train[near], distance, distance[:, -1])
        lists = Index(table, self.p).search(asked, width)
        return Lists(train[lists.near], lists.distance, lists.reach)

    def _handed(self, training_set: TrainingSet) -> Iterator[Answered]:
        """The responses of every fit; those in doubt are left out."""
        part, asks = training_set.part, training_set.asks
        able, is_sure = asks.able, np.empty(asks.able.size, bool)
        for weighting, votes in training_set.votes.items():
            is_sure[asks.fits[weighting]] = ~votes.is_doubtful[asks.places[weighting]]
        (weighting, votes), *others = training_set.votes.items()
        if not others and np.array_equal(asks.places[weighting], np.arange(votes.ks.size)):
            stacked = {name: np.ascontiguousarray(values) for name, values in votes.answers.items()}  # may be large
        else:
            stacked = self._empty(part.request, able.size)
            for weighting, votes in training_set.votes.items():
                for name, values in stacked.items():
                    values[asks.fits[weighting]] = votes.answers[name][asks.places[weighting]]
        if not is_sure.all():
            able, stacked = able[is_sure], {name: values[is_sure] for name, values in stacked.items()}
        if able.size:
            yield Answered(part.number, [part.places[at] for at in able.tolist()], stacked)


_SCALES: WeakKeyDictionary[Dataset, dict[Hashable, Scale]] = WeakKeyDictionary()
_INDEXES: WeakKeyDictionary[Dataset, dict[tuple[bool, float, bool], Index]] = WeakKeyDictionary()
