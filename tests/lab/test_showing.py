"""`fw.lab.show`: every exhibit of the gallery holds: lab/gallery/ and lab/showing.py."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import foldwise as fw
from foldwise.errors import BadOption
from foldwise.lab.showing import FILES, find_exhibit

DOCS = Path(__file__).parents[2] / "docs" / "gallery"
QUICK = ("knn-fits", "knn-curves", "folds", "one-split", "dev-bound", "lecture")


@pytest.mark.parametrize(
    "name", [name if name in QUICK else pytest.param(name, marks=pytest.mark.slow) for name in FILES]
)
def test_the_claim_holds_at_a_reduced_size(name):
    shown = fw.lab.show(name, size=0.05, seed=1)
    assert shown.is_true, shown.found
    assert shown.title in repr(shown)
    assert "<svg" in shown.svg()


@pytest.mark.parametrize("name", FILES)
def test_every_exhibit_has_its_page_with_the_picture(name):
    exhibit = find_exhibit(name)
    page = (DOCS / f"{name}.md").read_text(encoding="utf-8")
    assert exhibit.name == name
    assert page.startswith(f"# {exhibit.title}\n\n{exhibit.claim}\n")
    assert f"({name}.svg)" in page
    assert (DOCS / f"{name}.svg").stat().st_size > 2000


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in FILES if name != "seven-learners"])  # whose study is the exhibit
def test_the_code_of_a_page_runs_as_it_stands(name):
    (code,) = re.findall(r"```python\n(.*?)```", (DOCS / f"{name}.md").read_text(encoding="utf-8"), re.DOTALL)
    assert find_exhibit(name).further.splitlines() == [
        line for line in code.splitlines() if line in find_exhibit(name).further.splitlines()
    ]
    exec(code.replace('size="full"', "size=0.05"), {})


def test_every_file_of_the_gallery_is_listed():
    files = {path.stem for path in (Path(fw.__file__).parent / "lab" / "gallery").glob("[!_]*.py")}
    assert files == set(FILES.values())


def test_a_wrong_name_or_size_is_answered_with_what_there_is():
    with pytest.raises(BadOption, match=r"there is no exhibit 'knn-curve'.*'knn-curves'"):
        fw.lab.show("knn-curve")
    with pytest.raises(BadOption, match=r'there is no size \'huge\'. Use "small", "full" or a share'):
        fw.lab.show("folds", size="huge")
    with pytest.raises(BadOption, match="there is no size 0"):
        fw.lab.show("folds", size=0)
