"""The summary of `benchmarks/rivals.py`: what a tool lost is counted on splits that all tools were run on."""

import numpy as np
import pytest
from rivals_page import DESIGN, HARD, REPORT, TRAIN, USUAL, Row, above, by_data, common, page, summary


def row(data: str, seed: int, tool: str, loss: float, *, claim: float = 1.0) -> Row:
    sizes = {"train": 500, "test": 3_000, "columns": 5}
    told = {"brier": None, "baseline": 4.0, "pick": "forest", "limit": None, "version": "1", "date": "2026-01-01 00:00"}
    return Row(data, seed, tool, loss=loss, claim=claim, cpu=10.0, wall=10.0, **sizes, **told)


def test_no_report_set_is_a_design_set_and_the_hard_ones_are_not_set_aside():
    assert not set(DESIGN) & set(REPORT)
    assert set(HARD) <= set(DESIGN)
    assert (len(DESIGN), len(REPORT)) == (6, 8)
    assert TRAIN.keys() == {*DESIGN, *REPORT}


def test_what_was_lost_is_relative_to_the_best_and_averaged_within_a_data_set_first():
    rows = [row("wages", seed, "flaml", 1.0) for seed in (1, 2)]
    rows += [row("wages", 1, "foldwise", 1.2), row("wages", 2, "foldwise", 0.8)]
    rows += [row("magic", 1, "flaml", 0.5), row("magic", 1, "foldwise", 1.0)]
    splits = common(rows)

    assert by_data(splits, above("foldwise", ["flaml"])) == pytest.approx([0.0, 1.0])
    assert by_data(splits, above("flaml", ["flaml", "foldwise"])) == pytest.approx([0.125, 0.0])


def test_a_split_that_one_tool_lacks_counts_for_none():
    rows = [row("wages", 1, "flaml", 1.0), row("wages", 1, "foldwise", 1.0), row("wages", 2, "flaml", 9.0)]

    assert list(common(rows)) == [("wages", 1)]
    assert "1 splits of 1 data sets" in summary(rows)


def test_a_mean_over_data_sets_has_its_standard_error_and_the_range():
    rows = [row(data, 1, "flaml", 1.0) for data in ("wages", "proteins", "credit")]
    rows += [row("wages", 1, "foldwise", 0.9), row("proteins", 1, "foldwise", 1.0), row("credit", 1, "foldwise", 1.4)]

    found = next(line for line in summary(rows).splitlines() if line.startswith("| Foldwise"))

    error = 100 * np.std([-0.1, 0.0, 0.4], ddof=1) / np.sqrt(3)
    assert f"| +10.0 ± {error:.1f} % | +0.0 % | -10.0 % to +40.0 % |" in found


def test_the_page_counts_the_data_sets_on_which_the_pick_is_worse_and_shows_each_with_its_seeds():
    rows = [row(data, seed, tool, 1.0) for data in ("wages", "magic") for seed in (1, 2) for tool in USUAL[:2]]
    rows += [row("wages", 1, "foldwise", 1.1), row("wages", 2, "foldwise", 1.3)]
    rows += [row("magic", 1, "foldwise", 1.0), row("magic", 2, "foldwise", 0.9)]

    text = page(rows)

    assert "more than 1 % above the better one's on 1 of 2 data sets (4 splits)." in text
    assert "The mean is +5.0 % on seed 1, +10.0 % on seed 2." in text
    assert "| wages | report | 1, 2 | 0.2500 | 0.2500 | 0.3000 | +20.0 ± 10.0 % | +10.0 % to +30.0 % |" in text
