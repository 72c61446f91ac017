"""A benchmark as blocks: the verdict, mean ranks, the risks by data set, pairs and protocol."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from foldwise.blocks.block import (
    Block,
    Cell,
    Chapter,
    Column,
    Document,
    Drawn,
    Facts,
    Panels,
    Row,
    Sentence,
    Strip,
    Table,
)
from foldwise.blocks.figure import Axis, Figure, Marks, Points, Whiskers
from foldwise.blocks.numbers import MISSING, listed, number, plain

Answer = Mapping[str, Any]
Pair = Mapping[str, Any]
REFERENCES = (
    "Demšar J. (2006). Statistical comparisons of classifiers over multiple data sets. Journal of Machine Learning "
    "Research 7, 1-30.",
    "Iman R. L., Davenport J. M. (1980). Approximations of the critical region of the Friedman statistic. "
    "Communications in Statistics 9, 571-595.",
    "Holm S. (1979). A simple sequentially rejective multiple test procedure. Scandinavian Journal of Statistics 6, "
    "65-70.",
)


def benchmark_blocks(answer: Answer) -> tuple[Block, ...]:
    """The verdict, the ranks and the risks: what is printed."""
    notes = tuple(Sentence(f"{plain(note['text'])}.", "note") for note in answer["notes"])
    return (Sentence(" ".join(benchmark_verdict(answer)), "verdict"), rank_table(answer), risk_table(answer), *notes)


def benchmark_document(answer: Answer, *, title: str | None = None) -> Document:
    """The page of a benchmark."""
    methods = sum(method["compared"] for method in answer["methods"])
    counted = [data for data in answer["datasets"] if data["counted"]]
    figures = (critical_figure(answer),) if answer["nemenyi"] else ()
    chapters = [
        Chapter("Risks by data set", (risk_table(answer),), "risks"),
        Chapter("Pairs of methods", tuple(_pair_blocks(answer)), "pairs"),
        Chapter("Notes", tuple(Sentence(f"{plain(note['text'])}.", "note") for note in answer["notes"]), "notes"),
        Chapter("How this was tested", tuple(_method_blocks(answer)), "how"),
    ]
    return Document(
        title=title or f"{methods} methods on {len(counted)} data sets",
        about=f"{', '.join(map(plain, answer['losses']))} loss; errors are measured on rows held out.",
        lead=(Sentence(" ".join(benchmark_verdict(answer)), "verdict"),),
        table=(rank_table(answer), *((Panels(figures),) if figures else ())),
        chapters=tuple(chapter for chapter in chapters if chapter.blocks),
    )


def rank_table(answer: Answer) -> Table:
    """One row per method that is compared, the best mean rank first."""
    methods = [method for method in answer["methods"] if method["compared"]]
    counted = sum(data["counted"] for data in answer["datasets"])
    heads = ("mean rank", "relative risk", "best on", "below the baseline on")
    rows = tuple(
        Row(
            (
                Cell(plain(method["name"])),
                Cell(number(method["mean_rank"], digits=3), method["mean_rank"]),
                Cell(number(method["relative_risk"], digits=3), method["relative_risk"]),
                Cell(f"{method['best_on']} of {counted}", method["best_on"]),
                Cell(f"{method['beats_baseline']} of {method['data_sets']}", method["beats_baseline"]),
            ),
            Drawn(method["mean_rank"], words=f"{plain(method['name'])}: mean rank {number(method['mean_rank'])}"),
            "best" if method["name"] == answer["best"] else "",
            method=method["name"],
        )
        for method in methods
    )
    columns = (Column("method", is_text=True), *(Column(head, is_spare=head.startswith("below")) for head in heads))
    return Table(columns, rows, Strip("mean rank"), 1, "Methods over all data sets")


def risk_table(answer: Answer) -> Table:
    """One row per data set, one column per method; the smallest risk of those compared is marked."""
    rows = []
    for data in answer["datasets"]:
        cells = [Cell(plain(data["data"])), Cell(plain(data["loss"] or data["status"]))]
        risks = [method["risks"].get(data["data"]) for method in answer["methods"]]
        known = [
            risk
            for method, risk in zip(answer["methods"], risks, strict=True)
            if method["compared"] and risk is not None
        ]
        for method, risk in zip(answer["methods"], risks, strict=True):
            is_best = method["compared"] and risk is not None and risk == min(known)
            cells.append(Cell(number(risk) + ("*" if is_best else ""), risk, is_strong=is_best))
        rows.append(Row(tuple(cells)))
    heads = (Column("data set", is_text=True), Column("loss", is_text=True))
    methods = tuple(Column(plain(method["name"])) for method in answer["methods"])
    return Table((*heads, *methods), tuple(rows), title="Risks by data set; * is the smallest of those compared")


def critical_figure(answer: Answer) -> Figure:
    """Mean ranks, with a bar over those that differ by less than Nemenyi's critical difference."""
    ranked = sorted(
        (one for one in answer["methods"] if one["mean_rank"] is not None), key=lambda one: one["mean_rank"]
    )
    places = {method["name"]: float(place) for place, method in enumerate(ranked)}
    marks: list[Marks] = [Points([method["mean_rank"] for method in ranked], list(places.values()))]
    for group in answer["nemenyi"]["groups"]:
        ranks = [method["mean_rank"] for method in ranked if method["name"] in group]
        at = sum(places[name] for name in group) / len(group)
        marks.append(Whiskers([at], [min(ranks)], [max(ranks)], "second", is_flat=True, label="may be as good"))
    reach = number(answer["nemenyi"]["critical_difference"], digits=3)
    words = f"Ranks that differ by less than the critical difference, {reach}, may be chance (Nemenyi)."
    rows = tuple((place, plain(name)) for name, place in places.items())
    x, y = Axis("mean rank", 1.0, float(max(2, len(ranked)))), Axis("", ticks=rows, is_reversed=True)
    return Figure("Mean ranks", x, y, tuple(marks), words, is_wide=True)


