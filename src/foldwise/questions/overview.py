"""What is read first: which method to use, how wrong it will be and how sure that is; then one table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from foldwise.blocks.block import Block, Cell, Column, Drawn, Finding, Row, Sentence, Strip, Table
from foldwise.blocks.numbers import MISSING, candidate_words, listed, plain
from foldwise.questions.answer import Answer, RiskValue
from foldwise.questions.contest import BASELINE
from foldwise.questions.method import MethodAnswer
from foldwise.questions.units import Ratio, Unit, dashed, fixed, places_for, ratio_of, unit_of

AUTO = "auto"
MUCH_QUICKER, LONG = 5, 1.0  # times quicker, and seconds below which nobody minds
NAMED = 3  # rivals that the verdict names one by one
# Notes that change what one would do stand before the table; all others are details.
WARNINGS = ("imbalance", "failed", "unfinished", "undefined", "limit", "tail", "shares", "groups", "weights")
BASELINE_DOES = {"squared": "predicting the mean gives", "zero_one": "always predicting the most frequent class gives"}


class Overview:
    """The first screen of an answer, as blocks."""

    def __init__(self, answer: Answer) -> None:
        self.answer, self.study = answer, answer.study
        self.unit: Unit = unit_of(answer.study.losses[0])
        self.risks = {risk.name: risk for risk in answer.risks}
        self.ends = {name: self._ends(risk) for name, risk in self.risks.items()}
        self.places = places_for([self.ends[name] for name in self.risks if name != BASELINE] or [None])
        self.level = f"{100 * answer.study.level:g}%"

    def _ends(self, risk: RiskValue) -> tuple[float, float] | None:
        """The interval of a method; of the one picked, the interval that holds although it was picked."""
        winner = self.answer.winner
        if winner is not None and winner.name == risk.name and winner.low_simultaneous is not None:
            return self.unit.ends(winner.low_simultaneous, winner.high_simultaneous)
        return self.unit.ends(risk.low, risk.high)

    # ten seconds

    def lead(self) -> tuple[Block, ...]:
        """The verdict in two or three sentences, then what would change it."""
        text = " ".join(self._sentences())
        return (Sentence(text, "verdict"), *self._warnings())

    def _sentences(self) -> Iterator[str]:
        best = self.answer.best
        if best is None:
            yield self._no_answer()
            return
        name, risk = best.method.name, self.risks[best.method.name]
        if name == BASELINE:
            yield self._baseline_wins(risk)
            return
        use = "Use" if self.answer.is_finished else "So far, use"
        error = f"its {self._typical()} on new rows is about {self._number(risk)}"
        yield f"{use} {plain(name)}: {error}; {self._against_baseline()}."
        yield from self._rivals(best)

    def _typical(self) -> str:
        return f"typical error ({self.unit.name})" if self.unit.name in ("RMSE", "MAE") else self.unit.name

    def _number(self, risk: RiskValue) -> str:
        ends = self.ends[risk.name]
        value = self.unit.text(risk.risk, self.places)
        if ends is None:
            return f"{value} (no interval is valid here)"
        return f"{value} ({self.level} CI {self.unit.span(ends, self.places)})"

    def _against_baseline(self) -> str:
        """The baseline's error beside, and whether it is beaten for sure."""
        baseline = self.risks.get(BASELINE)
        if baseline is None or baseline.risk is None:
            return "the baseline has no error to compare it with"
        does = BASELINE_DOES.get(self.study.losses[0].name, "the baseline has")
        words = f"{does} {self.unit.text(baseline.risk, self.places)}"
        standing = self._standing(BASELINE)
        return f"{words}, which it does not clearly beat" if standing == "same" else words

    def _standing(self, name: str) -> str:
        """Whether a method may be as good as the best, is worse, or cannot be compared."""
        together, difference = self.answer.may_be_as_good, self.answer.differences.get(name)
        if difference is None:
            return "unknown"
        if together is not None and difference.low is not None:
            return "same" if name in together else "worse"
        if difference.low is None or difference.high is None:
            return "unknown"
        return "same" if difference.low <= 0 <= difference.high else "worse"

    def _rivals(self, best: MethodAnswer) -> Iterator[str]:
        others = [risk.name for risk in self.sorted_risks() if risk.name not in (best.method.name, BASELINE, AUTO)]
        others = [name for name in others if self.risks[name].risk is not None]
        groups: dict[str, list[str]] = {"same": [], "worse": [], "unknown": []}
        for name in others:
            groups[self._standing(name)].append(name)
        if groups["same"]:
            quicker = self._quicker(best, groups["same"])
            yield f"{_some(groups['same'])} may be as good{f' ({quicker})' if quicker else ''}."
        if groups["worse"]:
            yield f"{_some(groups['worse'])} {'is' if len(groups['worse']) == 1 else 'are'} worse."
        if groups["unknown"]:
            verb = "differs" if len(groups["unknown"]) == 1 else "differ"
            yield f"Whether {_some(groups['unknown'])} {verb} cannot be said here."

    def _quicker(self, best: MethodAnswer, names: Sequence[str]) -> str:
        """A rival within the margin that is far quicker to fit."""
        spent = best.seconds
        within = [name for name in names if self.answer.decided.of(name).within_margin]
        quick = min(within, key=lambda name: self.risks[name].seconds, default=None)
        if quick is None or spent < LONG or self.risks[quick].seconds * MUCH_QUICKER > spent:
            return ""
        return f"{plain(quick)} fits far quicker: {self.risks[quick].seconds:.2g} s instead of {spent:.2g} s"

    def _baseline_wins(self, risk: RiskValue) -> str:
        others = [other for name, other in self.risks.items() if name not in (BASELINE, AUTO)]
        if others and all(not other.own_folds for other in others):
            return f"Every other method failed; the baseline's {self.unit.name} is {self._number(risk)}."
        head = "Nothing" if self.answer.is_finished else "So far, nothing"
        return f"{head} beats the baseline: its {self._typical()} on new rows is about {self._number(risk)}."

    def _no_answer(self) -> str:
        statuses = Counter(risk.status for risk in self.answer.risks if risk.name != BASELINE)
        words = ", ".join(f"{count} {status}" for status, count in statuses.items())
        head = "No method has an error yet" if "unfinished" in statuses else "No method but the baseline has an error"
        return f"{head} ({words})."

    def _warnings(self) -> Iterator[Block]:
        for finding in self.answer.findings:
            if finding.severity != "note":
                advice = f" {finding.advice}." if finding.advice else ""
                yield Finding(finding.code, finding.severity, f"{plain(finding.text)}.{plain(advice)}")
        for code, text in self.answer.notes:
            if code in WARNINGS:
                yield Sentence(f"{plain(text)}.", "warning")

    # one minute

    def sorted_risks(self) -> list[RiskValue]:
        """The methods by their risk, the best first; those without one last."""
        best = self.answer.best.method.name if self.answer.best else None

        def place(risk: RiskValue) -> tuple[bool, float, bool, str]:
            return risk.risk is None, risk.risk or 0.0, risk.name != best, risk.name

        return sorted(self.answer.risks, key=place)

    def table(self) -> tuple[Block, ...]:
        """The one table, and what was chosen for the picked method."""
        return (self.main_table(), *self._after_table())

    def next_steps(self) -> Sentence:
        """What one may do with the answer."""
        fits = "refit() fits it on all rows, " if self.answer.refit else ""
        return Sentence(f"Next: {fits}report(path) writes the page, details() has all other numbers and notes.", "next")

    def main_table(self) -> Table:
        """One row per method; the procedure that picks inside each fold and the baseline stand below a rule."""
        risks = self.sorted_risks()
        ordered = [risk for risk in risks if risk.name not in (AUTO, BASELINE)]
        below = [risk for risk in risks if risk.name in (AUTO, BASELINE)]
        second = self._second_metric()
        has_chance = any(self.answer.decided.of(risk.name).p_best is not None for risk in risks)
        columns = [Column("method", is_text=True), Column(self.unit.name), Column(f"{self.level} CI")]
        columns += [Column(second, is_spare=True)] if second else []
        columns += [Column(self._against_head())]
        columns += [Column("P(best)", is_spare=True)] if has_chance else []
        rows = []
        for risk in [*ordered, *below]:
            cells = [Cell(self._label(risk.name)), self._risk_cell(risk), self._ends_cell(risk)]
            cells += [self._metric_cell(risk.name, second)] if second else []
            cells += [self._against_best(risk.name)]
            cells += [self._chance(risk.name)] if has_chance else []
            is_best = self.answer.best is not None and risk.name == self.answer.best.method.name
            mark = "best" if is_best else "quiet" if risk in below else ""
            has_rule = bool(ordered) and bool(below) and risk is below[0]
            rows.append(Row(tuple(cells), self._drawn(risk), mark, has_rule, method=risk.name))  # type: ignore[arg-type]
        strip = Strip(most=self._most(ordered))
        return Table(tuple(columns), tuple(rows), strip, strip_after=3, title="Error by method")

    def _label(self, name: str) -> str:
        return {AUTO: "best per fold"}.get(name, plain(name))

    def _risk_cell(self, risk: RiskValue) -> Cell:
        if risk.risk is None:
            return Cell(risk.status)
        own = f" ({risk.own_folds} of {len(self.study.outer)} folds)" if risk.own_folds < len(self.study.outer) else ""
        own = own if risk.own_folds and risk.name != AUTO else ""
        return Cell(self.unit.text(risk.risk, self.places) + own, self.unit.shown(risk.risk))

    def _ends_cell(self, risk: RiskValue) -> Cell:
        return Cell(self.unit.dash(self.ends[risk.name], self.places))

    def _drawn(self, risk: RiskValue) -> Drawn:
        ends = self.ends[risk.name] or (None, None)
        words = f"{plain(risk.name)}: {self.unit.name} {self._number(risk)}" if risk.risk is not None else ""
        return Drawn(self.unit.shown(risk.risk), ends[0], ends[1], words=words)

    def _most(self, ordered: Sequence[RiskValue]) -> float | None:
        """Where the scale of the strip ends, so that a poor baseline does not flatten all others."""
        if self.unit.is_better_high or not ordered:
            return None
        ends = [end for risk in ordered for end in (self.unit.shown(risk.risk), *(self.ends[risk.name] or ()))]
        known: list[float] = [end for end in ends if end is not None]
        baseline = self.risks.get(BASELINE)
        least = self.unit.shown(baseline.risk) if baseline else None
        if not known or least is None or least <= max(known) + 1.5 * (max(known) - min(known)):
            return None
        return max(known)

    def _second_metric(self) -> str | None:
        """R2 of numbers and the AUC of classes, unless that is the loss itself."""
        name = "R²" if self.study.task == "regression" else "AUC"
        is_same = self.unit.name.lower() in (name.lower(), "r2")
        return None if is_same else name

    def _metric_cell(self, name: str, head: str | None) -> Cell:
        key = "r2" if head == "R²" else "auc"
        method = next(method for method in self.answer.every if method.method.name == name)
        value = next((metric.value for metric in method.metrics if metric.name == key and metric.of is None), None)
        return Cell(MISSING) if value is None or value != value else Cell(fixed(value, 2), value)

    def _against_head(self) -> str:
        best = self.answer.best
        is_ratio = best is None or any(ratio_of(method, best) for method in self.answer.every if method.status == "ok")
        return "times the best's" if is_ratio else "minus the best's"

    def _against_best(self, name: str) -> Cell:
        """How many times the best's error it is, or its difference where a ratio says nothing."""
        best = self.answer.best
        if best is None or name not in self.answer.differences:
            return Cell("" if best is not None and name == best.method.name else MISSING)
        method = next(method for method in self.answer.every if method.method.name == name)
        ratio: Ratio | None = ratio_of(method, best)
        if ratio is not None:
            return Cell(dashed(str(ratio)), ratio.value)
        difference = self.answer.differences[name]
        scale = 100 if self.unit.scale == "percent" else -1 if self.unit.scale == "score" else 1
        numbers = [number if number is None else scale * number for number in (difference.low, difference.high)]
        value, (low, high) = scale * difference.value + 0.0, numbers
        ends = None if low is None or high is None else (min(low, high), max(low, high))
        places = places_for([ends])
        around = "" if ends is None else f" ({dashed(' to '.join(fixed(end, places) for end in ends))})"
        return Cell(f"{fixed(value, places)}{around}", value)

    def _chance(self, name: str) -> Cell:
        p_best = self.answer.decided.of(name).p_best
        return Cell("") if p_best is None else Cell("<1%" if 0 < p_best < 0.01 else f"{100 * p_best:.0f}%", p_best)

    def _after_table(self) -> Iterator[Block]:
        if words := self._chosen():
            yield Sentence(words)

    def _chosen(self) -> str:
        """One line on what was chosen for the picked method."""
        refit, best = self.answer.refit, self.answer.best
        if refit is None or best is None or not refit.candidate:
            return ""
        tried = best.method.candidates[: best.method.listed]
        varied = [name for name in refit.candidate if len({repr(candidate.get(name)) for candidate in tried}) > 1]
        names = varied or list(refit.candidate)
        words = candidate_words({name: refit.candidate[name] for name in names})
        chosen = [candidate_words({name: (fold.candidate or {}).get(name) for name in names}) for fold in best.folds()]
        agreed = chosen.count(words)
        how_often = f" ({agreed} of {len(chosen)} folds chose the same)" if agreed else ""
        return f"Chosen for {plain(refit.method)}: {words}{how_often}."


def _some(names: Sequence[str]) -> str:
    """Names in a sentence; of many the first ones and how many others.

    >>> _some(["ridge", "blend", "forest", "k-nn", "tree"]), _some(["ridge"])
    ('ridge, blend and 3 others', 'ridge')
    """
    if len(names) <= NAMED:
        return listed(names)
    return f"{', '.join(map(plain, names[: NAMED - 1]))} and {len(names) - NAMED + 1} others"
