"""A study as a document in the store, so that a result can be reopened without its learners."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np

from foldwise.arrays import AnyArray, IntArray
from foldwise.errors import BadStore
from foldwise.losses.loss import make_losses
from foldwise.records.encoding import pack, read_json, unpack
from foldwise.records.store import Store
from foldwise.splits.nesting import Inner
from foldwise.splits.split import Split, Splits
from foldwise.stats.chooser import built_in, is_built_in
from foldwise.stats.interval_method import IntervalMethod
from foldwise.studies.finding import finding_from
from foldwise.studies.plain import plain_candidate
from foldwise.studies.proposals import limits_from, limits_to_json
from foldwise.studies.study import Method, Study
from foldwise.tuners.registry import stored_tuner
from foldwise.tuners.tuner import Tuner

NAME = "outline"  # as the first release called it


def write_study(study: Study, store: Store, *, origin: Mapping[str, Any] | None = None) -> None:
    """Store the study, and the study file or command line it came from, if any."""
    # the origin first: with it alone a study that was killed right here can be resumed
    store.write_document("origin", json.dumps(origin, sort_keys=True).encode())
    store.write_document(NAME, study_bytes(study))


def read_origin(store: Store) -> dict[str, Any] | None:
    """The study as its file or command line gave it, if it was started there."""
    content = store.document("origin")
    origin: dict[str, Any] | None = read_json(content, "origin") if content else None
    return origin


def read_study(store: Store, *, loss: Any = None, tuner: Tuner | None = None) -> Study:
    """The latest study in a store; a loss that was a function, or a tuner of the user's own, must be given again."""
    content = store.document(NAME)
    if content is None:
        raise BadStore("the store has no study", "Run one with store= first")
    return study_from(content, loss=loss, tuner=tuner)


def stored_losses(store: Store) -> list[str]:
    """The names of the losses that the latest study of a store was run with."""
    content = store.document(NAME)
    return [] if content is None else [str(name) for name in unpack(content)[0].get("loss_names", ())]


def study_bytes(study: Study) -> bytes:
    arrays: dict[str, AnyArray] = {"target": study.target}
    if study.weights is not None:
        arrays["weights"] = study.weights
    if study.groups is not None:
        arrays["groups"] = study.groups
    if study.time is not None:
        arrays["time"] = study.time
    everything = np.arange(study.rows)
    schemes: list[Inner] = []
    for method in study.methods:
        if method.inner is not None and all(method.inner is not known for known in schemes):
            schemes.append(method.inner)
    head = {
        "fingerprint": study.fingerprint,
        "task": study.task,
        "classes": [label.item() if isinstance(label, np.generic) else label for label in study.classes],
        "losses": [loss.spec for loss in study.losses],
        "loss_names": [loss.name for loss in study.losses],
        "seed": study.seed,
        "repeats": study.repeats,
        "threads": study.threads,
        "level": study.level,
        "has_optimism": study.has_optimism,
        "has_final": study.has_final,
        "on_failure": study.on_failure,
        "notes": [list(note) for note in study.notes],
        "interval": study.interval.name if study.interval is not None and is_built_in(study.interval) else None,
        "keeps_all": study.keeps_all,
        "wants_importance": study.wants_importance,
        "wants_training_risk": study.wants_training_risk,
        "outer": _pack_splits("outer", study.outer, everything, arrays),
        "inner": [_pack_inner(f"inner{at}", inner, study, arrays) for at, inner in enumerate(schemes)],
        "findings": [finding.to_dict() for finding in study.findings],
        "silence": None if study.silence is None else list(study.silence),
        "methods": [_pack_method(method, schemes, study, arrays) for method in study.methods],
    }
    if study.interval is not None and not is_built_in(study.interval):
        head["own_interval"] = study.interval.name  # its code is the user's, and stays theirs
    return pack(head, arrays)


def study_from(content: bytes, *, loss: Any = None, tuner: Tuner | None = None) -> Study:
    """The study in a store; a store from a stranger may hold anything."""
    try:
        return _study_from(content, loss, tuner)
    except (KeyError, IndexError, TypeError, AttributeError) as reason:
        raise BadStore(f"the study in the store cannot be read: {reason!r}", "Start a new store") from reason


