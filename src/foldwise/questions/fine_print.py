"""What a thorough reader wants beside the first screen: all numbers, what was chosen in each fold, and every note."""

from __future__ import annotations

from collections.abc import Iterator

from foldwise.blocks.block import Block, Cell, Chapter, Column, Facts, Finding, Row, Sentence, Table
from foldwise.blocks.numbers import MISSING, candidate_words, number, plain, span, with_reason
from foldwise.questions.answer import Answer, RiskValue
from foldwise.questions.auto import AutoAnswer
from foldwise.questions.contest import BASELINE
from foldwise.questions.failures import POLICY_WORDS
from foldwise.questions.method import MethodAnswer
from foldwise.questions.overview import WARNINGS, Overview

MOST_CHOICES = 5  # settings of a method that are listed; the rest are counted
MOST_FOLDS = 8  # folds that are named one by one
MEANINGS = (
    ("risk", "the mean loss on rows held out, tuning included; what is shown as the error is this in its own unit"),
    ("inner CV error", "the smallest error of the tuning, on its own training rows: optimistic, never to be reported"),
    ("gap", "risk less training risk; a large gap is a sign of overfitting, two high risks of underfitting"),
    ("same setting", "the share of folds that chose the most frequent setting"),
)


def details(answer: Answer) -> tuple[Block, ...]:
    """All that the first screen folds away."""
    overview = Overview(answer)
    parts = (
        Chapter("The study", (study_facts(answer),)),
        Chapter("All numbers", (_numbers(answer, overview), Facts(MEANINGS))),
        Chapter("Intervals", tuple(_intervals(answer))),
        Chapter("Which one to take", tuple(_decision(answer))),
        Chapter("Settings chosen, by outer fold", tuple(_choices(answer))),
        Chapter("Notes", tuple(_notes(answer))),
    )
    return tuple(part for part in parts if part.blocks)


def study_facts(answer: Answer) -> Facts:
    """What was asked: task, rows, splits, loss, seed."""
    value, study = answer.value, answer.study
    facts = [
        ("task", with_reason(value.task, "task", answer.notes)),
        ("rows", f"{value.rows:,}"),
        ("outer splits", with_reason(value.outer, "scheme", answer.notes)),
        ("inner splits", value.inner or "none"),
        ("loss", " / ".join(value.losses)),
        ("seed", str(value.seed)),
        ("errors are of models trained on", value.trained_on),
        ("failed fits", f"on_failure={study.on_failure!r}: {POLICY_WORDS[study.on_failure]}"),
        ("fits", f"{value.fits:,} distinct, {value.fits_made:,} made by this call, {value.seconds:.3g} s"),
    ]
    return Facts(tuple(facts))


def _numbers(answer: Answer, overview: Overview) -> Table:
    has_optimism = any(risk.optimism is not None for risk in answer.risks)
    heads = ["risk", "training risk", "gap", "inner CV error", *(["optimism"] if has_optimism else []), "same setting"]
    columns = (Column("method", is_text=True), *map(Column, [*heads, "failed", "fits", "seconds"]))
    return Table(columns, tuple(_row(risk, has_optimism) for risk in overview.sorted_risks()))


def _row(risk: RiskValue, has_optimism: bool) -> Row:
    values = [risk.risk, risk.train_risk, risk.gap, risk.selection_score, *([risk.optimism] if has_optimism else [])]
    agreement = MISSING if risk.agreement is None else f"{100 * risk.agreement:.0f}%"
    cells = [Cell(plain(risk.name)), *(Cell(number(value), value) for value in values), Cell(agreement, risk.agreement)]
    counts = [risk.failed, risk.fits, risk.seconds]
    return Row((*cells, *(Cell(number(value, digits=3), float(value)) for value in counts)), method=risk.name)


