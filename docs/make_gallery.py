"""Write docs/gallery/: a page and a picture of every exhibit, at full size (`make gallery`) or for some names alone."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from pathlib import Path

from foldwise.lab.exhibit import Exhibit, Shown
from foldwise.lab.gallery.seven_learners import shown_of, study
from foldwise.lab.showing import FILES, find_exhibit

FOLDER = Path(__file__).parent / "gallery"
INDEX = """# Gallery

Every claim of *Understand* as a simulation you can run: two lines of Python, or one command.

```python
import foldwise as fw

fw.lab.show("knn-curves")  # the table, a sentence and a picture; size="full" as on these pages
```
```sh
foldwise lab show knn-curves --plot curves.svg
```

Pictures need Matplotlib: `pip install "foldwise[plot]"`. Without it there are the table and the sentence.

"""


def index() -> str:
    """The page that lists the exhibits."""
    rows = [f"| [{name}]({name}.md) | {find_exhibit(name).claim} |" for name in FILES]
    names = "\n".join(FILES)
    return (
        INDEX
        + "| exhibit | shows |\n| --- | --- |\n"
        + "\n".join(rows)
        + f"\n\n```{{toctree}}\n:hidden:\n\n{names}\n```\n"
    )


def page(exhibit: Exhibit, shown: Shown, *, date: str) -> str:
    """The page of one exhibit."""
    further = exhibit.further.splitlines()
    imports = [line for line in further if line.startswith(("import ", "from "))]
    lines = [f'fw.lab.show("{exhibit.name}", size="full")', *(line for line in further if line not in imports)]
    code = "\n".join([*imports, *([""] if imports else []), "import foldwise as fw", "", *lines])
    extra = "\n[The finished report](seven-learners.html)\n" if exhibit.name == "seven-learners" else ""
    return (
        f"# {exhibit.title}\n\n{exhibit.claim}\n\n```python\n{code}\n```\n\n"
        f":::{{div}} gallery-picture\n![{shown.found}]({exhibit.name}.svg)\n:::\n\n**{shown.found}**\n{extra}\n"
        f"```text\n{shown.lines()}\n```\n\nBelongs to: {exhibit.section}. Made by `make gallery` on {date}.\n"
    )


def write(name: str) -> None:
    """The page and the picture of one exhibit, and its report where it has one."""
    exhibit = find_exhibit(name)
    if name == "seven-learners":
        result = study(1.0, 0)
        result.report(FOLDER / f"{name}.html")
        shown = shown_of(result)
    else:
        shown = exhibit.show(size=1.0)
    assert shown.is_true, f"{name}: the claim did not hold"
    (FOLDER / f"{name}.svg").write_text(shown.svg(), encoding="utf-8")
    date = datetime.now(UTC).date().isoformat()
    (FOLDER / f"{name}.md").write_text(page(exhibit, shown, date=date), encoding="utf-8")


if __name__ == "__main__":
    for one in sys.argv[1:] or FILES:
        print(one, flush=True)
        write(one)
    (FOLDER / "index.md").write_text(index(), encoding="utf-8")