def _study_from(content: bytes, loss: Any, tuner: Tuner | None) -> Study:
    head, arrays = unpack(content)
    target, weights = arrays["target"], arrays.get("weights")
    classes = tuple(head["classes"])
    everything = np.arange(len(target))
    outer = _unpack_splits("outer", head["outer"], everything, arrays)
    schemes = [_unpack_inner(f"inner{at}", inner, outer, everything, arrays) for at, inner in enumerate(head["inner"])]
    facts = SimpleNamespace(task=head["task"], classes=classes, target=target, codes=target, weights=weights)
    facts.rows, facts.y = len(target), target
    if head["task"] != "regression":
        facts.y = np.array(classes, dtype=object)[target]
    spec = head["losses"] if loss is None else loss
    if spec is None or any(part is None for part in (spec if isinstance(spec, list) else [spec])):
        raise BadStore(
            f"the losses of this study ({', '.join(head['loss_names'])}) are not all known by name",
            "Give them again: fw.load(RUN, loss=...)",
        )
    return Study(
        fingerprint=head["fingerprint"],
        task=head["task"],
        classes=classes,
        target=target,
        weights=weights,
        losses=make_losses(spec, facts),
        outer=outer,
        methods=tuple(_unpack_method(method, schemes, arrays, tuner) for method in head["methods"]),
        seed=head["seed"],
        repeats=head["repeats"],
        threads=head["threads"],
        level=head["level"],
        has_optimism=head["has_optimism"],
        has_final=head["has_final"],
        on_failure=head["on_failure"],
        notes=(*((code, text) for code, text in head["notes"]), *_interval_notes(head.get("own_interval"))),
        groups=arrays.get("groups"),
        time=arrays.get("time"),
        interval=None if head["interval"] is None else _interval(head["interval"]),
        keeps_all=head["keeps_all"],
        wants_importance=head.get("wants_importance", False),
        wants_training_risk=head.get("wants_training_risk", False),
        findings=tuple(map(finding_from, head.get("findings", ()))),
        silence=_silence(head.get("silence", ())),
    )


def _silence(codes: Any) -> tuple[str, ...] | None:
    return None if codes is None else tuple(str(code) for code in codes)


def _interval(name: str) -> IntervalMethod:
    """A built-in one: a name that comes from a store never loads a plug-in."""
    if (row := built_in(name)) is None:
        raise BadStore(f"the study in the store asks for an interval {name!r}, which there is not", "Start a new store")
    return row


def _interval_notes(own: str | None) -> list[tuple[str, str]]:
    if own is None:
        return []
    remedy = "the default is shown instead; give it again with fw.load(RUN, interval=...)"
    return [("interval", f"the interval {own!r} was the user's own, which is not stored: {remedy}")]


def _pack_method(method: Method, schemes: list[Inner], study: Study, arrays: dict[str, AnyArray]) -> dict[str, Any]:
    at = next((at for at, inner in enumerate(schemes) if inner is method.inner), None)
    listed = method if method.tuner.is_listed else replace(method, candidates=(), identities=(), responses=())
    return {
        "name": method.name,
        "candidates": [plain_candidate(candidate) for candidate in listed.candidates],
        "settings": list(listed.identities),
        "code": method.code,
        "offers": [list(names) for names in listed.responses],
        "inner": at,
        "rule": method.rule,
        "ranks": None if method.ranks is None else list(method.ranks)[: len(listed.candidates)],
        "notes": [list(note) for note in method.notes],
        "tuner": str(method.tuner),
        "rungs": method.levels,
        "combines": method.combines,
        "parts": [list(member) for member in method.members],
        "feeds": method.member_response,
        "is_hidden": method.is_hidden,
        "packages": method.packages,
        "defaults_of": method.defaults_of,
        "search": None if method.tuner.is_listed else limits_to_json(method.tuner.limits, method.proposals_name),
    }


