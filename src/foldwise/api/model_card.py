"""The card of a model: what it was made from, how well it is expected to do, and what it needs to predict."""

from __future__ import annotations

import weakref
from collections.abc import Mapping
from typing import Any

from foldwise.api.judging import training_data
from foldwise.api.manifest import versions
from foldwise.api.model_file import about_data
from foldwise.blocks.block import Column, Row, Table, texts
from foldwise.blocks.numbers import candidate_words, number, plain, span
from foldwise.data.dataset import Dataset
from foldwise.errors import BadLearner
from foldwise.show.terminal import as_text
from foldwise.stats.cv_plus import check_level, proved_coverage
from foldwise.studies.plain import plain_candidate

ESTIMATE = ("risk", "low", "high", "level", "interval", "target", "low_simultaneous", "high_simultaneous")
NUMBERS = {"number", "boolean"}  # kinds of columns that an array may hold
_CARDS: dict[int, dict[str, Any]] = {}  # by id of the model, for as long as it lives in this process


def remember_card(model: Any, card: Mapping[str, Any]) -> Any:
    """Note the card of a model that is handed over; the model itself is left alone."""
    try:
        weakref.finalize(model, _CARDS.pop, id(model), None)
    except TypeError:  # it cannot be watched, so it is not noted
        return model
    _CARDS[id(model)] = dict(card)
    return model


def known_card(model: Any) -> dict[str, Any] | None:
    """The card that was noted for a model, if any; nothing is worked out."""
    return _CARDS.get(id(model))


def card_of_method(
    answer: Mapping[str, Any], data: Dataset, *, name: str, candidate: Mapping[str, Any], judged_as: str
) -> dict[str, Any]:
    """The card of a method's model on all rows; its risk is that of a row of the answer: its own, or `auto`."""
    row = next(method for method in answer["methods"] if method["name"] == judged_as)
    return {
        **about_data(data),
        "method": name,
        "candidate": dict(candidate),
        "loss": answer["loss"],
        "target": data.target_name or "target",
        "estimate": {key: row[key] for key in ESTIMATE if key in row},
        "outer": answer["outer"],
        "inner": answer["inner"],
        "seed": answer["seed"],
        "versions": answer["versions"],
    }


def card_of(model: Any) -> dict[str, Any]:
    """The card of any fitted model: of a study, of a tuning, or what the estimator itself knows of its columns."""
    if (known := _CARDS.get(id(model))) is not None:
        return dict(known)
    from foldwise.learners.answering import AnswersByModel

    data = training_data(model)
    if data is None:
        return _own_words(model.model_ if isinstance(model, AnswersByModel) else model)
    chosen = getattr(model, "candidate_", None)
    return {
        **about_data(data),
        # a built-in learner has its own name
        "method": getattr(model, "name", None) or type(getattr(model, "estimator", model)).__name__,
        "candidate": None if chosen is None else plain_candidate(chosen),
        "target": data.target_name or "target",
    }


def card_of_rows(model: Any, data: Dataset) -> dict[str, Any]:
    """The card of a model that was trained on data like these."""
    about = about_data(data)
    is_nameless = not hasattr(model, "feature_names_in_")
    if about["container"] == "frame" and is_nameless and set(data.kinds) <= NUMBERS:
        about["container"] = "array"
    return {**about, "method": type(model).__name__, "target": data.target_name or "target"}