def _pair_blocks(answer: Answer) -> Iterator[Block]:
    rows = [
        Row(
            (
                Cell(f"{plain(pair['names'][0])}, {plain(pair['names'][1])}"),
                Cell(f"{pair['better']} / {pair['equal']} / {pair['worse']}"),
                Cell(MISSING if pair["difference"] is None else f"{100 * pair['difference']:.3g}%", pair["difference"]),
                Cell(number(pair["p"], digits=2), pair["p"]),
                Cell(number(pair["p_holm"], digits=2), pair["p_holm"]),
            )
        )
        for pair in answer["pairs"]
    ]
    if rows:
        heads = ("won / equal / lost", "difference", "p", "p by Holm")
        yield Sentence("Differences are shares of the baseline's risk, on average over the data sets of both methods.")
        yield Table((Column("pair", is_text=True), *map(Column, heads)), tuple(rows))


def _method_blocks(answer: Answer) -> Iterator[Block]:
    """The protocol, to paste into a paper."""
    counted = [data for data in answer["datasets"] if data["counted"]]
    names = [method["name"] for method in answer["methods"] if method["compared"]]
    studies = [data["answer"] for data in counted if data["answer"]]
    outer = " or ".join(sorted({plain(study.get("outer") or "") for study in studies} - {""}))
    inner = " or ".join(sorted({plain(study.get("inner") or "") for study in studies} - {""}))
    words = [f"{len(names)} methods ({listed(names) if names else 'none'}) were compared on {len(counted)} data sets."]
    words += [f"On each, the error of every method was estimated on rows held out ({outer})."] if outer else []
    words += [f"Tuning was repeated inside every training part ({inner})."] if inner else []
    words.append("Methods were ranked within each data set and their ranks averaged [1].")
    test = answer["friedman"]
    words += [
        "Equality of all methods was tested by Friedman's test [2], pairs by that of two with Holm's correction [3]."
    ] * bool(test)
    versions = answer["versions"]
    words.append(
        f"Software: Foldwise {plain(versions.get('foldwise', ''))}; {answer['fits']:,} fits, seed {answer['seed']}."
    )
    yield Sentence(" ".join(words))
    yield Facts(tuple((f"[{place}]", text) for place, text in enumerate(REFERENCES, 1)), "References")


def benchmark_verdict(answer: Answer) -> list[str]:
    """The comparison over data sets in a few plain sentences, which never say more than the numbers do."""
    counted = [data for data in answer["datasets"] if data["counted"]]
    if not counted:
        return ["No data set has an answer that could be compared.", *_left_sentences(answer)]
    if answer["best"] is None:
        return ["No learner has a risk on every data set, so none is ranked.", *_left_sentences(answer)]
    return [
        *_best_sentences(answer, len(counted)),
        *_friedman_sentences(answer),
        *_pair_sentences(answer),
        *_left_sentences(answer),
    ]


