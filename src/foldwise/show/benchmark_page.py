"""A benchmark as one self-contained page, in the manner of the report of one study."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from markupsafe import Markup

from foldwise.blocks.numbers import MISSING, loss_words, measured, number, plain
from foldwise.show import charts
from foldwise.show.benchmark_methods import benchmark_paragraph, benchmark_references
from foldwise.show.benchmark_text import benchmark_verdict, pair_score, percent, rank_columns
from foldwise.show.charts import Row, tag
from foldwise.show.charts.rows import breakable, whole
from foldwise.show.html import NOTE_KINDS, asset, assets, environment, record_link, write_page

Answer = Mapping[str, Any]


def benchmark_page(answer: Answer, *, title: str | None = None) -> str:
    """The whole benchmark as a page."""
    return environment().get_template("benchmark.html").render(
        answer=answer,
        title=title or "Foldwise benchmark",
        verdict_parts=benchmark_verdict(answer),
        hero=_hero(answer),
        note_kinds=NOTE_KINDS,
        picture=rank_picture(answer),
        ranks=_rank_chart(answer),
        matrix=_matrix(answer),
        pairs=_pair_chart(answer),
        details=list(_data_charts(answer)),
        paragraph=benchmark_paragraph(answer),
        references=benchmark_references(answer),
        plain=plain,
        number=number,
        missing=MISSING,
        **record_link(answer),
        **assets("benchmark.css"),
    )  # fmt: skip


def write_benchmark_page(path: str | Path, answer: Answer, *, title: str | None = None) -> Path:
    """Write the page to a file, making its folder if need be."""
    return write_page(path, benchmark_page(answer, title=title))


def benchmark_fragment(answer: Answer) -> str:
    """Mean ranks and the verdict, for a notebook."""
    columns = rank_columns(answer)
    head = tag("tr", *(tag("th", name, scope="col") for name in columns))
    rows = [tag("tr", *(tag("td", cell) for cell in row)) for row in zip(*columns.values(), strict=True)]
    words = tag("p", " ".join(benchmark_verdict(answer)))
    table = tag("table", tag("thead", head), tag("tbody", *rows))
    return str(tag("div", tag("style", asset("fragment.css")), words, table, class_="foldwise"))


def rank_picture(answer: Answer) -> Markup:
    """The critical-difference picture, where there are ranks of two methods or more."""
    ranks = {method["name"]: method["mean_rank"] for method in answer["methods"] if method["mean_rank"] is not None}
    found = answer["nemenyi"]
    if found is None or len(ranks) < 2:
        return Markup("")
    title = "Mean ranks and their critical difference"
    return charts.critical_difference(
        ranks, reach=found["critical_difference"], groups=found["groups"], title=title
    )  # fmt: skip


def _hero(answer: Answer) -> list[tuple[str, str, str]]:
    """The few numbers one looks for first: (label, number, what it is)."""
    counted = [data for data in answer["datasets"] if data["counted"]]
    cards = [("Data sets", str(len(counted)), f"of {len(answer['datasets'])} are compared")]
    best = next((method for method in answer["methods"] if method["name"] == answer["best"]), None)
    if best is not None:
        cards.insert(0, ("Best mean rank", plain(best["name"]), f"{number(best['mean_rank'], digits=3)} on average"))
        if best["relative_risk"] is not None:
            cards.append(("Against the baseline", percent(best["relative_risk"]), "of its risk on average"))
    if answer["friedman"] is not None and answer["friedman"]["methods"] > 2:  # two are a pair, which has its own test
        cards.append(
            ("Friedman's test", f"p = {number(answer['friedman']['exact_p'], digits=2)}", "of no difference in rank")
        )
    return cards


def _rank_chart(answer: Answer) -> Markup:
    """One dot per data set at the method's rank, a tick at their mean."""
    rows = [
        Row(
            name=plain(method["name"]),
            value=method["mean_rank"],
            points=tuple(
                (rank, f"{plain(data)}: rank {number(rank)}")
                for data, rank in method["ranks"].items()
                if rank is not None
            ),
            cells=(
                _sorted(method["mean_rank"], digits=3),
                _sorted(method["relative_risk"], digits=3),
                str(method["best_on"]),
                f"{method['beats_baseline']} of {method['data_sets']}",
            ),
            mark="best" if method["name"] == answer["best"] else "",
            key=key,
            words=f"{plain(method['name'])}: mean rank {number(method['mean_rank'], digits=3)}",
        )
        for key, method in enumerate(answer["methods"])
        if method["compared"]
    ]
    heads = ("method", "mean rank", "relative risk", "best on", "below the baseline on")
    return charts.dots(rows, heads=heads, caption="Ranks within each data set, 1 is best", picture="ranks")


