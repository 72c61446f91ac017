"""All parameters of a learner that are tuned, and the candidates drawn from them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from inspect import signature
from typing import Any

from foldwise.errors import BadSpace, nearest
from foldwise.spaces.draw import MOST_CANDIDATES, Block, Candidate, count, distinct, draw_block, shares
from foldwise.spaces.parameter import Choice, Distribution, Parameter, as_parameter
from foldwise.spaces.value import describe, value_key

Direction = str | list[Any]
REPORT_ONLY_SET = {"catboost"}  # packages whose learners report a parameter only once it is set


@dataclass(frozen=True)
class Space:
    """The tuned parameters, in declared order; several blocks make a conditional space.

    >>> space = make_space({"alpha": [1, 2], "solver": ["svd"]})
    >>> space.grid()
    [{'alpha': 1, 'solver': 'svd'}, {'alpha': 2, 'solver': 'svd'}]
    """

    blocks: tuple[Block, ...]
    simpler: Mapping[str, Direction] = field(default_factory=dict, hash=False)

    def __repr__(self) -> str:
        blocks = (", ".join(f"{name}={parameter!r}" for name, parameter in block) for block in self.blocks)
        return f"Space({' | '.join(blocks)}: {self.size} candidates)"

    @property
    def names(self) -> tuple[str, ...]:
        """Every parameter's name as given, each once, in declared order."""
        return tuple(dict.fromkeys(name for block in self.blocks for name, _ in block))

    @property
    def size(self) -> float:
        """How many candidates the grid has; infinite when a distribution is to be drawn from."""
        sizes = [math.prod(parameter.size for _, parameter in block) for block in self.blocks]
        total = sum(sizes)
        if len(sizes) == 1 or total > MOST_CANDIDATES:
            return total
        return len(self.grid())  # blocks may share candidates

    def grid(self) -> list[Candidate]:
        """The full product, the last parameter fastest, one block after another, nothing twice."""
        points = sum(math.prod(len(parameter.grid()) for _, parameter in block) for block in self.blocks)
        if points > MOST_CANDIDATES:
            raise BadSpace(f"the grid has {points} candidates", "Give a budget, so that some of them are drawn")
        return distinct(candidate for block in self.blocks for candidate in _product(block))

    def draw(self, n: int, seed: int) -> list[Candidate]:
        """At most n distinct candidates, spread evenly over the space; more of them extend the list.

        >>> len(make_space({"alpha": as_parameter({"log_range": [0.1, 10]})}).draw(5, seed=0))
        5
        """
        if n >= self.size and all(isinstance(parameter, Choice) for block in self.blocks for _, parameter in block):
            return self.grid()
        parts = shares([count(block) for block in self.blocks], n)
        drawn = (draw_block(block, parts[i], [seed, i]) for i, block in enumerate(self.blocks))
        return distinct(itertools.chain.from_iterable(drawn))

    @property
    def is_drawn_from(self) -> bool:
        """Has it a distribution, so that candidates are drawn rather than listed?"""
        return any(isinstance(parameter, Distribution) for block in self.blocks for _, parameter in block)

    def whole_grid(self, budget: int | None = None) -> list[Candidate]:
        """The grid, which must be within the budget."""
        grid = self.grid()
        if budget is not None and len(grid) > budget:
            remedy = f"Raise the budget to {len(grid)}, or use tuner='random'"
            raise BadSpace(f"the grid has {len(grid)} candidates, but the budget is {budget}", remedy)
        return grid

    def resolve(self, estimator: Any) -> dict[str, str]:
        """The full double-underscore name of every given name in this estimator.

        >>> from sklearn.linear_model import Ridge
        >>> from sklearn.pipeline import make_pipeline
        >>> make_space({"alpha": [1.0]}).resolve(make_pipeline(Ridge()))
        {'alpha': 'ridge__alpha'}
        """
        parameters = known_parameters(estimator)
        full: dict[str, str] = {}
        for block in self.blocks:
            resolved = {name: full_name(name, parameters, block) for name, _ in block}
            for name, key in resolved.items():
                twin = next((other for other in resolved if other != name and resolved[other] == key), None)
                if twin is not None:
                    raise BadSpace(f"the parameters {name!r} and {twin!r} are both {key!r}", "Keep one of them")
            full.update(resolved)
        return full

    def only(self, blocks: Sequence[Block]) -> Space:
        """The same space with these blocks alone.

        >>> space = make_space([{"kernel": ["linear"]}, {"gamma": [0.1, 1]}])
        >>> space.only(space.blocks[1:])
        Space(gamma=[0.1, 1]: 2 candidates)
        """
        names = {name for block in blocks for name, _ in block}
        return Space(tuple(blocks), {name: way for name, way in self.simpler.items() if name in names})

    def simplicity_order(self, candidates: Sequence[Candidate]) -> list[int]:
        """The rank of each candidate, 0 the simplest, parameter by parameter in declared order.

        >>> space = make_space({"alpha": [1, 10, 5]}, simpler={"alpha": "high"})
        >>> space.simplicity_order(space.grid())
        [2, 0, 1]
        """
        shared = frozenset.intersection(*map(frozenset, candidates)) if candidates else frozenset()
        _refuse_incomparable(candidates, shared)
        # what all candidates have comes first: it says which of the rest they have
        names = sorted((name for name in self.names if _varies(name, candidates)), key=lambda name: name not in shared)
        for name in names:
            if name not in self.simpler:
                remedy = f"Declare it, for example simpler={{{name!r}: 'low'}}, or use rule='best'"
                raise BadSpace(f"the parameter {name!r} has no direction of simplicity", remedy)
        keys = [
            tuple(_complexity(name, c[name], self.simpler[name]) if name in c else _NONE for name in names)
            for c in candidates
        ]
        ranks = {key: rank for rank, key in enumerate(sorted(set(keys)))}
        return [ranks[key] for key in keys]

    def to_json(self) -> dict[str, Any]:
        """A description that is the same in every process; `space_from_json` reads it back."""
        blocks = [[[name, parameter.to_json()] for name, parameter in block] for block in self.blocks]
        return {"blocks": blocks, "simpler": {name: describe(way) for name, way in self.simpler.items()}}


