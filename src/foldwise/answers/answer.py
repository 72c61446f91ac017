"""The answer of a study as plain values, from its records alone."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import combinations
from typing import Any

from foldwise.answers.auto import make_auto
from foldwise.answers.bias import Corrected, corrections
from foldwise.answers.combined import CombinedAnswer
from foldwise.answers.failures import count_words, own_words
from foldwise.answers.ledger import times_scored
from foldwise.answers.method import MethodAnswer, mean_train_rows
from foldwise.estimates.estimate import plain_number
from foldwise.estimates.intervals import row_named
from foldwise.formulas.bias import Bbc
from foldwise.formulas.multiple import holm, shared_level
from foldwise.studies.plain import plain_candidate
from foldwise.studies.savings import savings
from foldwise.studies.study import Note, Study

BASELINE = "baseline"


def pick(methods: list[MethodAnswer]) -> MethodAnswer | None:
    """The method with the smallest risk; on ties the baseline, else the first name.

    A combined method ties with a member that it always chose; the member is then the simpler one.
    """
    able = [method for method in methods if math.isfinite(method.risk)]
    if not able:
        return None
    return min(able, key=_place)


def _place(method: MethodAnswer) -> tuple[float, bool, bool, str]:
    return method.risk, method.method.name != BASELINE, bool(method.method.combines), method.method.name


def answer(
    study: Study, methods: list[MethodAnswer], *, made: Mapping[str, int], seconds: float, versions: dict[str, str]
) -> dict[str, Any]:
    """The whole answer in plain values: the object of `to_dict()` and `--json`."""
    best, auto = pick(methods), make_auto(methods)
    notes = [*study.notes, *_loss_notes(study), *_ledger_notes(methods)]
    corrected, bbc = corrections(methods)
    family = not_told_apart(methods, best)
    every = [*methods, *([auto] if auto else [])]
    rows = [_method_dict(method, best, made, corrected, notes) for method in every]
    adjusted = holm_values(methods, best)
    rows = [row | {"p_holm": adjusted.get(row["name"])} for row in rows]
    notes += [*_interval_notes(every), *_family_notes(rows, family)]
    tuned = [method for method in study.methods if method.inner is not None]
    return {
        "best": best.method.name if best else None,
        "loss": study.losses[0].name,
        "losses": [loss.name for loss in study.losses],
        "task": study.task,
        "outer": study.outer.scheme,
        "inner": " / ".join(dict.fromkeys(method.inner.scheme for method in tuned if method.inner)) or None,
        "rows": study.rows,
        "train_rows": round(mean_train_rows(study.outer)),
        "seed": study.seed,
        "level": study.level,
        "on_failure": study.on_failure,
        "finished": all(method.is_finished for method in methods),
        "interval": study.interval.name if study.interval else None,
        "fits": len(set().union(*(method.keys for method in methods))),
        "fits_made": sum(made.values()),
        "seconds": round(seconds, 3),
        "methods": rows,
        "not_told_apart": family,
        "winner": _winner(methods, best, bbc),
        "refit": _refit(best),
        "refit_inner": _refit(auto.final) if auto else None,
        "notes": [{"code": code, "text": text} for code, text in dict.fromkeys(notes)],
        "versions": versions,
        "fingerprint": study.fingerprint,
    }


def holm_values(methods: list[MethodAnswer], best: MethodAnswer | None) -> dict[str, float]:
    """p of each method's difference to the best, by Holm over all pairs: the best was picked by the same losses."""
    able = [method for method in methods if method.status == "ok" and not method.stand_ins]
    pairs = list(combinations(able, 2))
    found = [one.difference(other).p for one, other in pairs]
    if best is None or not found or any(p is None for p in found):
        return {}
    adjusted = dict(zip(pairs, holm(found).tolist(), strict=True))
    return {
        (other if one is best else one).method.name: float(p)
        for (one, other), p in adjusted.items()
        if best in (one, other)
    }


def _family_notes(rows: list[dict[str, Any]], family: list[str] | None) -> list[Note]:
    """A note where the table and the verdict seem to differ."""
    apart = [row["name"] for row in rows if row["difference_low"] is not None and row["difference_low"] > 0]
    if family is None or not set(apart) & set(family):
        return []
    words = (
        "the differences in the table are looked at one by one; the verdict uses intervals that hold for all at once"
    )
    return [("difference", words)]


