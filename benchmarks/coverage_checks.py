"""Coverage on tables like real ones: does it finish in a few minutes, and does it find a naive interval that fails?

python benchmarks/coverage_checks.py --write docs/coverage-check.md    about 10 minutes
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import foldwise as fw

HEAD = "<!-- measured -->"
TABLES = {"diabetes": "ridge", "breast_cancer": "lda", "wine": "lda"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=180, help="for each table")
    parser.add_argument("--write", type=Path, help="the page whose table is made again")
    asked = parser.parse_args()
    words = f"4 x 5 folds, {asked.seconds:g} s for each table; the Monte-Carlo error is in brackets."
    lines = [HEAD, "## Measured", f"{time.strftime('%d %B %Y')}, `python benchmarks/coverage_checks.py`: {words}", ""]
    lines += [
        "| table | method | interval | coverage at 95 % | tables | seconds |",
        "| --- | --- | --- | ---: | ---: | ---: |",
    ]
    for name, learner in TABLES.items():
        options = {"outer": 5, "inner": 3, "repeats": 4, "time_limit": asked.seconds, "progress": True}
        check = fw.lab.coverage(like=name, learners=[learner], intervals=["own", "naive z", "fold t"], **options)
        facts = f"{check.replications} | {check.seconds:.0f} |"
        for line in check.intervals.itertuples():
            share = f"{line.coverage:.3f} ({line.error:.3f})"
            lines.append(f"| {name} | {line.method} | {line.interval} | {share} | {facts}")
        lines.append(f"| {name} | all | false claims | {check.false_alarms:.3f} | {facts}")
    print("\n".join(lines))
    if asked.write is not None:
        before, _, _ = asked.write.read_text(encoding="utf-8").partition(HEAD)
        asked.write.write_text("\n".join([before + lines[0], *lines[1:]]) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