def make_space(
    space: Space | Mapping[str, Any] | Sequence[Mapping[str, Any]] | None,
    parameters: Mapping[str, Any] | None = None,
    estimator: Any = None,
    *,
    simpler: Mapping[str, Direction] | None = None,
) -> Space:
    """A space from a dict, from a list of dicts (a conditional space), or from keywords.

    >>> make_space({"depth": [1, 2]}, {"leaf": [5]})
    Space(depth=[1, 2], leaf=[5]: 2 candidates)
    """
    if not isinstance(simpler, Mapping | None):
        raise BadSpace(f"simpler cannot be {simpler!r}", "Write the direction of each parameter: {'alpha': 'high'}")
    directions = dict(space.simpler) if isinstance(space, Space) else {}
    shared = dict(parameters or {})
    written = [{}] if space is None else _written_blocks(space)
    for name in shared:
        if any(name in block for block in written):
            raise BadSpace(f"the parameter {name!r} is given twice", "Keep it in the space or among the keywords")
    written = [{**block, **shared} for block in written]
    if not any(written):
        raise BadSpace("the space is empty", "Name at least one parameter with its values, such as alpha=[0.1, 1, 10]")
    blocks = tuple(tuple((name, _parameter(name, value)) for name, value in block.items()) for block in written)
    checked = Space(blocks, _checked_directions({**directions, **(simpler or {})}, blocks))
    if estimator is not None:
        checked.resolve(estimator)
    return checked


def space_from_json(written: Mapping[str, Any]) -> Space:
    """The space that `Space.to_json` described.

    >>> space = make_space({"depth": [1, None]})
    >>> space_from_json(space.to_json()) == space
    True
    """
    return make_space([dict(block) for block in written["blocks"]], simpler=written.get("simpler"))


def _written_blocks(space: Any) -> list[Mapping[str, Any]]:
    if isinstance(space, Space):
        return [dict(block) for block in space.blocks]
    blocks = [space] if isinstance(space, Mapping) else space
    if isinstance(blocks, (list, tuple)) and all(isinstance(block, Mapping) for block in blocks):
        return list(blocks)
    raise BadSpace(f"a space cannot be a {type(space).__name__}", "Give a dict of parameters, or a list of such dicts")


def _parameter(name: str, value: Any) -> Parameter:
    if not isinstance(name, str):
        raise BadSpace(f"the parameter name {name!r} is not text", "Write the name of a parameter")
    try:
        return as_parameter(value)
    except BadSpace as error:
        raise BadSpace(f"parameter {name!r}: {error.problem}", error.remedy) from None


def _checked_directions(simpler: dict[str, Direction], blocks: tuple[Block, ...]) -> dict[str, Direction]:
    names = {name for block in blocks for name, _ in block}
    for name, way in simpler.items():
        if name not in names:
            raise BadSpace(f"simpler names {name!r}, which is not tuned", nearest(name, names))
        if way not in ("low", "high") and not isinstance(way, (list, tuple)):
            remedy = "Write 'low', 'high', or the list of its values from simple to complex"
            raise BadSpace(f"the direction of {name!r} is {way!r}", remedy)
    return {name: way if isinstance(way, str) else list(way) for name, way in simpler.items()}