def _method_dict(
    method: MethodAnswer,
    best: MethodAnswer | None,
    made: Mapping[str, int],
    corrected: Mapping[str, Corrected],
    notes: list[Note],
) -> dict[str, Any]:
    estimate, name = method.estimate(), method.method.name
    is_best = best is method
    difference = None if best is None or is_best or method.status != "ok" else method.difference(best)
    notes += _method_notes(method)
    numbers: dict[str, Any] = {
        "name": name,
        "status": method.status,
        "risk": plain_number(estimate.value),
        "low": plain_number(estimate.low),
        "high": plain_number(estimate.high),
        "level": estimate.level,
        "interval": estimate.interval,
        "target": estimate.target,
        "selection_score": plain_number(method.selection_score),
        "selection_middle": plain_number(method.middle_score),
        "selection_train_rows": _rounded(method.selection_train_rows),
        "selection_corrected": corrected[name].to_dict() if name in corrected else None,
        "optimism": plain_number(method.optimism),
        "train_risk": plain_number(method.train_risk),
        "gap": plain_number(method.risk - method.train_risk),
        "difference": 0.0 if is_best else plain_number(difference.value) if difference else None,
        "difference_low": plain_number(difference.low) if difference else None,
        "difference_high": plain_number(difference.high) if difference else None,
        "difference_interval": difference.interval if difference else None,
        "p": plain_number(difference.p) if difference else None,
        "agreement": plain_number(method.agreement),
        "candidates": None if method.method.inner is None else method.candidates,
        "own_folds": method.own_folds,
        "failed": len(method.failures),
        "failures": method.failure_kinds,
        "fits": len(method.keys),
        "fits_made": made.get(name, 0),
        "seconds": round(method.seconds, 3),
        "folds": method.folds(),
    }
    if is_best:
        numbers |= _simultaneous(method)
    if len(method.study.losses) > 1:
        numbers["losses"] = {
            loss.name: {
                name: value
                for name, value in method.estimate(at).to_dict().items()
                if name in ("value", "low", "high", "interval")
            }
            for at, loss in enumerate(method.study.losses)
        }
    return numbers


