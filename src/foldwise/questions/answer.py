"""The answer of a study as plain values, from its records alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from foldwise.estimates.estimate import plain_number
from foldwise.estimates.intervals import row_named
from foldwise.formulas.bias import Bbc
from foldwise.questions.auto import AutoAnswer, make_auto
from foldwise.questions.bias import Corrected, corrections
from foldwise.questions.combined import CombinedAnswer
from foldwise.questions.contest import asked_for, holm_values, not_told_apart, pick, picked_among
from foldwise.questions.decision import Decision, decide, decision_notes
from foldwise.questions.failures import count_words, own_words
from foldwise.questions.importance import importance_of
from foldwise.questions.ledger import UNSEEN, level_of_best, times_scored
from foldwise.questions.method import MethodAnswer
from foldwise.questions.metric_table import metric_numbers
from foldwise.questions.metrics import rare_notes
from foldwise.questions.numbers import less
from foldwise.questions.predicting import seconds_per_1000
from foldwise.questions.training_size import training_size
from foldwise.questions.winner import winner_level_of
from foldwise.studies.plain import plain_candidate
from foldwise.studies.savings import savings
from foldwise.studies.study import Note, Study


def answer(
    study: Study,
    methods: list[MethodAnswer],
    *,
    made: Mapping[str, int],
    seconds: float,
    versions: dict[str, str],
    margin: float | None = None,
) -> dict[str, Any]:
    """The whole answer in plain values: the object of `to_dict()` and `--json`."""
    best, auto, size = pick(methods), make_auto(methods), training_size(study.outer)
    notes = [*study.notes, *_loss_notes(study), *_ledger_notes(methods)]
    notes += rare_notes(study, best.method.name if best else None)
    among = picked_among(methods, best) if best else []
    corrected, bbc = corrections(methods, among)
    family = not_told_apart(methods, best)
    every = [*methods, *([auto] if auto else [])]
    rows = [_method_dict(method, best, made, corrected, notes) for method in every]
    winner, adjusted = _winner(best, among, bbc, asked=len(asked_for(methods))), holm_values(methods, best)
    decision = decide(methods, best, margin=margin)
    rows = [_judged(row, adjusted, decision) | _wide_ends(row, winner) for row in rows]
    notes += [*_interval_notes(every), *_family_notes(rows, family), *_contest_notes(methods, best, family)]
    notes += decision_notes(decision, notes)
    tuned = [method for method in study.methods if method.inner is not None]
    return {
        "best": best.method.name if best else None,
        "loss": study.losses[0].name,
        "losses": [loss.name for loss in study.losses],
        "loss_label": study.losses[0].label,
        "score": study.losses[0].score,
        "task": study.task,
        "outer": study.outer.scheme,
        "inner": " / ".join(dict.fromkeys(method.inner.scheme for method in tuned if method.inner)) or None,
        "rows": study.rows,
        "train_rows": round(size.mean),
        "train_rows_range": [size.low, size.high],
        "trained_on": str(size),
        "seed": study.seed,
        "level": study.level,
        "on_failure": study.on_failure,
        "finished": all(method.is_finished for method in methods),
        "interval": study.interval.name if study.interval else None,
        "fits": len(set().union(*(method.all_keys for method in methods))),
        "fits_made": sum(made.values()),
        "seconds": round(seconds, 3),
        "methods": rows,
        "not_told_apart": family,
        "winner": winner,
        "decision": decision.to_dict(),
        "refit": _refit(best),
        "refit_inner": _refit(auto.final) if auto else None,
        "notes": [{"code": code, "text": text} for code, text in dict.fromkeys(notes)],
        "versions": versions,
        "fingerprint": study.fingerprint,
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


def _contest_notes(methods: list[MethodAnswer], best: MethodAnswer | None, family: list[str] | None) -> list[Note]:
    """Why no method is told apart from another, unless it is why their risks have no interval."""
    if best is None or family is not None:
        return []
    others = [method for method in methods if method.status == "ok" and method is not best]
    reasons = {text for method in others for code, text in method.difference(best).notes if code == "interval"}
    return [("difference", reason) for reason in sorted(reasons - {method.estimate().notes[0][1] for method in others})]


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
    columns = None if isinstance(method, AutoAnswer) else importance_of(method)
    notes += _method_notes(method)
    numbers: dict[str, Any] = {
        "name": name,
        "status": method.status,
        "risk": plain_number(estimate.value),
        "low": plain_number(estimate.low),
        "high": plain_number(estimate.high),
        "formula_low": plain_number(estimate.details.get("formula_low")),
        "formula_high": plain_number(estimate.details.get("formula_high")),
        "level": estimate.level,
        "interval": estimate.interval,
        "target": estimate.target,
        "selection_score": plain_number(method.selection_score),
        "selection_middle": plain_number(method.middle_score),
        "selection_train_rows": _rounded(method.selection_train_rows),
        "selection_corrected": corrected[name].to_dict() if name in corrected else None,
        "optimism": plain_number(method.optimism),
        "tuning_gain": _tuning_gain(method),
        "train_risk": plain_number(method.train_risk),
        "gap": plain_number(less(method.risk, method.train_risk)),
        "difference": 0.0 if is_best else plain_number(difference.value) if difference else None,
        "difference_low": plain_number(difference.low) if difference else None,
        "difference_high": plain_number(difference.high) if difference else None,
        "difference_interval": difference.interval if difference else None,
        "p": plain_number(difference.p) if difference else None,
        **metric_numbers(method),
        "importance": columns,
        "agreement": plain_number(method.agreement),
        "candidates": None if method.method.inner is None else method.candidates,
        "own_folds": method.own_folds,
        "failed": len(method.failures),
        "failures": method.failure_kinds,
        "fits": len(method.all_keys),
        "fits_made": made.get(name, 0),
        "seconds": round(method.seconds, 3),
        "seconds_per_1000": None if isinstance(method, AutoAnswer) else seconds_per_1000(method, columns),
        "folds": method.folds(),
    }
    if isinstance(method, AutoAnswer):
        numbers["may_pick"] = method.may_pick
    if len(method.study.losses) > 1:
        numbers["losses"] = {
            loss.name: {"label": loss.label}
            | {
                name: value
                for name, value in method.estimate(at).to_dict().items()
                if name in ("value", "low", "high", "interval")
            }
            for at, loss in enumerate(method.study.losses)
        }
    return numbers


def _tuning_gain(method: MethodAnswer) -> dict[str, Any] | None:
    """The risk at the default parameters, and how much larger it is than the risk tuned."""
    gain = method.tuning_gain
    if gain is None or method.defaults is None:
        return None
    numbers = {name: plain_number(getattr(gain, name)) for name in ("value", "low", "high")}
    return {"default_risk": plain_number(method.defaults.risk), **numbers, "interval": gain.interval}


def _importance_notes(method: MethodAnswer) -> list[Note]:
    """How far the importance of its columns has come, where it was interrupted."""
    found = None if isinstance(method, AutoAnswer) else importance_of(method)
    if found is None or found["columns"]:
        return []
    words = f"{method.method.name}: permutation importance is not finished, {found['models']} of {found['of']} models"
    return [("importance", f"{words}; the same line with the same store goes on")]


def _default_notes(method: MethodAnswer) -> list[Note]:
    """Why it is not known what tuning gained, where fits at the default parameters failed."""
    if method.defaults is None or not method.defaults.failures:
        return []
    failures, name = method.defaults.failures, method.method.name
    words = f"{name}: what tuning gained is not known: {len(failures)} of its fits at default parameters failed"
    return [("defaults", f"{words}; first: {failures[0]}")]


def _winner(
    best: MethodAnswer | None, among: list[MethodAnswer], found: Bbc | None, *, asked: int
) -> dict[str, Any] | None:
    """The risk of the best method, corrected for its selection, with an interval that holds whichever was best.

    Methods that other studies judged on the same test set count too, if the store knows them.
    """
    if best is None:
        return None
    level, count, how = level_of_best(best, among=len(among), asked=asked)
    if how == "evenly" and count > 1 and (own := winner_level_of(best, among)) is not None:
        level, how = own, "winner"
    wide = best.estimate(level=level)
    return {
        "name": best.method.name,
        "among": count,
        "level": level,
        "level_shared": how,
        "risk": plain_number(best.risk),
        "bbc": plain_number(found.value) if found else None,
        "bbc_low": plain_number(found.low) if found and found.low < found.high else None,
        "bbc_high": plain_number(found.high) if found and found.low < found.high else None,
        "low_simultaneous": plain_number(wide.low),
        "high_simultaneous": plain_number(wide.high),
    }


def _judged(row: Mapping[str, Any], adjusted: Mapping[str, float], decision: Decision) -> dict[str, Any]:
    """The row with what all methods together say of it."""
    return {**row, "p_holm": adjusted.get(row["name"]), **decision.of(row["name"])}


def _wide_ends(row: Mapping[str, Any], winner: Mapping[str, Any] | None) -> dict[str, Any]:
    """The simultaneous interval of the best method, for its row."""
    is_best = winner is not None and row["name"] == winner["name"]
    return {name: winner[name] for name in ("low_simultaneous", "high_simultaneous")} if winner and is_best else {}


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
    notes += [*_default_notes(method), *_importance_notes(method)]
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
    if method.is_judged:
        return "its fits at default parameters are not finished, so whether tuning helped is not known yet"
    done = sum(state != "missing" for state in method.states)
    fits = f"{len(method.keys) - method.missing} of {method.planned} fits"
    return f"not finished, {done} of {len(method.states)} outer folds done, {fits}"


def _ledger_notes(methods: list[MethodAnswer]) -> list[Note]:
    """What the intervals of one test set are about; methods of other studies count where one store has them."""
    scored = times_scored(methods[0].reading)
    if not scored:
        return []
    if all(method.estimate().interval is None for method in methods):
        return []
    if scored <= len(asked_for(methods)):
        words = "intervals are about methods fixed before the test set was looked at"
        return [("ledger", f"{words}; other studies on it count only if they share a store (store=, --store)")]
    judged = f"{scored} methods have been judged on this test set, in this and other studies of the store"
    return [("ledger", f"{judged}: the interval for the best of them and of later ones holds {UNSEEN}")]


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