def _product(block: Block) -> Iterator[Candidate]:
    names = [name for name, _ in block]
    for values in itertools.product(*(parameter.grid() for _, parameter in block)):
        yield dict(zip(names, values, strict=True))


def _varies(name: str, candidates: Sequence[Candidate]) -> bool:
    return len({value_key(candidate[name]) for candidate in candidates if name in candidate}) > 1


_NONE = (-1, 0.0)  # the place of a parameter that a candidate does not have


def _refuse_incomparable(candidates: Sequence[Candidate], shared: frozenset[str]) -> None:
    """Candidates with different parameters are ordered only by those that all of them have."""
    names_of: dict[Any, frozenset[str]] = {}
    for candidate in candidates:
        key = tuple(value_key(candidate[name]) for name in sorted(shared))
        if names_of.setdefault(key, frozenset(candidate)) != frozenset(candidate):
            raise BadSpace("candidates with different parameters have no order of simplicity", "Use rule='best'")


def _complexity(name: str, value: Any, way: Direction) -> tuple[int, float]:
    """A key that grows with complexity; None stands for no limit, the most complex."""
    if isinstance(way, list):
        places = [value_key(each) for each in way]
        if value_key(value) not in places:
            raise BadSpace(f"the order of {name!r} leaves out {value!r}", "List all its values, the simplest first")
        return 0, places.index(value_key(value))
    if value is None:
        return 1, 0.0
    if not isinstance(value, (int, float)):
        remedy = "List its values instead, the simplest first"
        raise BadSpace(f"the direction {way!r} of {name!r} does not order the value {value!r}", remedy)
    return 0, float(value) if way == "low" else -float(value)


def known_parameters(estimator: Any) -> dict[str, Any]:
    """All parameters of an estimator and of its parts, also those that it does not report, which are None.

    >>> from sklearn.linear_model import Ridge
    >>> known_parameters(Ridge()) == Ridge().get_params()
    True
    """
    reported: dict[str, Any] = estimator.get_params(deep=True)
    unset: dict[str, Any] = {}
    for prefix, part in {"": estimator, **reported}.items():
        if {base.__module__.partition(".")[0] for base in type(part).__mro__} & REPORT_ONLY_SET:
            unset |= {f"{prefix}__{name}".removeprefix("__"): None for name in signature(type(part)).parameters}
    return unset | reported


def full_name(name: str, known: Mapping[str, Any], block: Block) -> str:
    """The name with double underscores, among an estimator's own parameters or those of a step the block chooses."""
    if name in known or _is_within_choice(name, known, block):
        return name
    matches = [key for key in known if key.endswith(f"__{name}")]
    if len(matches) == 1:
        return matches[0]
    if matches:
        raise BadSpace(f"the parameter {name!r} could be {' or '.join(sorted(matches))}", "Write one of them in full")
    hints = [nearest(name, known)]
    if "__" not in name:  # parameters of the learner itself, not of what is around it
        hints = [nearest(name, names) for names in (own_names(known), {_leaf(key) for key in known})]
    raise BadSpace(
        f"the learner has no parameter {name!r}", next((hint for hint in hints if hint.startswith("Did")), hints[0])
    )


def _is_within_choice(name: str, known: Mapping[str, Any], block: Block) -> bool:
    """Does the name belong to an estimator that the same block chooses (`clf__C` beside `clf=[SVC()]`)?"""
    for step, parameter in block:
        if name.startswith(f"{step}__") and step in known and isinstance(parameter, Choice):
            rest = name[len(step) + 2 :]
            return all(hasattr(v, "get_params") and rest in known_parameters(v) for v in parameter.values)
    return False


def own_names(known: Mapping[str, Any]) -> set[str]:
    """Parameters of the learner at the end; pipelines hold the steps before it too, and have some of their own."""
    parts = [key for key, part in known.items() if hasattr(part, "fit") and _leaf(key) != "transformer"]
    if not parts:
        return {_leaf(key) for key in known}
    ends = ["learner"] if "learner" in parts else [key for key in parts if hasattr(known[key], "predict")]
    inner = [
        f"{key}__"
        for key in parts
        if key.startswith(tuple(ends)) and not any(other.startswith(f"{key}__") for other in parts)
    ]
    return {_leaf(key) for key in known if key.startswith(tuple(inner))}


def _leaf(key: str) -> str:
    return key.rpartition("__")[2]
