"""The methods paragraph: what was done, in sentences to paste into a paper, with versions and references."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from foldwise.blocks.numbers import number, plain
from foldwise.show.advice import among, contestants, regret_words
from foldwise.stats.chooser import INTERVALS

BASELINE = "baseline"
AUTO = "auto"
PROPOSING = ("tpe", "gp", "cmaes")  # tuners that propose candidates from the scores so far
PACKAGES = {"numpy": "NumPy", "scipy": "SciPy", "scikit-learn": "scikit-learn", "pandas": "pandas"}
DIEBOLD_MARIANO = "Diebold-Mariano"
MCNEMAR = "exact McNemar"  # the test beside Tango's interval
TESTS = {
    "Tango": "Tango and exact McNemar",
    DIEBOLD_MARIANO: "Diebold-Mariano with the correction of Harvey, Leybourne and Newbold, and no surer than the "
    "long-run variance of the differences",
}
REFERENCES = {
    "cv": "Stone M. (1974). Cross-validatory choice and assessment of statistical predictions. Journal of the Royal "
    "Statistical Society B 36, 111-147.",
    "nested": "Varma S., Simon R. (2006). Bias in error estimation when using cross-validation for model selection. "
    "BMC Bioinformatics 7, 91.",
    "selection": "Cawley G. C., Talbot N. L. C. (2010). On over-fitting in model selection and subsequent selection "
    "bias in performance evaluation. Journal of Machine Learning Research 11, 2079-2107.",
    MCNEMAR: "McNemar Q. (1947). Note on the sampling error of the difference between correlated proportions "
    "or percentages. Psychometrika 12, 153-157.",
    "Tango": "Tango T. (1998). Equivalence test and confidence interval for the difference in proportions for the "
    "paired-sample design. Statistics in Medicine 17, 891-908.",
    DIEBOLD_MARIANO: "Harvey D., Leybourne S., Newbold P. (1997). Testing the equality of prediction mean squared "
    "errors. International Journal of Forecasting 13, 281-291.",
    "holm": "Holm S. (1979). A simple sequentially rejective multiple test procedure. Scandinavian Journal of "
    "Statistics 6, 65-70.",
    "decision": "Benavoli A., Corani G., Demsar J., Zaffalon M. (2017). Time for a change: a tutorial for comparing "
    "multiple classifiers through Bayesian analysis. Journal of Machine Learning Research 18 (77), 1-36.",
    "winner": "Zrnic T., Fithian W. (2024). Locally simultaneous inference. Annals of Statistics 52, 1227-1253.",
    "scikit-learn": "Pedregosa F. et al. (2011). Scikit-learn: machine learning in Python. Journal of Machine Learning "
    "Research 12, 2825-2830.",
}


def methods_paragraph(answer: Mapping[str, Any], protocol: Mapping[str, Any]) -> str:
    """The exact protocol of this study in sentences that are true of it."""
    return " ".join(
        [
            *_data(protocol),
            *_outer(protocol["outer"]),
            *_tuning(protocol),
            *_untuned(protocol),
            *_combined(protocol),
            *_picked(answer),
            *_risk(answer, protocol),
            *_intervals(answer, protocol),
            *_comparison(answer),
            *_decision(answer),
            *_delivered(answer),
            *_failures(answer, protocol),
            *_findings(answer),
            *_software(answer, protocol),
        ]
    )


def references(answer: Mapping[str, Any], protocol: Mapping[str, Any]) -> list[str]:
    """The references of the paragraph, each once, by name."""
    methods = answer.get("methods") or []
    names = {name for method in methods for name in (method.get("interval"), method.get("difference_interval"))}
    names |= {MCNEMAR} if "Tango" in names else set()
    names |= {"cv"} if protocol["outer"]["kind"] in ("folds", "grouped", "loo") else set()
    names |= {"nested", "selection"} if _is_nested(protocol) else set()
    names |= {"holm"} if any(method.get("p_holm") is not None for method in methods) else set()
    is_of_learners = (answer.get("decision") or {}).get("about") == "learners"
    names |= {"decision"} if is_of_learners and len(contestants(answer)) > 1 else set()
    names |= {"winner"} if (answer.get("winner") or {}).get("level_shared") == "winner" else set()
    names |= {"scikit-learn"} if "scikit-learn" in (answer.get("versions") or {}) else set()
    known = REFERENCES | {row.name: row.reference for row in INTERVALS.values()} | protocol["own_references"]
    return sorted({text for name in names if (text := known.get(name))})


def _is_nested(protocol: Mapping[str, Any]) -> bool:
    is_resampled = protocol["outer"]["folds"] * protocol["outer"]["repeats"] > 1
    return is_resampled and any(method["kind"] == "tuned" for method in protocol["methods"])


def _data(protocol: Mapping[str, Any]) -> Iterator[str]:
    losses = [plain(loss) for loss in protocol["losses"]]
    kind = "regression" if protocol["task"] == "regression" else f"classification, {protocol['classes']} classes"
    further = f" (further losses: {_listed(losses[1:])})" if losses[1:] else ""
    words = f" ({plain(protocol['loss_words'])})" if protocol["loss_words"] else ""
    yield f"The data have {number(protocol['rows'])} rows ({kind}); the loss was {losses[0]}{words}{further}."
    if protocol["weights"]:
        unweighted = [plain(method["name"]) for method in protocol["methods"] if not method["takes_weights"]]
        but = f" (not in the fits of {_listed(unweighted)}, which can take no weights)" if unweighted else ""
        yield f"Rows were weighted, in fits{but} and in losses."


def _outer(outer: Mapping[str, Any]) -> Iterator[str]:
    train, test = _range(outer["train_rows"]), _range(outer["test_rows"])
    classes, kind = ", stratified by class" if outer["is_stratified"] else "", outer["kind"]
    if kind == "holdout":
        how = " in whole groups" if "whole groups" in outer["scheme"] else classes.replace(",", " and")
        yield f"{test} rows, drawn at random{how}, were held out once as the test set; {train} were left."
    elif kind == "time_holdout":
        yield f"The last {test} rows in time were held out once as the test set; the {train} before them were left."
    elif kind == "time":
        yield (
            f"Risk was estimated on {plain(outer['scheme'])}: every test block of {test} rows was predicted by models "
            f"trained on earlier rows alone ({train} rows)."
        )
    elif kind in ("folds", "grouped", "loo") and outer["is_partition"]:
        yield _folds(outer, train, classes)
    else:
        count = outer["folds"] * outer["repeats"]
        drawn = f"{count} random splits, " if outer["scheme"].split(", ")[0].endswith("held out") else ""
        again = f" of {number(outer['rows_drawn'])} drawn with replacement" if outer["rows_drawn"] else ""
        rows = f"{train} {'distinct ' if again else ''}training rows{again} and {test} test rows in each"
        yield f"Risk was estimated over {drawn}{plain(outer['scheme'])}: {rows}."


def _folds(outer: Mapping[str, Any], train: str, classes: str) -> str:
    again = f", repeated {outer['repeats']} times with independent partitions" if outer["repeats"] > 1 else ""
    if outer["kind"] == "loo":
        name = "leave-one-out cross-validation"
    elif outer["scheme"].startswith("leave-one-group-out"):
        name = "leave-one-group-out cross-validation"
    else:
        name = f"{outer['folds']}-fold cross-validation"
    whole = "; all rows of a group were always in the same fold" if outer["kind"] == "grouped" else ""
    whole += "; which row is in which fold was given" if "given labels" in outer["scheme"] else ""
    return (
        f"Risk was estimated by {name}{classes}{again}: each fold was predicted by models trained on all others "
        f"({train} training rows){whole}."
    )


def _tuning(protocol: Mapping[str, Any]) -> Iterator[str]:
    groups: dict[str, list[str]] = {}
    for method in protocol["methods"]:
        if method["kind"] == "tuned" and not (method["is_hidden"] and method["candidates"] == 1):
            words = f"{_inner(method['inner'], protocol['outer'])}; {_rule(method)}"
            name = f"{plain(method['name'])} ({_candidates(method)})"
            groups.setdefault(words, []).append(name)
    where = "inside every outer training set" if _is_nested(protocol) else "on the training rows alone"
    for words, names in groups.items():
        yield f"{_listed(names)} {'was' if len(names) == 1 else 'were'} tuned {where} {words}"
    if groups:
        yield (
            "The chosen candidate was refitted on all training rows of the outer split and judged on its test rows, "
            "which had no part in fitting, preprocessing or tuning."
        )
    if judged := [plain(name) for name in protocol["defaults"]]:
        every = len(judged) == sum(map(len, groups.values()))
        who = "Each tuned learner was" if every else f"{_listed(judged)} {'was' if len(judged) == 1 else 'were'}"
        whose = "its" if every or len(judged) == 1 else "their"
        yield f"{who} also judged on the same outer splits at {whose} default parameters."


def _inner(inner: Mapping[str, Any], outer: Mapping[str, Any]) -> str:
    """The inner splits in words, after 'was tuned inside every outer training set'."""
    train, test = _range(inner["train_rows"]), _range(inner["test_rows"])
    k1, k2 = outer["folds"], inner["folds"]
    if inner["aligned"] == "lines":
        return (
            f"by {k2}-fold cross-validation whose folds are unions of the other outer folds (the lines of a finite "
            f"plane through the held-out fold), which makes this nested {k1} x {k2} cross-validation in which outer "
            f"folds share their inner fits"
        )
    if inner["aligned"] == "pairs":
        return (
            f"by {k2}-fold cross-validation whose folds are the other outer folds, which makes this nested {k1} x "
            f"{k2} cross-validation in which every inner fit serves two outer folds"
        )
    if inner["kind"] in ("holdout", "time_holdout"):
        if inner["kind"] == "time_holdout":
            return f"with the last {test} of them in time as development rows and the {train} before as training rows"
        cheap = ", the cheap variant of nested cross-validation" if outer["is_partition"] else ""
        whole = " of whole groups" if "whole groups" in inner["scheme"] else ""
        strata = ", stratified by class" if inner["is_stratified"] else ""
        return f"with one random split{whole} into {test} development rows and {train} training rows{strata}{cheap}"
    if inner["kind"] in ("folds", "grouped") and inner["is_partition"]:
        nested = f" (nested {k1} x {k2} cross-validation)" if outer["is_partition"] else ""
        groups = " of whole groups" if inner["kind"] == "grouped" else ""
        strata = ", stratified by class" if inner["is_stratified"] else ""
        return f"by {k2}-fold cross-validation{groups}{strata}{nested}"
    return f"on {plain(inner['scheme'])}"


def _rule(method: Mapping[str, Any]) -> str:
    if method["rule"] == "one_se":
        rule = "the simplest candidate within one standard error of the smallest mean loss was taken"
    else:
        rule = "the candidate with the smallest mean loss was taken, the first on ties"
    return f"{rule}{_tuner(method)}."


def _candidates(method: Mapping[str, Any]) -> str:
    """How many candidates a tuning had; those of a search are its own."""
    if "tried" not in method:
        return _count(method["candidates"], "candidate")
    return f"{_range(method['tried'])} candidates in each tuning"


def _tuner(method: Mapping[str, Any]) -> str:
    """How candidates were tried, where not each was scored on all splits."""
    name, end = method["tuner"], _end(method)
    if name in ("grid", "random"):
        return f" (candidates were tried in a fixed order, spread evenly over the space{end})" if end else ""
    if name == "pruned":
        return " (candidates that could no longer win were dropped, which changes no choice)"
    if name.startswith(PROPOSING):
        return f" (candidates were proposed by Optuna's {plain(name)} from the scores of the same tuning so far{end})"
    return f" (by {plain(name)}, which drops candidates before they are scored on all inner splits)"


def _end(method: Mapping[str, Any]) -> str:
    """What may have ended a search before all its candidates were tried."""
    words = [f"its share of {number(method['seconds'])} s was used up"] if method.get("seconds") else []
    words += ["its best score gained less than the noise"] if method.get("stop") == "noise" else []
    return f", and a tuning ended when {' or '.join(words)}" if words else ""


def _combined(protocol: Mapping[str, Any]) -> Iterator[str]:
    for method in (one for one in protocol["methods"] if one["members"]):
        how = "a weighted mean" if method["combines"] == "blend" else "a final learner"
        members = _listed([plain(name) for name in method["members"]])
        if method["combines"] == "best_of":
            yield f"The candidates of {plain(method['name'])} were those of {members} together."
            continue
        yield (
            f"{plain(method['name'])} combined {members} by {how} that was fitted on their out-of-fold predictions on "
            "the inner splits."
        )


def _picked(answer: Mapping[str, Any]) -> Iterator[str]:
    """A sentence on the auto row, which picks the method by tuning too."""
    auto = next((method for method in answer.get("methods") or [] if method["name"] == AUTO), None)
    if auto is not None and auto.get("risk") is not None:
        names = _listed([plain(name) for name in auto["may_pick"]])
        words = f"The method {AUTO} took in every outer split whichever of {names} had the smallest"
        yield f"{words} score on its inner splits."


def _untuned(protocol: Mapping[str, Any]) -> Iterator[str]:
    methods = [m for m in protocol["methods"] if m["kind"] == "plain" and not m["members"]]
    names = [plain(m["name"]) for m in methods if m["name"] != BASELINE]
    if names:
        yield f"{_listed(names)} {'was' if len(names) == 1 else 'were'} not tuned."
    if any(method["name"] == BASELINE for method in protocol["methods"]):
        yield "A featureless baseline was judged on the same splits."


def _risk(answer: Mapping[str, Any], protocol: Mapping[str, Any]) -> Iterator[str]:
    if protocol["outer"]["folds"] * protocol["outer"]["repeats"] == 1:
        yield f"The risk is the {'mean loss' if protocol['is_per_row'] else 'loss'} on the test rows."
    else:
        loss = "mean loss" if protocol["is_per_row"] else "loss"
        size = plain(answer.get("trained_on") or "").replace("training rows", "rows")
        about = "" if " to " in size or "about" in size else "about "
        rows = f", for models trained on {about}{size}" if size else ""
        yield f"The risk is the mean over outer splits of the {loss} on their test rows{rows}."


def _floor(answer: Mapping[str, Any], protocol: Mapping[str, Any], names: list[str]) -> Iterator[str]:
    """What an interval has beyond its reference, so that its numbers can be had again."""
    if "HAC" in names:
        yield (
            "They are about these forecasts in this period, not about the learner at other times: t intervals with a "
            "long-run variance from the lowest cosines of the losses in time, about one for every 26 test times, no "
            "shorter than with the autocovariances of as many lags as the forecasts go ahead; the upper ends of losses "
            "that are never negative are on the scale of logarithms."
        )
    if "corrected t" not in names:
        return
    if protocol["is_per_row"]:
        units = "rows" if protocol["groups"] is None else "groups"
        rate = answer.get("loss") == "zero_one"
        more = "; intervals of error rates reach at least as far as those of Clopper and Pearson" if rate else ""
        more += ", and those of their differences as far as Tango's" if rate else ""
        yield f"Their standard errors are no smaller than those of as many independent {units}{more}."
    if protocol["outer"]["repeats"] > 1:
        yield (
            f"The {protocol['outer']['repeats']} repeats, which bring no new rows, count as M R / (R + M - 1) runs, "
            "with R their number, and M = 2 for a risk and 8 for a difference."
        )


def _intervals(answer: Mapping[str, Any], protocol: Mapping[str, Any]) -> Iterator[str]:
    names = list(dict.fromkeys(m["interval"] for m in answer.get("methods") or [] if m.get("interval")))
    if all(method.get("risk") is None for method in answer.get("methods") or []):
        yield "No method has a risk, so no interval is given."
        return
    if not names:
        yield "No interval is given, as none is valid for these splits and this loss."
        return
    level = f"{100 * float(answer.get('level') or 0.95):g}%"
    yield f"Intervals are {level} {_listed([plain(name) for name in names])} intervals."
    yield from _floor(answer, protocol, names)
    winner = answer.get("winner") or {}
    if winner.get("low_simultaneous") is not None and winner["among"] > 1:
        yield _of_winner(winner)


def _of_winner(winner: Mapping[str, Any]) -> str:
    """At which level the interval of the picked method stands, and why."""
    methods = f"{winner['among']} methods"
    whichever = "so that it holds whichever was picked"
    if winner.get("level_shared") == "winner":
        return (
            f"The interval of the picked method is a winner's interval: it is at the level {winner['level']:.4f}, at "
            f"which the joint t law of the estimates of all {methods} says that the one picked is missed as seldom as "
            "stated, for all risks that the intervals of the differences allow (all pairs at once, for a tenth of the "
            f"error), {whichever}."
        )
    return f"The interval of the picked method is at the Bonferroni level over {methods}, {whichever}."


def _comparison(answer: Mapping[str, Any]) -> Iterator[str]:
    names = {m["difference_interval"] for m in answer.get("methods") or [] if m.get("difference_interval")}
    if names:
        how = _listed(sorted(TESTS.get(name) or plain(name) for name in names))
        is_adjusted = any(method.get("p_holm") is not None for method in answer["methods"])
        adjusted = ", and p values are adjusted by Holm's method" if is_adjusted else ""
        yield (
            f"Methods were compared by paired differences on the same test rows ({how}); which of them can be told "
            f"apart was judged by intervals that hold for all pairs at once (Bonferroni){adjusted}; comparisons with "
            "the baseline count apart from those among the others."
        )


def _decision(answer: Mapping[str, Any]) -> Iterator[str]:
    """How the probability to be the best and the regrets were had, where the study has them."""
    rivals = contestants(answer)
    if len(rivals) < 2:
        return
    decision = answer["decision"]
    df, has_mean = decision.get("df"), rivals[0]["expected_regret"] is not None
    law = "normal law" if df is None else f"t on {number(df)} degree{'' if df == 1 else 's'} of freedom"
    is_of_learners = decision.get("about") == "learners"
    regret = "expected regret" if has_mean else "regret"
    yield (
        f"The probability to be the best and the {regret} of taking each method come from a multivariate {law} around "
        "the estimated risks, in which every difference has at least the standard error of its interval, "
        f"under a flat prior{' (as Benavoli et al. have it for two methods)' if is_of_learners else ''}."
    )
    best = next((method for method in rivals if method["name"] == answer.get("best")), None)
    if best is not None:  # else nothing beats the baseline
        regret, chance = regret_words(best, "expected_regret", rivals[0]["risk"]), f"{best['p_best']:.2f}"
        cost = "" if best["expected_regret"] is None else f" (expected regret {regret})"
        yield f"By it {plain(best['name'])} is the best {among(answer, len(rivals))} with probability {chance}{cost}."
    if decision.get("margin") is not None:
        source = "a tenth of the gap to the baseline" if decision["margin_from"] == "baseline" else "fixed by the user"
        yield f"A regret of at most {number(decision['margin'], digits=3)} ({source}) was called negligible."


def _delivered(answer: Mapping[str, Any]) -> Iterator[str]:
    refit = answer.get("refit") or {}
    if refit.get("method"):
        again = "tuned again on all rows and fitted to them" if refit.get("candidate") else "fitted to all rows"
        yield f"The method with the smallest risk, {plain(refit['method'])}, is {again} for use."


def _failures(answer: Mapping[str, Any], protocol: Mapping[str, Any]) -> Iterator[str]:
    failed = sum(method.get("failed") or 0 for method in answer.get("methods") or [] if method["name"] != AUTO)
    if failed:
        policy = {
            "fail": "a method with a failed fit that its risk rests on has no risk",
            "baseline": "a failed fit was replaced by the featureless baseline of its own training rows",
            "drop_candidate": "candidates that failed while tuning were not chosen there",
        }[protocol["on_failure"]]
        yield f"{_count(failed, 'fit')} failed: {policy}."
    if answer.get("finished") is False:
        yield "The study is not finished, so these results are preliminary."


def _findings(answer: Mapping[str, Any]) -> Iterator[str]:
    """What a reader has to know of leaks and traps; notes stay on the page."""
    found = [one for one in answer.get("findings") or [] if one["severity"] != "note"]
    if found:
        words = "; ".join(f"{plain(one['text'])} ({plain(one['code'])})" for one in found)
        yield f"The checks for leaks and traps warned: {words}."


def _software(answer: Mapping[str, Any], protocol: Mapping[str, Any]) -> Iterator[str]:
    versions = answer.get("versions") or {}
    used = [f"{PACKAGES[name]} {plain(versions[name])}" for name in PACKAGES if name in versions]
    python = f"Python {plain(versions['python'])}" if "python" in versions else "Python"
    own = f"Foldwise {plain(versions['foldwise'])}" if "foldwise" in versions else "Foldwise"
    fits = f"{number(answer['fits'])} fits, seed {protocol['seed']}"
    yield f"All was done with {own} ({python}; {', '.join(used)}): {fits}."


def _range(ends: list[int]) -> str:
    """
    >>> _range([408, 408]), _range([47, 48])
    ('408', '47 to 48')
    """
    low, high = ends
    return number(low) if low == high else f"{number(low)} to {number(high)}"


def _count(count: int, noun: str) -> str:
    return f"{number(count)} {noun}{'' if count == 1 else 's'}"


def _listed(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
