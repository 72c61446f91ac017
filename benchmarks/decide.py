"""Do decisions hold? Simulated studies with known truth; the tables of docs/decide.md.

python benchmarks/decide.py                          the tables, about a quarter of an hour on one core
python benchmarks/decide.py --replications 20        a quick look
python benchmarks/decide.py --write docs/decide.md   in their places on the page
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Mapping
from datetime import date
from itertools import pairwise
from pathlib import Path
from typing import Any

from evidence.decisions import LEADS, NEAR, SURE, decisions, designs, paired_decisions
from evidence.paired_losses import KINDS, usual_pairs

CLEAR = 0.3  # of the smallest risk: above, the best is far ahead
INTERVALS = ("winner's", "Bonferroni", "plain")
ROWS = (100, 300, 1000)
WORDS = {
    "squared": "squared loss (t)",
    "groups": "squared loss, groups (t)",
    "zero_one": "0-1 loss (Tango, McNemar)",
    "brier": "bounded loss (betting)",
    "roc_auc": "AUC (DeLong)",
}
BINS = (0.0, 0.5, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0)


def decision_table(*, replications: int, jobs: int | None) -> str:
    """What was said of the method picked, and what was true, over the mix and over its parts."""
    mix = [design for design in designs() if "lead" not in str(design)]
    found = decisions(mix, replications=replications, jobs=jobs)
    near = found["is_near_tie"]
    kind = found["study"].str.split(",").str[0]
    parts = {
        "all": found,
        "near ties": found[near],
        "the others": found[~near],
        "gaps of 1 to 30%": found[~near & (found["gap"] < CLEAR)],
        **{f"{methods} methods": found[found["methods"] == methods] for methods in (2, 4, 8)},
        **{
            name: found[kind.str.startswith(name)]
            for name in ("regression blocks", "binary blocks", "imbalanced blocks")
        },
        "different learners": found[~kind.str.contains("blocks")],
        "5 x 5 folds": found[found["study"].str.contains("5 x 5")],
    }
    words = (
        f"Simulated {date.today():%-d %B %Y} by `python benchmarks/decide.py`: {found['study'].nunique()} designs, "
        f"{replications} tables each. Regrets are those of the method picked, in % of the smallest true risk. A "
        f"near tie has two best methods whose true risks differ by less than {NEAR:.0%}."
    )
    return _decided(found, parts, words)


def pair_table(*, replications: int, jobs: int | None) -> str:
    """The same on one test set and for forecasts, from losses that are made without a fit."""
    times = max(1, replications // 2)
    found = paired_decisions(usual_pairs(), replications=times)
    near, study = found["is_near_tie"], found["study"]
    kind = study.str.split(",").str[0]
    parts = {
        "one test set": found[kind != "forecasts"],
        "near ties": found[near & (kind != "forecasts")],
        **{WORDS.get(name, name): found[kind == name] for name in KINDS if name != "forecasts"},
        **{f"{rows} test rows": found[(kind != "forecasts") & study.str.endswith(f" {rows} rows")] for rows in ROWS},
        "forecasts": found[kind == "forecasts"],
        "near ties of forecasts": found[near & (kind == "forecasts")],
        **{
            f"autoregression {each:g}": found[study.str.contains(f"autoregression {each:g},")] for each in (0, 0.5, 0.8)
        },
        **{f"{rows} times": found[(kind == "forecasts") & study.str.endswith(f" {rows} rows")] for rows in ROWS},
        **{f"{methods} methods": found[found["methods"] == methods] for methods in (2, 4, 8)},
    }
    words = (
        f"Simulated {date.today():%-d %B %Y} by `python benchmarks/decide.py --only pairs`: {study.nunique()} designs, "
        f"{times} sets of losses each. Columns as above; of methods that are equally good the first counts as the best."
    )
    return _decided(found, parts, words)


def _decided(found: Any, parts: Mapping[str, Any], words: str) -> str:
    """What was said and what was true, in the parts of a mix, and by the probability that was said."""
    heads = ("studies", "simulated", "p_best >= 0.9 said", "came true", "stated regret", "true regret", "stated / true")
    head = f"| {' | '.join((*heads, '95% bound held', 'within the margin, true'))} |"
    lines = [f"{name} | {_numbers(part)}" for name, part in parts.items()]
    return "\n".join([words, "", head, "|" + " --- |" * 9, *(f"| {line} |" for line in lines), "", *_by_chance(found)])


def _by_chance(found: Any) -> list[str]:
    """How often the method picked was the best, by the probability that was said."""
    lines = ["| p_best said | studies | mean | came true | without near ties |", "| --- | --- | --- | --- | --- |"]
    for low, high in pairwise(BINS):
        part = found[(found["p_best"] >= low) & ((found["p_best"] < high) | (high == 1))]
        apart = part[~part["is_near_tie"]]
        lines.append(
            f"| {low:g} to {high:g} | {len(part)} | {part['p_best'].mean():.3f} | {part['is_best'].mean():.3f} "
            f"| {apart['is_best'].mean():.3f} |"
        )
    return lines


def _numbers(part: Any) -> str:
    sure = part[part["p_best"] >= SURE]
    stated, true = 100 * part["stated_regret"].mean(), 100 * part["regret"].mean()
    right = f"{sure['is_best'].mean():.3f}" if len(sure) else "-"
    called = part["called_within"].sum()
    within = f"{part['truly_within'].sum() / called:.3f} of {called}" if called else "-"
    ratio = f"{stated / true:.2f}" if true > 0 else "-"
    held = (part["regret"] <= part["regret_high"] + 1e-12).mean()
    said = f"{len(part)} | {len(sure) / len(part):.3f} | {right}"
    return f"{said} | {stated:.2f} | {true:.2f} | {ratio} | {held:.3f} | {within}"


def winner_table(*, replications: int, jobs: int | None) -> str:
    """Coverage and width of the picked method's interval, by the number of methods and how far the best is ahead."""
    mix = [design for design in designs() if "spread 0.05" not in str(design)]
    found = decisions(mix, replications=replications, jobs=jobs)
    found["kind"] = [_kind(study, methods) for study, methods in zip(found["study"], found["methods"], strict=True)]
    words = (
        f"Simulated {date.today():%-d %B %Y} by `python benchmarks/decide.py --only winners`: "
        f"{found['study'].nunique()} designs, {replications} tables each. Widths are in those of the plain interval "
        "of the same method."
    )
    lines = ["| methods | tables | winner's | error | Bonferroni | plain | width, winner's | width, Bonferroni |"]
    lines.append("|" + " --- |" * 8)
    for kind, part in found.groupby("kind", sort=False):
        covers = {name: part[f"{name} covers"].mean() for name in INTERVALS}
        wide = {name: part[f"{name} width"].mean() / part["plain width"].mean() for name in INTERVALS}
        error = (covers["winner's"] * (1 - covers["winner's"]) / len(part)) ** 0.5
        lines.append(
            f"| {kind} | {len(part)} | {covers[INTERVALS[0]]:.3f} | {error:.3f} | {covers['Bonferroni']:.3f} "
            f"| {covers['plain']:.3f} | {wide[INTERVALS[0]]:.2f} | {wide['Bonferroni']:.2f} |"
        )
    least = found.groupby("study")["winner's covers"].mean().sort_values()
    last = f"The smallest coverage of a single design is {least.iloc[0]:.3f} ({least.index[0]})."
    return "\n".join([words, "", *lines, "", last])


