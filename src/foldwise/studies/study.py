"""A study in plain values, without its learners: what is stored, and what readers read."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple

from foldwise.arrays import AnyArray, FloatArray, IntArray
from foldwise.losses.loss import Loss
from foldwise.splits.nesting import Inner
from foldwise.splits.split import Split, Splits, union
from foldwise.stats.interval_method import IntervalMethod
from foldwise.studies.finding import Finding
from foldwise.studies.proposals import Proposals
from foldwise.tuners.tuner import Tuner
from foldwise.tuners.untuned import Untuned

Candidate = dict[str, Any]
Note = tuple[str, str]
UNTUNED, NO_PROPOSALS = Untuned(), Proposals()


@dataclass(frozen=True, eq=False)
class Method:
    """One named method: its candidates, how it is tuned, and the responses of its models.

    A method without inner splits is not tuned: every candidate is judged on the outer splits. That is one candidate,
    or all of a validation curve. The candidates of a search are those proposed so far; with more of them it is another
    method.
    """

    name: str
    candidates: Sequence[Candidate]
    identities: Sequence[str]  # of the learner at each candidate
    code: dict[str, str]  # class or function -> hash of the user's own code
    responses: Sequence[tuple[str, ...]]  # of the models of each candidate
    inner: Inner | None = None
    rule: str = "best"
    ranks: Sequence[int] | None = None  # simplicity of each candidate, 0 = simplest
    notes: tuple[Note, ...] = ()
    tuner: Tuner = UNTUNED
    proposals: Proposals = NO_PROPOSALS  # of a search, so far
    proposals_name: str = ""  # of their document in the store
    levels: int = 0  # times the candidates are repeated, with less of a learner's own resource each time
    members: tuple[tuple[str, str], ...] = ()  # of a blend: each member's name, and its method
    member_response: str = ""  # the response that a blend takes from it
    is_hidden: bool = False  # is it in the study only for the sake of others, and no row of the answer?
    defaults_of: str = ""  # the tuned method whose learner this is, at its own default parameters
    packages: dict[str, str] = field(default_factory=dict)  # that it comes from, with their versions

    @property
    def listed(self) -> int:
        """Candidates that can be chosen; the others have less of a resource."""
        return len(self.candidates) // (self.levels + 1)

    def response_for(self, loss: Loss, candidate: int = 0) -> str:
        """The response by which this loss judges a candidate; a candidate without one fails in its fit."""
        return next((need for need in loss.needs if need in self.responses[candidate]), loss.needs[0])


class Stage(NamedTuple):
    """An outer split on which a method is judged, and the inner splits of its training rows."""

    at: int
    split: Split
    inner: Splits | None

    @property
    def name(self) -> str:
        """The name of its tuning."""
        return f"outer {self.at}"


@dataclass(frozen=True, eq=False)
class Study:
    """A study: the whole question in plain values."""

    fingerprint: str
    task: str
    classes: tuple[Any, ...]
    target: AnyArray  # values, or class codes
    weights: FloatArray | None
    losses: tuple[Loss, ...]
    outer: Splits
    methods: tuple[Method, ...]
    seed: int
    repeats: int = 1
    threads: int = 1
    level: float = 0.95
    has_optimism: bool = False
    wants_importance: bool = False  # of the columns, for the method that is picked
    has_final: bool = True  # is the learner tuned on all rows too?
    on_failure: str = "fail"
    notes: tuple[Note, ...] = ()
    groups: AnyArray | None = None  # of each row
    time: AnyArray | None = None  # of each row
    keeps_all: bool = False  # do tuning fits keep all responses, so that a store can answer later questions?
    interval: IntervalMethod | None = None  # that is asked for
    wants_training_risk: bool = False  # even where it costs more than the rest of the study
    findings: tuple[Finding, ...] = ()  # of the checks, before the fits
    silence: tuple[str, ...] | None = ()  # codes of checks that say nothing; None: no checks at all
    _names: dict[int, tuple[Any, str]] = field(default_factory=dict, repr=False)
    _keys: dict[tuple[str, str], tuple[str, ...]] = field(default_factory=dict, repr=False)
    _tuning_rows: dict[str, dict[str, tuple[Split, IntArray]]] = field(default_factory=dict, repr=False)

    @property
    def rows(self) -> int:
        return len(self.target)

    @property
    def packages(self) -> dict[str, str]:
        """Versions of the packages that its learners come from."""
        versions = {name: number for method in self.methods for name, number in method.packages.items()}
        return dict(sorted(versions.items()))

    @property
    def shown(self) -> tuple[Method, ...]:
        """The methods that are rows of the answer."""
        return tuple(method for method in self.methods if not method.is_hidden)

    @property
    def has_training_risk(self) -> bool:
        """Do outer fits predict their training rows? Yes, unless that costs more than the rest of the study."""
        return self.wants_training_risk or len(self.outer) <= 50 * self.repeats

    def stages(self, method: Method) -> list[Stage]:
        """Every outer split, with the inner splits the method is tuned on there."""
        inner = method.inner.splits if method.inner else [None] * len(self.outer)
        return [Stage(at, *pair) for at, pair in enumerate(zip(self.outer, inner, strict=True))]

    def tunings(self, method: Method) -> list[Splits]:
        """The inner splits of every tuning of a method: one for each split it is judged on, and the final one."""
        if method.inner is None:
            return []
        final = [method.inner.final] if self.has_final and method.inner.final is not None else []
        return [*(stage.inner for stage in self.stages(method) if stage.inner is not None), *final]

    def named_tunings(self, method: Method) -> dict[str, Splits]:
        """The same by name: `outer 0`, `outer 1`, `final`."""
        names = [stage.name for stage in self.stages(method) if stage.inner is not None]
        return dict(zip([*names, "final"], self.tunings(method), strict=False))

    def tuning_splits(self, method: Method) -> list[Split]:
        """Every split on which all candidates are scored."""
        if method.inner is None:
            return []
        splits = [split for stage in self.stages(method) for split in stage.inner or ()]
        splits += list(method.inner.final or ()) if self.has_final else []
        return splits + (list(self.outer) if self.has_optimism else [])

    def tuning_rows(self, method: Method) -> dict[str, tuple[Split, IntArray]]:
        """Training sets on which every candidate is fitted, by name, with all the rows they are scored on."""
        sets = self._tuning_rows.get(method.name)
        if sets is None:
            sets = self._tuning_rows[method.name] = {}
            for split in self.tuning_splits(method):
                name = self.rows_name(split)
                first, rows = sets.get(name, (split, None))
                sets[name] = (first, split.test if rows is None else union(rows, split.test))
        return sets

    def kept(self, method: Method, candidate: int) -> tuple[str, ...]:
        """Responses the outer fits keep: those of every loss, and what later questions may need."""
        wanted = {method.response_for(loss, candidate): None for loss in self.losses}
        extra = {name: None for name in ("predict", "predict_proba") if name in method.responses[candidate]}
        return tuple(wanted | extra | ({method.member_response: None} if method.member_response else {}))

    def selecting(self, method: Method, candidate: int) -> tuple[str, ...]:
        """Responses that tuning needs: that of the first loss; all of them where a store keeps them."""
        return self.kept(method, candidate) if self.keeps_all else self.judging(method, candidate)

    def judging(self, method: Method, candidate: int) -> tuple[str, ...]:
        """The response that the first loss needs, and the one that a blend takes."""
        response = method.response_for(self.losses[0], candidate)
        return (response,) if method.member_response in ("", response) else (response, method.member_response)

    def rows_name(self, split: Split) -> str:
        """A name for the training rows of a split, the same wherever these rows are trained on."""
        named = self._names.get(id(split))
        if named is None:
            named = self._names[id(split)] = (split, rows_name(split.train))  # holds the split: its id is not reused
        return named[1]

    def key(self, method: Method, candidate: int, split: Split) -> str:
        """The name of a fit: data, learner at its candidate, training rows, weights, seed and threads."""
        return self.keys(method, self.rows_name(split))[candidate]

    def keys(self, method: Method, rows: str) -> tuple[str, ...]:
        """The names of the fits of all candidates on the training rows of this name."""
        keys = self._keys.get((method.name, rows), ())
        if len(keys) < len(method.identities):
            name, prefix = rows.encode(), self.prefix
            hashes = [_begun(prefix, identity).copy() for identity in method.identities[len(keys) :]]
            for begun in hashes:
                begun.update(name)
            keys = self._keys[method.name, rows] = (*keys, *[begun.hexdigest() for begun in hashes])
        return keys

    def fit_key(self, identity: str, rows: str) -> str:
        return _digest(self.prefix, identity, rows)

    def fit_seed(self, family: str, rows: str) -> int:
        """A seed from the study's seed, the learner without its candidate, and the training rows."""
        return int(_digest(str(self.seed), family, rows)[:8], 16) % (2**31 - 1)

    @property
    def prefix(self) -> str:
        """The part of a fit's name that all fits of a study share."""
        named = self._names.get(0)
        if named is None:
            weights = "" if self.weights is None else hashlib.blake2b(self.weights.tobytes()).hexdigest()
            texts = (self.fingerprint, self.task, repr(self.classes), weights, str(self.seed), str(self.threads))
            named = self._names[0] = (None, _digest(*texts))
        return named[1]


def rows_name(rows: IntArray) -> str:
    return hashlib.blake2b(rows.astype("<i8").tobytes(), digest_size=16).hexdigest()


@lru_cache(maxsize=4096)
def _begun(prefix: str, identity: str) -> Any:
    """The hash of all fits of a learner at one candidate, up to the training rows (see `Study.fit_key`)."""
    return hashlib.blake2b(f"{prefix}|{identity}|".encode(), digest_size=16)


def _digest(*texts: str) -> str:
    return hashlib.blake2b("|".join(texts).encode(), digest_size=16).hexdigest()
