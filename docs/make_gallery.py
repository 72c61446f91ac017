"""Write docs/gallery/: a page and a picture of every exhibit, at full size (`make gallery`) or for some names alone."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import foldwise as fw
from foldwise.lab.exhibit import Exhibit

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
`fw.lab.show("honesty")` is no claim of the lectures: it [tries the whole on your machine](../guards.md).

"""


class Claim(NamedTuple):
    """What an exhibit shows, the parts of the theory it belongs to, and further lines of Python."""

    text: str
    section: str
    further: str = ""


CLAIMS = {
    "knn-fits": Claim(
        "A small k follows the noise, a large k flattens the signal; the training error prefers the wrong one.",
        "k-nearest neighbours; training error and test error",
    ),
    "knn-curves": Claim(
        "The training error of k-NN grows with k and the gap shrinks; their sum, the test error, is U-shaped.",
        "validation curve over one parameter",
        'fw.curve("k-nn", "diabetes", n_neighbors=range(1, 31)).plot()',
    ),
    "folds": Claim(
        "A row that judges a model has neither trained nor tuned it, at every level of every scheme.",
        "fold shapes; nested K1 x K2 CV; the aligned schemes",
        'fw.compare(["linear"], "diabetes", outer=4).splits()  # the same of a study, as a data frame',
    ),
    "one-split": Claim(
        "The error on a single test set depends on the seed far more than a cross-validation of the same rows.",
        "test error; K-fold CV",
    ),
    "theorem-one": Claim(
        "The expected leave-one-out estimate on m + 1 rows equals the expected risk at m rows; K-fold on "
        "m + m / (K - 1) rows matches m rows.",
        "Theorem 1",
        "fw.lab.theorem(rows=40, folds=5)",
    ),
    "bias-of-k": Claim(
        "K-fold cross-validation estimates the risk at m (1 - 1/K) rows, so fewer folds are more pessimistic.",
        "K-fold CV; the training size of an estimate",
    ),
    "optimism": Claim(
        "The smallest cross-validation score falls below the true risk as candidates grow; nested cross-validation "
        "does not.",
        "nested K1 x K2 CV; the cheap estimate min CV",
        'fw.compare(["k-nn"], "diabetes", optimism=True).plot_optimism()',
    ),
    "dev-bound": Claim(
        "With probability 1 - delta the chosen candidate is worse than the best by at most "
        "sqrt(2 / n ln(2 |T| / delta)).",
        "tuning on a development set",
        "fw.excess_bound(500, 100, 0.05)",
    ),
    "bias-variance": Claim(
        "A risk is the Bayes risk, plus what the class cannot express, plus what the rows could not settle.",
        "bias-variance decomposition",
        'fw.lab.decompose("smooth", values=[1, 5, 15, 45])\n'
        "# The parts need a known truth. On a table of your own their sum is seen, beside the training error:\n"
        'fw.curve("k-nn", "diabetes", n_neighbors=range(1, 31)).plot()',
    ),
    "lecture": Claim(
        "Nested 8 x 5 cross-validation of k-NN with k = 1, ..., 30 is one call.",
        "tuning by CV; nested K1 x K2 CV",
        "import numpy as np\n"
        "from sklearn.neighbors import KNeighborsRegressor\n"
        'X, y = fw.lab.find_problem("smooth").draw(200, np.random.default_rng([0, 9]))  # the same in five lines\n'
        'inner, outer = fw.KFold(5, folds="ceiling"), fw.KFold(8, folds="ceiling")\n'
        "knn = fw.tune(KNeighborsRegressor(), n_neighbors=range(1, 31), inner=inner)\n"
        "fw.risk(knn, X, y, outer=outer)",
    ),
}


def index() -> str:
    """The page that lists the exhibits."""
    rows = "\n".join(f"| [{name}]({name}.md) | {claim.text} |" for name, claim in CLAIMS.items())
    toctree = "\n".join(("```{toctree}", ":hidden:", "", *CLAIMS, "```"))
    return f"{INDEX}| exhibit | shows |\n| --- | --- |\n{rows}\n\n{toctree}\n"


def page(shown: Exhibit, claim: Claim, *, date: str) -> str:
    """The page of one exhibit."""
    further = claim.further.splitlines()
    imports = [line for line in further if line.startswith(("import ", "from "))]
    lines = [f'fw.lab.show("{shown.name}", size="full")', *(line for line in further if line not in imports)]
    code = "\n".join([*imports, *([""] if imports else []), "import foldwise as fw", "", *lines])
    return (
        f"# {shown.title}\n\n{claim.text}\n\n```python\n{code}\n```\n\n"
        f":::{{div}} gallery-picture\n![{shown.sentence}]({shown.name}.svg)\n:::\n\n**{shown.sentence}**\n\n"
        f"```text\n{shown.lines()}\n```\n\nBelongs to: {claim.section}. Made by `make gallery` on {date}.\n"
    )


def write(name: str) -> None:
    """The page and the picture of one exhibit."""
    shown = fw.lab.show(name, size="full")
    assert shown.is_true, f"{name}: the claim did not hold"
    (FOLDER / f"{name}.svg").write_text(shown.svg(), encoding="utf-8")
    date = datetime.now(UTC).date().isoformat()
    (FOLDER / f"{name}.md").write_text(page(shown, CLAIMS[name], date=date), encoding="utf-8")


if __name__ == "__main__":
    for name in sys.argv[1:] or CLAIMS:
        print(name, flush=True)
        write(name)
    (FOLDER / "index.md").write_text(index(), encoding="utf-8")