def _kind(study: str, methods: int) -> str:
    if "blocks" not in study:
        return "different learners"
    ahead = next((name for name, lead in LEADS.items() if lead and f"lead {lead:g}," in study), None)
    ahead = ahead or ("equal" if "spread 0," in study else "unequal")
    return f"{methods}, {ahead}{', 5 x 5 folds' if '5 x 5' in study else ''}"


TABLES: Mapping[str, Callable[..., str]] = {
    "decisions": decision_table,
    "pairs": pair_table,
    "winners": winner_table,
}


def placed(page: str, name: str, table: str) -> str:
    """The page with this table between the marks of its name."""
    marks = rf"(<!-- {name} -->\n).*?(<!-- end of {name} -->)"
    assert re.search(marks, page, re.S), f"the page has no place for {name}"
    return re.sub(marks, lambda found: f"{found[1]}{table}\n{found[2]}", page, flags=re.S)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=TABLES, help="one of the tables")
    parser.add_argument("--replications", type=int, default=100)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--write", type=Path, help="the page whose tables are replaced")
    asked = parser.parse_args()
    for name in [asked.only] if asked.only else TABLES:
        table = TABLES[name](replications=asked.replications, jobs=asked.jobs)
        print(f"\n{table}", flush=True)
        if asked.write:
            asked.write.write_text(placed(asked.write.read_text(encoding="utf-8"), name, table), encoding="utf-8")


if __name__ == "__main__":
    main()
