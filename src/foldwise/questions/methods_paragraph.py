"""The methods paragraph: what was done, in some 150 words to paste into a paper, with its references."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from foldwise.blocks.numbers import listed, plain
from foldwise.questions.answer import Answer
from foldwise.questions.contest import BASELINE
from foldwise.questions.units import unit_of
from foldwise.stats.chooser import INTERVALS

REFERENCES = {
    "nested": "Varma S., Simon R. (2006). Bias in error estimation when using cross-validation for model selection. "
    "BMC Bioinformatics 7, 91.",
    "winner": "Zrnic T., Fithian W. (2024). Locally simultaneous inference. Annals of Statistics 52, 1227-1253.",
    "decision": "Benavoli A., Corani G., Demsar J., Zaffalon M. (2017). Time for a change: a tutorial for comparing "
    "multiple classifiers through Bayesian analysis. Journal of Machine Learning Research 18 (77), 1-36.",
    "scikit-learn": "Pedregosa F. et al. (2011). Scikit-learn: machine learning in Python. Journal of Machine Learning "
    "Research 12, 2825-2830.",
}


@dataclass(frozen=True)
class Paragraph:
    """Sentences with citation marks, and the references in the order of their marks."""

    text: str
    references: tuple[str, ...]


def cited(paragraph: Paragraph) -> tuple[str, ...]:
    """The references, the first one being [1]."""
    return paragraph.references


def methods_paragraph(answer: Answer) -> Paragraph:
    """The protocol of this study in sentences that are true of it."""
    marks: list[str] = []

    def cite(name: str) -> str:
        own = answer.study.interval
        known = {row.name: row.reference for row in (*INTERVALS.values(), *([own] if own else []))}
        text = REFERENCES.get(name) or known.get(name, "")
        if not text:
            return ""
        if text not in marks:
            marks.append(text)
        return f" [{marks.index(text) + 1}]"

    sentences = [*_data(answer), *_splits(answer, cite), *_errors(answer, cite), *_software(answer, cite)]
    return Paragraph(" ".join(sentences), tuple(marks))


def _data(answer: Answer) -> Iterator[str]:
    study = answer.study
    kind = "regression" if study.task == "regression" else f"classification, {len(study.classes)} classes"
    weights = "; rows were weighted in fits and losses" if study.weights is not None else ""
    yield f"The data have {study.rows:,} rows ({kind}){weights}."
    if warnings := [plain(finding.text) for finding in answer.findings if finding.severity != "note"]:
        yield f"The checks for leaks and traps warned: {'; '.join(warnings)}."


def _splits(answer: Answer, cite: Callable[[str], str]) -> Iterator[str]:
    study, size = answer.study, answer.size
    whole = "; all rows of a group were held out together" if study.groups is not None else ""
    whole += "; training rows came before test rows in time" if study.outer.is_ordered else ""
    yield f"Errors were estimated on held-out rows ({plain(study.outer.scheme)}, {size}{whole})."
    tuned = [method for method in study.methods if method.inner is not None and not method.defaults_of]
    if tuned:
        inner = plain(tuned[0].inner.scheme) if tuned[0].inner else ""
        names = listed([method.name for method in tuned])
        how = list(dict.fromkeys(str(method.tuner) for method in tuned))
        nested = cite("nested") if len(study.outer) > 1 else ""
        how_tuned = f"inside every training part ({inner}; {listed(how)})"
        yield f"{names} were tuned {how_tuned}, so that tuning saw no test row{nested}."
    others = [method.name for method in study.methods if method.inner is None and method.name != BASELINE]
    others = [name for name in others if not any(name == method.defaults_of for method in study.methods)]
    shown = [name for name in others if any(method.name == name for method in study.shown)]
    if shown:
        yield f"{listed(shown)} had no parameters to tune."


def _errors(answer: Answer, cite: Callable[[str], str]) -> Iterator[str]:
    study, unit = answer.study, unit_of(answer.study.losses[0])
    names = list(dict.fromkeys(risk.interval for risk in answer.risks if risk.interval))
    level = f"{100 * study.level:g}%"
    if names:
        marks = "".join(cite(name) for name in names[:2])
        yield f"The error is the {unit.name}; intervals are {level} {listed(names)} intervals{marks}."
    else:
        yield f"The error is the {unit.name}; no interval is valid for these splits and this loss."
    winner = answer.winner
    if winner is not None and winner.among > 1 and winner.low_simultaneous is not None:
        mark = cite("winner") if winner.level_shared == "winner" else ""
        yield f"That of the selected method is adjusted for the selection (level {winner.level:.3f}){mark}."
    compared = list(dict.fromkeys(d.interval for d in answer.differences.values() if d.interval))
    if compared:
        marks = "".join(cite(name) for name in compared if name not in names)
        by = f"paired differences ({listed(compared)}){marks}"
        yield f"Methods were compared on the same rows by {by}, all pairs at once."
    failed = sum(risk.failed for risk in answer.risks)
    if failed:
        yield f"{failed:,} fits failed (policy: {study.on_failure})."
    refit = answer.refit
    if refit is not None:
        again = "tuned again on all rows and fitted to them" if refit.candidate else "fitted to all rows"
        yield f"The delivered model is {plain(refit.method)}, {again}."
    if not answer.is_finished:
        yield "The study is not finished, so these results are preliminary."


def _software(answer: Answer, cite: Callable[[str], str]) -> Iterator[str]:
    versions = answer.versions
    own, learn = versions.get("foldwise", ""), versions.get("scikit-learn", "")
    mark = cite("scikit-learn") if learn else ""
    software = f"Foldwise {plain(own)}, scikit-learn {plain(learn)}{mark}"
    yield f"Software: {software}; {answer.fits:,} fits, seed {answer.study.seed}."