def _own_words(model: Any) -> dict[str, Any]:
    """What scikit-learn's estimators note in a fit."""
    from sklearn.base import is_classifier, is_regressor

    names, width = getattr(model, "feature_names_in_", None), getattr(model, "n_features_in_", None)
    if (names is None and width is None) or not (is_classifier(model) or is_regressor(model)):
        what = f"a {type(model).__name__} does not say which columns it was fitted on, or what it predicts"
        raise BadLearner(f"this model has no card: {what}", "Give its data too: fw.save_model(model, path, X=X, y=y)")
    classes = [getattr(label, "item", lambda own=label: own)() for label in getattr(model, "classes_", ())]
    return {
        "names": [f"x{at}" for at in range(int(width or 0))] if names is None else [str(name) for name in names],
        "kinds": ["number" if names is None else "any"] * (int(width or 0) if names is None else len(names)),
        "container": "array" if names is None else "frame",
        "task": "regression" if is_regressor(model) else "binary" if len(classes) == 2 else "multiclass",
        "classes": classes if is_classifier(model) else [],
        "method": type(model).__name__,
        "versions": versions(),
    }


def shown_card(about: Mapping[str, Any]) -> dict[str, Any]:
    """The card as people and scripts read it: columns with their types, and what was stored beside them."""
    columns = [{"name": name, "type": kind} for name, kind in zip(about["names"], about["kinds"], strict=True)]
    order = ("method", "candidate", "model", "task", "target", "classes", "rows")
    rest = ("loss", "estimate", "intervals", "outer", "inner", "seed", "fingerprint", "versions", "date")
    return {
        **{key: about.get(key) for key in order},
        "columns": columns,
        **{key: about.get(key) for key in rest},
    }


def card_text(about: Mapping[str, Any]) -> str:
    """The card in a few lines; its words may be a stranger's, so that nothing of them is taken for granted."""
    card = shown_card(about)
    versions = card["versions"] if isinstance(card["versions"], Mapping) else {}
    lines = [
        f"model: {_method_words(card)}",
        f"predicts: {plain(card['target'] or 'a target that was not named')} ({_task_words(card)})",
        f"trained on: {_rows_words(card)}",
        f"risk: {_risk_words(card)}",
        *([f"prediction {words}"] if (words := _interval_words(card)) else []),
        f"saved: {plain(card['date'] or 'at a date that was not kept')}",
        f"versions: {', '.join(f'{plain(name)} {plain(found)}' for name, found in versions.items()) or '-'}",
    ]
    rows = tuple(Row(texts([plain(column["name"]), plain(column["type"])])) for column in card["columns"])
    table = Table((Column("column", is_text=True), Column("type", is_text=True)), rows)
    return "\n".join([*lines, "", as_text([table])])


def _method_words(card: Mapping[str, Any]) -> str:
    name = plain(card["method"] or card["model"] or "a model")
    chosen = card["candidate"] if isinstance(card["candidate"], Mapping) else None
    return f"{name} with {candidate_words(chosen)}" if chosen else name


def _task_words(card: Mapping[str, Any]) -> str:
    classes = card["classes"] if isinstance(card["classes"], list) else []
    names = ", ".join(plain(label) for label in classes[:10]) + (" and others" if len(classes) > 10 else "")
    return f"{plain(card['task'])}: {names}" if names else plain(card["task"])


def _rows_words(card: Mapping[str, Any]) -> str:
    width = f"{len(card['columns'])} column{'s' * (len(card['columns']) != 1)}"
    if not isinstance(card["rows"], int):
        return f"rows that are not known, {width}"
    data = f", data {plain(card['fingerprint'])[:16]}" if card["fingerprint"] else ""
    return f"{card['rows']:,} rows, {width}{data}"


def _risk_words(card: Mapping[str, Any]) -> str:
    found = card["estimate"] if isinstance(card["estimate"], Mapping) else {}
    risk, low, high, level = (_number(found.get(key)) for key in ("risk", "low", "high", "level"))
    if risk is None:
        return "not estimated"
    around = "no valid interval" if low is None or high is None else span(low, high)
    if low is not None and level is not None:
        around += f", {100 * level:.4g}% {plain(found.get('interval') or 'interval')}"
    target = plain(found["target"]) if found.get("target") else ""
    is_other = "not refitted" in target and isinstance(card["rows"], int)
    about = f": {target}; this file has it fitted again, on all {card['rows']:,} rows" if is_other else ""
    about = about or (f": {target}" if target else "")
    return f"{number(risk)} ({around}; {plain(card['loss'])} loss){about}"


