"""Pages that are made from the code are up to date, and the glossary and the tour have all names."""

from __future__ import annotations

import importlib.util
import inspect
import re
from pathlib import Path
from types import ModuleType

import foldwise as fw

DOCS = Path(__file__).parents[1] / "docs"
SOURCE = DOCS.parent / "src" / "foldwise"


def maker(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, DOCS / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def rooms() -> list[str]:
    layers = maker("make_map").layers()
    return [name for layer in layers for name in layer]


def test_the_map_is_up_to_date():
    assert (DOCS / "map.svg").read_text(encoding="utf-8") == maker("make_map").page(), "run `make docs`"


def test_the_reference_is_up_to_date_and_has_every_name():
    made = maker("make_reference").pages()

    assert {path.name: path.read_text(encoding="utf-8") for path in (DOCS / "reference").glob("*.md")} == made, (
        "run `make docs`"
    )
    titles = {line.lstrip("# ") for page in made.values() for line in page.splitlines() if line.startswith("## ")}
    rooms = {
        f"{room}.{name}"
        for room in ("intervals", "comparisons", "lab", "testing")
        for name in getattr(fw, room).__all__
    }
    assert {f"fw.{name}" for name in {*fw.__all__, *rooms} - {"__version__"}} <= titles


REFERENCE = dict(maker("make_reference").entries())
NAMES = r"((?:`\*{0,2}\w+`(?:,\s+| and )?)+)"
EXPLAINED = re.compile(rf"(?:^\s*|[.:;)]\s){NAMES}: |{NAMES}(?:all\s`\w+`)?\s*are\sthose\sof", re.MULTILINE)
ALL_OPTIONS = re.compile(r"all\s`(options)`\sare")


def explained(doc: str) -> set[str]:
    """The names that are followed by a colon and words, or are said to be those of another call."""
    found = {name for names in EXPLAINED.findall(doc) for name in re.findall(r"`\*{0,2}(\w+)`", "".join(names))}
    return found | set(ALL_OPTIONS.findall(doc))


def test_what_counts_as_explained():
    assert explained("`a`: one. `b`, `c`: two.\n  `d`: three\nand `e` is\n`f` and `g` are those of `h`.") == set(
        "abcdfg"
    )


def test_the_reference_explains_every_parameter():
    """`name`: and words; what only Foldwise itself makes needs none."""
    given = maker("make_reference").GIVEN
    missing = {}
    for title, value in REFERENCE.items():
        name = title.rpartition(".")[2]
        if not isinstance(value, property) and name not in given:
            taken = [one for one in inspect.signature(value).parameters if one not in ("self", "cls")]
            missing[title] = [one for one in taken if one not in explained(inspect.getdoc(value))]
    assert len(missing) > 150
    assert {title: names for title, names in missing.items() if names} == {}


def test_every_public_name_has_an_example_that_runs():
    """Doctests; a method of an answer is called in an example of its class or of another of its methods."""
    examples = {title: "\n".join(re.findall(r">>> .*", inspect.getdoc(value))) for title, value in REFERENCE.items()}
    kinds = {title for title, value in REFERENCE.items() if isinstance(value, type)}
    names = {title for title in REFERENCE if title.rpartition(".")[0] not in kinds}
    assert [title for title in sorted(names) if not examples[title]] == []
    answers = [title for title in kinds if title.split(".")[-1] in ("Result", "Benchmark", "Curve", "Plan", "Findings")]
    for kind in answers:
        code = "\n".join(text for title, text in examples.items() if title == kind or title.startswith(f"{kind}."))
        methods = [title.rpartition(".")[2] for title in REFERENCE if title.startswith(f"{kind}.")]
        assert [
            name
            for name in methods
            if not isinstance(REFERENCE[f"{kind}.{name}"], property) and f".{name}(" not in code and name not in UNUSUAL
        ] == []


UNUSUAL = {"check_failures"}  # called by `compare` itself


def test_every_page_is_in_the_table_of_contents():
    """A page that no other one lists cannot be found by going from page to page."""
    listed = set()
    for page in DOCS.rglob("*.md"):
        for block in re.findall(r"```{toctree}\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL):
            names = [line.split("<")[-1].rstrip(">") for line in block.splitlines() if line and line[0] != ":"]
            listed |= {(page.parent / f"{name}.md").resolve() for name in names}
    pages = {page.resolve() for page in DOCS.rglob("*.md") if "_site" not in page.parts}
    assert pages - listed == {(DOCS / "index.md").resolve()}


def test_pages_name_only_tests_that_are_there():
    named = {
        word
        for page in DOCS.rglob("*.md")
        for word in re.findall(r"`(tests/[\w/.]+)`", page.read_text(encoding="utf-8"))
    }

    assert len(named) > 15
    assert [path for path in sorted(named) if not (DOCS.parent / path).exists()] == []
    claims = (DOCS / "understand" / "index.md").read_text(encoding="utf-8").partition("| --- | --- | --- |\n")[2]
    rows = [line.split(" | ") for line in claims.splitlines() if line.startswith("|")]
    assert len(rows) > 20
    assert [claim for claim, page, test in rows if "](" not in page or "`tests/" not in test] == []


def test_an_arrow_that_follows_from_others_is_left_out():
    edges = {("a", "b"), ("b", "c"), ("a", "c"), ("a", "d")}

    assert maker("make_map").reduced(edges) == {("a", "b"), ("b", "c"), ("a", "d")}


def test_the_tour_lists_the_rooms_in_the_order_of_the_import_contract():
    table = (DOCS / "tour.md").read_text(encoding="utf-8").partition("## The rooms")[2]

    listed = [line.split("`")[1].rstrip("/").removesuffix(".py") for line in table.splitlines() if line[:3] == "| `"]

    assert listed == rooms()


def test_the_tour_names_only_files_that_are_there():
    words = (DOCS / "tour.md").read_text(encoding="utf-8").split("`")[1::2]

    files = [word for word in words if word.endswith(".py") and " " not in word]

    assert len(files) > 30
    assert [file for file in files if not (SOURCE / file).exists() and not (DOCS.parent / file).exists()] == []