def _intervals(answer: Answer) -> Iterator[Block]:
    """Each interval by its name; that of the picked method alone and as the one that was picked."""
    for risk in answer.risks:
        if risk.interval is not None:
            ends = span(risk.low, risk.high)
            yield Sentence(f"{plain(risk.name)}: risk {number(risk.risk)} ({ends}, {risk.interval}): {risk.target}.")
    winner = answer.winner
    if winner is not None and winner.among > 1 and winner.low_simultaneous is not None:
        ends = span(winner.low_simultaneous, winner.high_simultaneous)
        yield Sentence(f"{plain(winner.name)} as the one picked of {winner.among}: {ends} (level {winner.level:.4g}).")
    if answer.may_be_as_good is not None and len(answer.differences) > 1:
        yield Sentence(
            "Comparisons in the table hold one at a time; the verdict uses intervals that hold for all of them at once."
        )


def _decision(answer: Answer) -> Iterator[Block]:
    """What taking each method may cost."""
    rivals = [(name, stake) for name, stake in answer.decided.stakes.items() if stake.p_best is not None]
    if len(rivals) < 2:
        return
    columns = ("P(best)", "expected regret", "regret at most", "P(within the margin)")
    rows = [
        Row(
            (
                Cell(plain(name)),
                *(
                    Cell(number(value, digits=3), value)
                    for value in (stake.p_best, stake.expected_regret, stake.regret_high, stake.p_within_margin)
                ),
            ),
            method=name,
        )
        for name, stake in rivals
    ]
    yield Table((Column("method", is_text=True), *map(Column, columns)), tuple(rows))
    margin = answer.decided.decision.margin
    words = "" if margin is None else f" The margin is {number(margin, digits=3)}."
    yield Sentence(f"Regret is the risk of a method less that of the best one, in the unit of the loss.{words}")


def _choices(answer: Answer) -> Iterator[Block]:
    lines = [(plain(method.method.name), words) for method in answer.every if (words := _chosen(method))]
    if lines:
        yield Facts(tuple(lines))


def _chosen(method: MethodAnswer) -> str:
    """Each setting that a method chose and the folds that chose it, the most frequent first."""
    folds: dict[str, list[str]] = {}
    is_repeated = method.study.outer.repeats > 1
    for fold in method.folds():
        if fold.candidate:
            label = f"{fold.repeat}.{fold.fold}" if is_repeated else str(fold.fold)
            is_auto = isinstance(method, AutoAnswer)
            words = plain(fold.candidate["method"]) if is_auto else candidate_words(fold.candidate)
            folds.setdefault(words, []).append(label)
    if method.method.members and folds:
        return _mean_weights(method)
    ordered = sorted(folds.items(), key=lambda item: -len(item[1]))
    parts = [f"{words} in {_named(labels)}" for words, labels in ordered[:MOST_CHOICES]]
    if rest := ordered[MOST_CHOICES:]:
        parts.append(f"{len(rest)} others in {sum(len(labels) for _, labels in rest)} folds")
    return "; ".join(parts)


def _mean_weights(method: MethodAnswer) -> str:
    """The weights of a blend, averaged over the folds, the largest first."""
    weights = [fold.candidate for fold in method.folds() if fold.candidate]
    means = {name: sum(fold.get(name, 0.0) for fold in weights) / len(weights) for name in weights[0]}
    ordered = sorted(means.items(), key=lambda item: -abs(item[1]))
    return "on average " + ", ".join(f"{plain(name)} {weight:.2f}" for name, weight in ordered if round(weight, 2))


def _named(labels: list[str]) -> str:
    return f"{len(labels)} folds" if len(labels) > MOST_FOLDS else f"fold {' '.join(labels)}"


def _notes(answer: Answer) -> Iterator[Block]:
    """Findings that only inform, and the notes that the first screen leaves out."""
    for finding in answer.findings:
        if finding.severity == "note":
            advice = f" {finding.advice}." if finding.advice else ""
            yield Finding(finding.code, "note", f"{plain(finding.text)}.{plain(advice)}")
    for code, text in answer.notes:
        if code not in (*WARNINGS, "task", "scheme"):
            yield Sentence(f"{plain(text)}.", "note")
    if any(risk.own_folds < len(answer.study.outer) for risk in answer.risks if risk.name != BASELINE):
        yield Sentence("Where a fit failed, the table says how many folds are the method's own.", "note")
