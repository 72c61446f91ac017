"""Write docs/reference/ from the docstrings of every public name; a test asserts that it is up to date."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import foldwise as fw

FOLDER = Path(__file__).parent / "reference"

# A page per kind of thing; a name belongs to the first page whose rooms hold it.
PAGES = {
    "calls": ("Compare, estimate, check", "What one calls with a table.", ("api.",)),
    "answers": ("Answers", "What the calls give back.", ()),
    "models": ("Models", "Fitted models as files.", ("api.models",)),
    "learners": (
        "Learners, spaces and tuners",
        "What is fitted, and what is tried.",
        ("learners.", "spaces.", "tuners."),
    ),
    "splits": ("Splits", "Which rows train and which rows judge.", ("splits.",)),
    "losses": (
        "Losses and bounds",
        "What one prediction costs, and what a development set promises.",
        ("losses.", "stats.bounds"),
    ),
    "errors": ("Errors", "What is raised.", ("errors",)),
}
MODULES = {
    "intervals": "Intervals from your own losses.",
    "comparisons": "Comparisons from your own losses.",
    "lab": "Simulated problems with known truth.",
    "testing": "Contracts for parts of your own.",
}
TOOLS = {"Tuner", "Evaluate", "OVER", "PROPOSE", "Evidence", "IntervalMethod"}  # for extending
# Made by Foldwise for you to read: how they are made is no part of the reference.
GIVEN = {"Result", "Benchmark", "Plan", "Curve", "SearchCurve", "PermutationTest", "Evidence"}
GIVEN |= {"Across", "Family", "PairAcross"}
PARAMETER = re.compile(r"(?:^|(?<=[.:;)] ))((?:`\*{0,2}\w+`(?:, | and )?)+): ")
RAISES = "`FoldwiseError` where the input cannot be used: one sentence with what was found and what to do."


def pages() -> dict[str, str]:
    """Every page of the reference by its file name."""
    found: dict[str, list[str]] = {name: [] for name in PAGES}
    for name in fw.__all__:
        if name != "__version__":
            found[_page_of(name)].append(name)
    made = {
        f"{page}.md": _page(PAGES[page][0], PAGES[page][1], fw, sorted(names, key=_order))
        for page, names in found.items()
    }
    for name, words in MODULES.items():
        module = getattr(fw, name)
        made[f"{name}.md"] = _page(
            f"foldwise.{name}", words, module, sorted(_public(module), key=_order), f"fw.{name}."
        )
    made["index.md"] = _index(found)
    return made


def entries() -> Iterator[tuple[str, Any]]:
    """Every public function and class, and their methods, by the title each has in the reference."""
    homes = [("fw", fw), *((f"fw.{name}", getattr(fw, name)) for name in MODULES)]
    for prefix, home in homes:
        for name in home.__all__:
            value = getattr(home, name)
            if callable(value):
                yield f"{prefix}.{name}", value
                members = _members(value) if isinstance(value, type) else ()
                yield from ((f"{prefix}.{name}.{member}", found) for member, found in members)


def _page_of(name: str) -> str:
    home = fw._HOMES[name]
    if name in TOOLS:
        return "learners" if home.startswith("tuners") else "losses"
    if home.startswith("api.models"):
        return "models"
    if home == "errors":
        return "errors"
    value = getattr(fw, name)
    fits = [page for page, (_, _, rooms) in PAGES.items() if rooms and home.startswith(rooms)]
    if isinstance(value, type) and (not fits or fits[0] == "calls"):
        return "answers"
    return fits[0] if fits else "answers"


def _order(name: str) -> tuple[bool, str]:
    return name[0].isupper(), name.lower()


def _public(module: ModuleType) -> list[str]:
    return [name for name in module.__all__ if not name.startswith("_")]


def _index(found: dict[str, list[str]]) -> str:
    lines = [
        "# Reference",
        "",
        "Every public name, made by `make docs` from the docstrings. Commands: [the command line](../cli.md).",
        "",
    ]
    lines += ["```{toctree}", ":hidden:", "", *found, *MODULES, "```", "", "| page | names |", "| --- | --- |"]
    for page, names in found.items():
        links = ", ".join(f"[`{name}`]({page}.md#{_slug('fw.' + name)})" for name in sorted(names, key=_order))
        lines.append(f"| [{PAGES[page][0]}]({page}.md) | {links} |")
    for page, words in MODULES.items():
        names = sorted(_public(getattr(fw, page)), key=_order)
        links = ", ".join(f"[`{name}`]({page}.md#{_slug(f'fw.{page}.{name}')})" for name in names)
        lines.append(f"| [`fw.{page}`]({page}.md): {words[0].lower()}{words[1:-1]} | {links} |")
    return "\n".join(lines) + "\n"


def _slug(title: str) -> str:
    return re.sub(r"[^\w-]", "", title.lower().replace(" ", "-"))


def _page(title: str, words: str, home: Any, names: list[str], prefix: str = "fw.") -> str:
    sections = [f"# {title}\n\n{words} Made by `make docs` from the docstrings.\n"]
    sections += ["\n".join(_section(f"{prefix}{name}", getattr(home, name), level=2)) for name in names]
    return "\n".join(sections)


def _section(title: str, value: Any, *, level: int) -> Iterator[str]:
    yield f"{'#' * level} {title}\n"
    if not callable(value):
        yield from _value(value)
        return
    name = title.rpartition(".")[2]
    is_called = name not in GIVEN and not name.startswith("test_")
    if is_called:
        yield f"```python\n{_signature(name, value)}\n```\n"
    yield from _words(inspect.getdoc(value) or "")
    if not isinstance(value, type):
        if not is_called:
            return
        returned = inspect.signature(value).return_annotation
        if isinstance(returned, str) and returned not in ("None", "Any"):
            yield f"*Returns* `{returned}`. *Raises* {RAISES}\n"
        return
    for name, member in _members(value):
        if isinstance(member, property):
            yield f"{'#' * (level + 1)} {value.__name__}.{name}\n"
            yield from _words(inspect.getdoc(member) or "")
        else:
            yield from _section(f"{value.__name__}.{name}", member, level=level + 1)


def _value(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        yield "A dictionary with these names: " + ", ".join(f"`{name}`" for name in value) + ".\n"
    elif isinstance(value, list | tuple):
        yield "These names: " + ", ".join(f"`{item}`" for item in value) + ".\n"
    else:
        yield f"{(type(value).__doc__ or '').splitlines()[0] if type(value).__doc__ else repr(value)}\n"


def _members(kind: type) -> Iterator[tuple[str, Any]]:
    """Public methods and properties that our own classes define and explain."""
    seen = set()
    for owner in kind.__mro__:
        if not owner.__module__.startswith("foldwise") or issubclass(kind, Exception):
            continue
        for name, raw in vars(owner).items():
            member = raw.__func__ if isinstance(raw, classmethod | staticmethod) else raw
            shown = isinstance(member, property) or inspect.isfunction(member)
            if shown and not name.startswith("_") and name not in seen and inspect.getdoc(member):
                seen.add(name)
                yield name, member


def _signature(name: str, value: Any) -> str:
    """The call with one parameter per line where it is long."""
    try:
        signature = inspect.signature(value)
    except (TypeError, ValueError):
        return f"{name}(...)"
    parameters = [one for one in signature.parameters.values() if one.name != "self"]
    words, starred = [], False
    for one in parameters:
        if (
            one.kind is inspect.Parameter.KEYWORD_ONLY
            and not starred
            and not any(p.kind is p.VAR_POSITIONAL for p in parameters)
        ):
            words.append("*")
            starred = True
        text = {one.VAR_POSITIONAL: f"*{one.name}", one.VAR_KEYWORD: f"**{one.name}"}.get(one.kind, one.name)
        words.append(text if one.default is inspect.Parameter.empty else f"{text}={_default(one.default)}")
    flat = f"{name}({', '.join(words)})"
    return flat if len(flat) <= 100 else f"{name}(\n    " + ",\n    ".join(words) + ",\n)"


def _default(value: Any) -> str:
    text = repr(value)
    return "..." if " at 0x" in text else text


def _words(doc: str) -> Iterator[str]:
    """A docstring as Markdown: paragraphs, a list with a line for each parameter, and examples."""
    for block in re.split(r"\n\s*\n", doc):
        lines = block.splitlines()
        if lines and lines[0].lstrip().startswith(">>>"):
            yield f"```pycon\n{inspect.cleandoc(block)}\n```\n"
        elif any(line.lstrip().startswith(">>>") for line in lines):
            at = next(i for i, line in enumerate(lines) if line.lstrip().startswith(">>>"))
            yield from _words("\n".join(lines[:at]))
            yield from _words("\n".join(lines[at:]))
        elif block.strip():
            yield from _paragraph(lines)


def _paragraph(lines: list[str]) -> Iterator[str]:
    if len(lines) > 1 and not lines[0].startswith((" ", "`")) and lines[1].startswith("  `"):
        yield f"**{lines[0].strip()}**\n"
        lines = lines[1:]
    text = " ".join(line.strip() for line in lines)
    parts = PARAMETER.split(text)
    if parts[0].strip():
        yield f"{_linked(parts[0].strip())}\n"
    for names, words in zip(parts[1::2], parts[2::2], strict=True):
        yield f"- {names.strip()}: {_linked(words.strip())}"
    if len(parts) > 1:
        yield ""


def _linked(text: str) -> str:
    """Pages that a docstring names become links; angle brackets and stars stay as they are."""
    text = re.sub(
        r"docs/([\w-]+)\.md(#[\w-]+)?", lambda m: f"[{m[1].replace('-', ' ')}](../{m[1]}.md{m[2] or ''})", text
    )
    return re.sub(r"<(?=\w)", r"\\<", text)


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    made = pages()
    for old in FOLDER.glob("*.md"):
        if old.name not in made:
            old.unlink()
    for name, text in made.items():
        (FOLDER / name).write_text(text, encoding="utf-8")