def _interval_words(card: Mapping[str, Any]) -> str:
    found = card["intervals"]
    if not isinstance(found, Mapping) or not isinstance(found.get("models"), int):
        return ""
    what = "sets" if "sets" in str(found.get("kind")) else "intervals"
    kept = "1 more model is" if found["models"] == 1 else f"{found['models']} more models are"
    return f"{what}: {promise_words(found)}; {kept} kept for them"


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


# The smallest and largest coverage of the two learners simulated in docs/prediction-intervals.md, by task and level.
SIMULATED: Mapping[str, Mapping[float, tuple[float, float]]] = {
    "numbers": {0.8: (0.792, 0.838), 0.9: (0.893, 0.926), 0.95: (0.944, 0.973)},
    "classes": {0.8: (0.799, 0.91), 0.9: (0.897, 0.97), 0.95: (0.951, 0.991)},
}


def card_of_intervals(model: Any, *, choice: str, among: int) -> dict[str, Any]:
    """What a model's card says of its intervals or sets; `choice`: how its method was chosen, `among` how many."""
    kinds = {True: "cross-conformal sets", False: "CV+ intervals"}
    counts = [int(count) for count in model.unit_counts]
    is_sets = hasattr(model, "response")
    kind = kinds[is_sets]
    if len(counts) == 1:
        kind = "split conformal " + kind.split()[-1]
    elif sum(counts) == len(counts) and not is_sets:
        kind = "jackknife+ intervals"
    return {
        "kind": kind,
        "models": len(counts),
        "unit": model.unit,
        "unit_counts": counts,
        "choice": "named" if among < 2 else choice,
        "among": among,
        "proved": {f"{level:g}": round(proved_coverage(level, counts), 4) for level in (0.8, 0.9, 0.95)},
    }


def promise_words(card: Any, level: float = 0.9) -> str:
    """What is promised at a level, in a sentence; of the card of a stranger nothing is taken for granted."""
    counts = card.get("unit_counts") if isinstance(card, Mapping) else None
    if not isinstance(counts, list) or not counts or not all(type(count) is int and count > 0 for count in counts):
        return "not known"
    unit = "group" if card.get("unit") == "group" else "row"
    level = check_level(level, sum(counts), unit)
    is_picked = card.get("choice") == "outer" and isinstance(card.get("among"), int)
    named = " of a method named beforehand" if is_picked else ""
    proved = f"at least {_percent(proved_coverage(level, counts))} is proved{named}{_why(level, counts)}"
    kind = plain(card.get("kind") or "intervals")
    whose = "of a new group" if unit == "group" else "of new rows"
    task = "classes" if kind.endswith("sets") else "numbers"
    seen = SIMULATED[task].get(round(level, 6)) if unit == "row" and len(counts) > 1 else None
    found = f", simulated {_percent(seen[0])} to {_percent(seen[1])}" if seen else ""
    return f"{kind} at {_percent(level)} {whose}: {proved}{found}{_choice_words(card) if is_picked else ''}"


def _why(level: float, counts: list[int]) -> str:
    if len(counts) == 1:
        return ""
    lost = 1 - 2 * (1 - level) - proved_coverage(level, counts)
    less = f", less {100 * lost:.1f} points for {len(counts)} folds" if lost > 0.0005 else ""
    return f" (1 - 2 alpha{less})"


def _choice_words(card: Mapping[str, Any]) -> str:
    return f"; this one was chosen among {card['among']} on the same rows, which costs a little coverage"


def _percent(share: float) -> str:
    """
    >>> _percent(0.9), _percent(0.7473)
    ('90%', '74.7%')
    """
    return f"{100 * share:.1f}".removesuffix(".0") + "%"