def not_told_apart(methods: list[MethodAnswer], best: MethodAnswer | None) -> list[str] | None:
    """The best method and all those whose simultaneous interval of the difference to it contains 0.

    The best is picked by the same losses, so the intervals hold for all pairs at once. None where no interval is valid.
    """
    able = [method for method in methods if method.status == "ok"]
    if best is None:
        return None
    if len(able) < 2:
        return [best.method.name]
    level = shared_level(best.study.level, len(able) * (len(able) - 1) // 2)
    differences = {method.method.name: method.difference(best, level=level) for method in able if method is not best}
    if all(difference.low is None for difference in differences.values()):
        return None
    return [
        best.method.name,
        *(name for name, difference in differences.items() if difference.low is None or difference.low <= 0),
    ]


def _simultaneous(best: MethodAnswer) -> dict[str, Any]:
    """An interval of the best method that holds whichever was best: the Bonferroni level over all methods.

    Methods that earlier studies judged on the same test set count too, if the store knows them.
    """
    count = max(len(best.study.shown), times_scored(best.reading))
    wide = best.estimate(level=shared_level(best.study.level, count))
    return {"low_simultaneous": plain_number(wide.low), "high_simultaneous": plain_number(wide.high)}


def _winner(methods: list[MethodAnswer], best: MethodAnswer | None, found: Bbc | None) -> dict[str, Any] | None:
    """The risk of the best method, corrected for its selection among all of them."""
    if best is None:
        return None
    return {
        "name": best.method.name,
        "among": max(len(methods), times_scored(best.reading)),
        "risk": plain_number(best.risk),
        "bbc": plain_number(found.value) if found else None,
        "bbc_low": plain_number(found.low) if found else None,
        "bbc_high": plain_number(found.high) if found else None,
        **_simultaneous(best),
    }


def _rounded(value: float | None) -> int | None:
    return None if value is None else round(value)


def _interval_notes(methods: list[MethodAnswer]) -> list[Note]:
    """Why there is no interval, and for which methods if others have one."""
    able = [method for method in methods if method.status == "ok"]
    without: dict[str, list[str]] = {}
    for method in able:
        estimate = method.estimate()
        if estimate.interval is None:
            without.setdefault(estimate.notes[0][1], []).append(method.method.name)
    return [
        ("interval", f"no interval{'' if len(names) == len(able) else ' for ' + ', '.join(names)}: {reason}")
        for reason, names in without.items()
    ]


def _method_notes(method: MethodAnswer) -> list[Note]:
    name, notes = method.method.name, list(method.method.notes)
    notes += _failure_notes(method)
    notes += _search_notes(method)
    notes += _member_notes(method)
    if method.status == "ok":
        estimate = method.estimate()
        if estimate.interval is not None:
            row = row_named(estimate.interval, method.study.interval)
            notes += [(code, f"{name}: {text}") for code, text in row.cautions(method.evidence, estimate.details)]
    notes += _undefined_notes(method)
    notes += [("edge", f"{name}: {words}") for words in method.edges]
    if not method.is_finished:
        notes.append(("unfinished", f"{name}: {_progress_words(method)}"))
    if saved := savings(method.reading, method.method):
        notes.append(("tuner", f"{name}: {saved}"))
    for text, count in sorted(method.warnings.items())[:3]:
        notes.append(("warning", f"{name}: {count} fits warned: {text}"))
    if method.method.inner is not None and method.status == "ok":
        if not method.has_outer_scores and not method.method.tuner.is_listed:
            notes.append(("optimism", f"optimism of {name} is not given: each fold of a search has its own candidates"))
        elif not method.has_outer_scores and not method.method.tuner.is_exhaustive:
            notes.append(("optimism", f"optimism of {name} is not given: it needs all candidates on the outer splits"))
        elif not method.has_outer_scores:
            notes.append(
                (
                    "optimism",
                    "optimism is not given: the selection scores belong to another training size than the risks; "
                    "optimism=True (--optimism) adds the fits for it",
                )
            )
        if method.method.inner is not None and method.method.inner.final is None:
            notes.append(("final", f"{name}: no inner splits of all rows were given, so there is no final tuning"))
    if not method.study.has_training_risk:
        notes.append(("training", "training risk is not given: it would take a prediction of all rows by every model"))
    return notes


def _search_notes(method: MethodAnswer) -> list[Note]:
    """How many candidates the tunings of a search tried, where the budget was not a number of them."""
    limits, name = method.method.tuner.limits, method.method.name
    if (limits.seconds is None and limits.stop is None) or not method.is_finished:
        return []
    tried = [run.candidates for run in method.reading.runs(method.method)]
    words = f"{min(tried)} to {max(tried)}" if min(tried) < max(tried) else f"{max(tried)}"
    why = [f"a budget of {limits.seconds:.3g} s"] if limits.seconds is not None else []
    why += ["stop at gains below the noise"] if limits.stop == "noise" else []
    return [("search", f"{name}: each of {len(tried)} tunings tried {words} candidates ({', '.join(why)})")]


def _member_notes(method: MethodAnswer) -> list[Note]:
    """How the hidden members of a stack or a blend were tuned: they have no row of their own."""
    members = method.members if isinstance(method, CombinedAnswer) else ()
    hidden = [member for member in members if member.method.is_hidden]
    notes = [note for member in hidden for note in (*member.method.notes, *_search_notes(member))]
    saved = [(member.method.name, savings(member.reading, member.method)) for member in hidden]
    return notes + [("tuner", f"{name}: {words}") for name, words in saved if words]


def _failure_notes(method: MethodAnswer) -> list[Note]:
    """What failed, how often and how, and what the policy did about it."""
    if not method.failures:
        return []
    name, first = method.method.name, method.failure_kinds[0]["first"]
    words = (
        f"{len(method.failures)} of {method.planned} fits failed ({count_words(method.failure_kinds)}); first: {first}"
    )
    again = "in a store they are made again with retry_failed=True (--retry-failed)"
    return [("failed", "; ".join([f"{name}: {words}", *_policy_sentences(method), again]))]


def _policy_sentences(method: MethodAnswer) -> list[str]:
    policy, folds = method.study.on_failure, len(method.states)
    if method.status == "failed":
        return [f"so it has no risk (on_failure={policy!r})"]
    if policy == "baseline" and method.status == "ok":
        return [f"the failed ones predict as the baseline: {own_words(method.own_folds, folds)}"]
    found = ["candidates that failed while tuning were not chosen there"] if policy == "drop_candidate" else []
    is_lost = _has_final(method) and method.reading.final_choice(method.method).candidate is None
    return found + (["no candidate could be chosen on all rows"] if is_lost and method.is_finished else [])


def _has_final(method: MethodAnswer) -> bool:
    return method.method.inner is not None and method.method.inner.final is not None and method.study.has_final


def _undefined_notes(method: MethodAnswer) -> list[Note]:
    """Where the loss is not finite and so never best: on outer splits, or while tuning."""
    name, notes = method.method.name, list[Note]()
    reasons = [(loss, method.reading.undefined(method.method, loss)) for loss in method.study.losses]
    for number, (loss, found) in enumerate(reasons):
        why = f": {loss.name}: {next(iter(found.values()))}" if found else ""
        if number == 0 and method.status == "undefined":
            notes.append(("undefined", f"{name}: the loss is undefined on some split, so there is no risk{why}"))
        elif found:
            words = f"{name}: the loss {loss.name} is undefined for {len(found)} fits, which it never ranks best"
            notes.append(("undefined", f"{words}; the first{why}"))
    return notes


def _progress_words(method: MethodAnswer) -> str:
    """How far an unfinished method has come.

    Outer splits count as done when no more fits will follow, whether or not fits failed.
    """
    done = sum(state != "missing" for state in method.states)
    fits = f"{len(method.keys) - method.missing} of {method.planned} fits"
    return f"not finished, {done} of {len(method.states)} outer folds done, {fits}"


def _ledger_notes(methods: list[MethodAnswer]) -> list[Note]:
    count = times_scored(methods[0].reading)
    if count <= len(methods):
        return []
    return [("ledger", f"{count} methods have been judged on this test set, in this and earlier studies of the store")]


def _loss_notes(study: Study) -> list[Note]:
    return [("loss", loss.words) for loss in study.losses if not loss.is_per_row and loss.words]


def _refit(best: MethodAnswer | None) -> dict[str, Any] | None:
    if best is None:
        return None
    if best.method.inner is None:
        return {"method": best.method.name, "candidate": getattr(best, "weights", None) or {}}
    if best.method.inner is None or best.method.inner.final is None:
        return None
    chosen = best.reading.final_choice(best.method).candidate
    return (
        None
        if chosen is None
        else {
            "method": best.method.name,
            "candidate": plain_candidate(best.method.candidates[chosen]),
        }
    )