def _matrix(answer: Answer) -> Markup:
    """Data sets by methods: risks on the way from the baseline's to the best of the data set, which is marked."""
    heads = [tag("th", "data set", scope="col"), tag("th", "loss", scope="col")]
    heads += [
        tag("th", breakable(name), scope="col", class_=f"number {whole(name) or ''}".strip(), data_method=key)
        for key, name in enumerate(plain(method["name"]) for method in answer["methods"])
    ]
    rows = [
        tag(
            "tr",
            tag("th", plain(data["data"]), scope="row"),
            tag("td", plain(data["loss"] or data["status"])),
            *(_risk_cell(data, method, key, least) for key, method in enumerate(answer["methods"])),
        )
        for data in answer["datasets"]
        for least in [_least(answer, data["data"])]
    ]
    caption = tag("caption", "Risks by data set; they are compared within a row, never down a column")
    return tag("table", caption, tag("thead", tag("tr", *heads)), tag("tbody", *rows), class_="plain wide matrix")


def _least(answer: Answer, data: str) -> float | None:
    """The smallest risk on a data set as a share of the baseline's, of the methods that are compared."""
    known = [method["relative_risks"].get(data) for method in answer["methods"] if method["compared"]]
    return min((share for share in known if share is not None), default=None)


def _depth(share: float | None, least: float | None) -> int:
    """How far a risk is from the baseline's, 0, to the best of its data set, 10; worse ones as far beyond."""
    if share is None or least is None or not least < 1:
        return 0
    return min(10, round(10 * abs(1 - share) / (1 - least)))


def _risk_cell(data: Mapping[str, Any], method: Mapping[str, Any], key: int, least: float | None) -> Markup:
    risk, share = method["risks"].get(data["data"]), method["relative_risks"].get(data["data"])
    known = {one["name"]: one for one in (data["answer"] or {}).get("methods", [])}
    own: Mapping[str, Any] = known.get(method["name"], {})
    shown, around = measured(risk, own.get("low"), own.get("high"))
    words = [f"interval {around}"] if around != MISSING else []
    words += [f"{percent(share)} of the baseline's risk"] if share is not None else []
    depth = _depth(share, least) if method["compared"] else 0
    is_best = method["compared"] and share is not None and share == least
    words += ["the smallest of this data set"] if is_best else []
    kind = f"number {'wrong' if share is not None and share > 1 else 'right'} shade-{depth}"
    text = tag("b", shown, " ●") if is_best else shown
    return tag("td", text, class_=kind, data_method=key, data_tip="; ".join(words) or None)


def _pair_chart(answer: Answer) -> Markup:
    """Every pair with its test."""
    names = ("first", "second", "better / equal / worse", "median difference", "p", "p, Holm")
    heads = [tag("th", name, scope="col", class_="number" if at > 1 else None) for at, name in enumerate(names)]
    places = {method["name"]: key for key, method in enumerate(answer["methods"])}
    rows = [
        tag(
            "tr",
            tag("th", breakable(first), scope="row", class_=whole(first)),
            tag("td", breakable(second), class_=whole(second)),
            *(tag("td", text, class_="number") for text in _pair_cells(pair)),
            data_method=places.get(pair["names"][1]),
        )
        for pair in answer["pairs"]
        for first, second in [map(plain, pair["names"])]
    ]
    caption = tag("caption", "Every pair over the data sets that both have")
    head = tag("thead", tag("tr", *heads))
    return tag("table", caption, head, tag("tbody", *rows), class_="plain wide sortable")


def _pair_cells(pair: Mapping[str, Any]) -> tuple[str, ...]:
    return pair_score(pair), percent(pair["difference"]), *(number(pair[key], digits=2) for key in ("p", "p_holm"))


def _data_charts(answer: Answer) -> Iterator[tuple[str, Markup]]:
    """Each data set's own risks with their intervals."""
    for data in answer["datasets"]:
        if data["answer"]:
            yield plain(data["data"]), _data_chart(answer, data)


def _data_chart(answer: Answer, data: Mapping[str, Any]) -> Markup:
    own = {method["name"]: method for method in data["answer"]["methods"]}
    words = {name: measured(one.get("risk"), one.get("low"), one.get("high")) for name, one in own.items()}
    rows = [
        Row(
            name=plain(name),
            value=own[name].get("risk"),
            low=own[name].get("low"),
            high=own[name].get("high"),
            cells=(_sorted(own[name].get("risk"), text=words[name][0]), words[name][1]),
            mark="best" if name == data["best"] else "" if method["compared"] else "quiet",
            key=key,
            words=f"{plain(name)}: {words[name][0]}",
        )
        for key, method in enumerate(answer["methods"])
        if (name := method["name"]) in own
    ]
    caption = f"{number(data['rows'])} rows, {plain(data['task'])}, {plain(loss_words(data))}"
    heads = ("method", "risk", "interval")
    return charts.intervals(rows, heads=heads, caption=caption, picture="risk and interval")


def _sorted(value: float | None, *, digits: int = 4, text: str = "") -> Any:
    return MISSING if value is None else (text or number(value, digits=digits), value)