def _best_sentences(answer: Answer, sets: int) -> Iterator[str]:
    ranked = [method for method in answer["methods"] if method["mean_rank"] is not None]
    best = next(method for method in ranked if method["name"] == answer["best"])
    name, over = plain(best["name"]), f"{sets} data set{'s' if sets != 1 else ''}"
    if len(ranked) == 1:
        yield f"{name} is the only learner with a risk on all of {over}, so there is nothing to rank."
    else:
        rank = number(best["mean_rank"], digits=3)
        equals = [plain(one["name"]) for one in ranked if one is not best and one["mean_rank"] == best["mean_rank"]]
        shared = f" (as {_listed(equals)})" if equals else ""
        smallest = f"it has the smallest risk on {best['best_on']} of them"
        if sets == 1:
            yield f"{name} has the smallest risk of {len(ranked)} methods{shared} on the only data set."
        else:
            yield f"{name} has the best mean rank of {len(ranked)} methods: {rank}{shared} over {over}; {smallest}."
    if best["relative_risk"] is not None:
        mean = " on average" if sets > 1 else ""
        yield f"Its risk is {100 * best['relative_risk']:.3g}% of the baseline's{mean}."
    if lost := best["data_sets"] - best["beats_baseline"]:
        where = f" on {lost} of {over}" if sets > 1 else ""
        yield f"It is not below the baseline{where}."


def _friedman_sentences(answer: Answer) -> Iterator[str]:
    """Do three methods or more differ at all? Two are a pair, and what pairs show is not taken back here."""
    test = answer["friedman"]
    if test is None or test["methods"] < 3:
        return
    p = f"p = {number(test['exact_p'], digits=2)}"
    is_pair_apart = any(_is_apart(pair, answer) for pair in answer["pairs"])
    if test["exact_p"] <= 1 - answer["level"]:
        rest = "" if is_pair_apart else ", but the pairs do not show which"
        yield f"The methods differ by more than chance (Friedman's test, {p}){rest}."
    elif not is_pair_apart:
        yield f"The order may be chance: Friedman's test does not tell the methods apart ({p})."


def _is_apart(pair: Pair, answer: Answer) -> bool:
    return pair["p_holm"] is not None and pair["p_holm"] <= 1 - answer["level"]


def _pair_sentences(answer: Answer) -> Iterator[str]:
    """Who is better and worse than the best method, or than the control."""
    centre = answer["control"] or answer["best"]
    pairs = [pair for pair in answer["pairs"] if centre in pair["names"] and pair["p_holm"] is not None]
    if not pairs:
        return
    kinds = {key: list[str]() for key in ("better", "worse", "same")}
    for pair in pairs:
        (other,) = [name for name in pair["names"] if name != centre]
        is_first_better, p = pair["better"] > pair["worse"], number(pair["p_holm"], digits=2)
        is_worse = is_first_better == (pair["names"][0] == centre)
        kind = "same" if not _is_apart(pair, answer) else "worse" if is_worse else "better"
        kinds[kind].append(plain(other) if kind == "same" else f"{plain(other)} (p = {p})")
    tested = sum(pair["p_holm"] is not None for pair in answer["pairs"])
    how = f"by Friedman's test of two with Holm's correction over {tested} pair{'s' if tested != 1 else ''}"
    name = plain(centre)
    if kinds["worse"]:
        yield f"{name} is better than {_listed(kinds['worse'])}, {how}."
    if kinds["better"]:
        yield f"{_listed(kinds['better'])} {_is(kinds['better'])} better than {name}, {how}."
    if kinds["same"]:
        more = "" if kinds["worse"] or kinds["better"] else f", {how}"
        yield f"{_listed(kinds['same'])} cannot be told apart from {name}{more}."


def _left_sentences(answer: Answer) -> Iterator[str]:
    failed = [plain(data["data"]) for data in answer["datasets"] if data["status"] == "failed"]
    waiting = [plain(data["data"]) for data in answer["datasets"] if data["status"] == "unfinished"]
    codes = {note["code"] for note in answer["notes"]}
    if "few" in codes:
        yield "So few data sets could not have shown a difference."
    if "few pairs" in codes:
        yield "So few data sets cannot show which methods differ."
    if failed:
        yield f"Without an answer: {_listed(failed)}."
    if waiting:
        yield f"Not finished: {_listed(waiting)}."


def _is(names: Sequence[str]) -> str:
    return "is" if len(names) == 1 else "are"


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