def _unpack_method(
    head: dict[str, Any],
    schemes: list[Inner],
    arrays: dict[str, AnyArray],
    own_tuner: Tuner | None,
) -> Method:
    limits, proposals_name = (None, "") if head.get("search") is None else limits_from(head["search"])
    return Method(
        name=head["name"],
        candidates=tuple(head["candidates"]),
        identities=tuple(head["settings"]),
        code=head["code"],
        responses=tuple(tuple(names) for names in head["offers"]),
        inner=None if head["inner"] is None else schemes[head["inner"]],
        rule=head["rule"],
        ranks=None if head["ranks"] is None else tuple(head["ranks"]),
        notes=tuple((code, text) for code, text in head["notes"]),
        tuner=stored_tuner(_tuner_text(head), limits, own_tuner),
        proposals_name=proposals_name,
        levels=head.get("rungs", 0),
        combines=head.get("combines", ""),
        members=tuple((str(member), str(name)) for member, name in head.get("parts", ())),
        member_response=head.get("feeds", ""),
        is_hidden=head.get("is_hidden", False),
        packages=head.get("packages", {}),
        defaults_of=head.get("defaults_of", ""),
    )


def _tuner_text(head: dict[str, Any]) -> str:
    """The name of a tuner; stores of version 0.1 say in another field whether there is tuning at all."""
    if head.get("kind") in ("plain", "swept"):
        return "untuned"
    return str(head.get("tuner", "pruned" if head.get("is_pruned") else "grid"))


def _pack_inner(name: str, inner: Inner, study: Study, arrays: dict[str, AnyArray]) -> dict[str, Any]:
    splits = [
        _pack_splits(f"{name}.{at}", splits, outer.train, arrays)
        for at, (outer, splits) in enumerate(zip(study.outer, inner.splits, strict=True))
    ]
    everything = np.arange(study.rows)
    final = None if inner.final is None else _pack_splits(f"{name}.final", inner.final, everything, arrays)
    return {"scheme": inner.scheme, "splits": splits, "final": final}


def _unpack_inner(
    name: str, head: dict[str, Any], outer: Splits, everything: IntArray, arrays: dict[str, AnyArray]
) -> Inner:
    splits = tuple(
        _unpack_splits(f"{name}.{at}", part, split.train, arrays)
        for at, (split, part) in enumerate(zip(outer, head["splits"], strict=True))
    )
    final = None if head["final"] is None else _unpack_splits(f"{name}.final", head["final"], everything, arrays)
    return Inner(splits, final, head["scheme"])


def _pack_splits(name: str, splits: Splits, rows: IntArray, arrays: dict[str, AnyArray]) -> dict[str, Any]:
    """Test rows, concatenated; training rows only where they are not simply the rest of `rows`."""
    rest = [np.array_equal(split.train, np.setdiff1d(rows, split.test, assume_unique=False)) for split in splits]
    arrays[f"{name}.test"] = _joined([split.test for split in splits])
    arrays[f"{name}.train"] = _joined([split.train for split, is_rest in zip(splits, rest, strict=True) if not is_rest])
    return {
        "scheme": splits.scheme,
        "kind": splits.kind,
        "is_partition": splits.is_partition,
        "splits": [
            [split.repeat, split.fold, len(split.test), None if is_rest else len(split.train)]
            for split, is_rest in zip(splits, rest, strict=True)
        ],
    }


def _unpack_splits(name: str, head: dict[str, Any], rows: IntArray, arrays: dict[str, AnyArray]) -> Splits:
    test, train = arrays[f"{name}.test"].astype(np.int64), arrays[f"{name}.train"].astype(np.int64)
    splits, at, train_at = [], 0, 0
    for repeat, fold, held, trained in head["splits"]:
        part, at = test[at : at + held], at + held
        if trained is None:
            own = np.setdiff1d(rows, part)
        else:
            own, train_at = train[train_at : train_at + trained], train_at + trained
        splits.append(Split(own, part, repeat, fold))
    return Splits(tuple(splits), head["scheme"], head["kind"], head["is_partition"])


def _joined(parts: list[IntArray]) -> AnyArray:
    whole = np.concatenate(parts) if parts else np.empty(0, np.int64)
    return whole.astype(np.min_scalar_type(int(whole.max())) if whole.size else np.int64)
