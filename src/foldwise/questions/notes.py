"""The notes of an answer: what should be known of it, in sentences."""

from __future__ import annotations

from collections.abc import Mapping

from foldwise.questions.auto import AutoAnswer
from foldwise.questions.combined import CombinedAnswer
from foldwise.questions.contest import asked_for
from foldwise.questions.failures import count_words, own_words
from foldwise.questions.importance import importance_of
from foldwise.questions.ledger import UNSEEN, times_scored
from foldwise.questions.method import MethodAnswer
from foldwise.studies.study import Note, Study


def family_notes(lows: Mapping[str, float | None], family: list[str] | None) -> list[Note]:
    """A note where the table and the verdict seem to differ; `lows` are the lower ends of the differences."""
    apart = [name for name, low in lows.items() if low is not None and low > 0]
    if family is None or not set(apart) & set(family):
        return []
    words = (
        "the differences in the table are looked at one by one; the verdict uses intervals that hold for all at once"
    )
    return [("difference", words)]


def contest_notes(methods: list[MethodAnswer], best: MethodAnswer | None, family: list[str] | None) -> list[Note]:
    """Why no method is told apart from another, unless it is why their risks have no interval."""
    if best is None or family is not None:
        return []
    others = [method for method in methods if method.status == "ok" and method is not best]
    reasons = {text for method in others for code, text in method.difference(best).notes if code == "interval"}
    return [("difference", reason) for reason in sorted(reasons - {method.estimate().notes[0][1] for method in others})]


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


def interval_notes(methods: list[MethodAnswer]) -> list[Note]:
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


def method_notes(method: MethodAnswer) -> list[Note]:
    name, notes = method.method.name, list(method.method.notes)
    notes += _failure_notes(method)
    notes += _search_notes(method)
    notes += _member_notes(method)
    notes += [*_default_notes(method), *_importance_notes(method)]
    if method.status == "ok":
        notes += [(code, f"{name}: {text}") for code, text in method.estimate().notes[1:]]
    notes += _undefined_notes(method)
    notes += [("edge", f"{name}: {words}") for words in method.edges]
    if not method.is_finished:
        notes.append(("unfinished", f"{name}: {_progress_words(method)}"))
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
    """How the hidden members of a blend were tuned: they have no row of their own."""
    members = method.members if isinstance(method, CombinedAnswer) else ()
    hidden = [member for member in members if member.method.is_hidden]
    return [note for member in hidden for note in (*member.method.notes, *_search_notes(member))]


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


def ledger_notes(methods: list[MethodAnswer]) -> list[Note]:
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
    return [("ledger", f"{judged}: the interval for the best of them holds {UNSEEN}")]


def loss_notes(study: Study) -> list[Note]:
    return [("loss", loss.words) for loss in study.losses if not loss.is_per_row and loss.words]
