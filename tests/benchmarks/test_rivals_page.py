"""The summary of `benchmarks/rivals.py`: what a tool lost is counted on splits that all tools were run on."""

import numpy as np
import pytest
from rivals_page import DESIGN, HARD, REPORT, TRAIN, Row, above, by_data, common, page, summary


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


def test_a_pick_without_errors_has_no_ratio():
    rows = [row("segment", 1, "flaml", 0.0), row("segment", 1, "foldwise", 0.1)]

    assert by_data(common(rows), above("foldwise", ["flaml"])).size == 0
    assert np.isnan(rows[0].off)


def test_the_page_names_the_splits_of_an_earlier_default_study():
    assert "measured before the default study had kernel ridge" in page([row("wages", 3, "foldwise", 1.0)])
    assert "and not again: wages (seed 3)." in page([row("wages", 3, "foldwise", 1.0)])
    assert "and not again" not in page([row("wages", 3, "flaml", 1.0)])


def test_the_page_tells_how_far_a_claim_was_off():
    rows = [row("wages", 1, "flaml", 2.0, claim=1.0), row("magic", 1, "flaml", 2.0, claim=2.2)]

    text = page(rows)

    assert "| 50 % | 50 % |" in text  # wages, a report set
    assert "| 10 % | 10 % |" in text  # magic, a design set
    assert "0.5000 (forest), 10 s, 1.10" in text


def test_a_dear_tool_has_a_table_of_the_splits_that_it_was_run_on_and_takes_none_from_the_others():
    rows = [row(data, 1, tool, 1.0) for data in ("wages", "magic") for tool in ("flaml", "autogluon", "foldwise")]
    assert "high quality" not in page(rows).partition("## All runs")[0].partition("## Summary")[2]

    text = page([*rows, row("wages", 1, "autogluon-high", 0.5)]).partition("### Report sets")[2]

    usual, _, dear = text.partition("### All sets")[0].partition("#### With AutoGluon's high quality")
    assert "| Foldwise | +0.0 % |" in usual
    assert "| Foldwise | +100.0 % |" in dear
    assert "2 splits of 2 data sets" in text.partition("### All sets")[2]
