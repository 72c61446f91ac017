"""The summary of `benchmarks/rivals.py`: what a tool lost is counted on splits that all tools were run on."""

from dataclasses import replace

import numpy as np
import pytest
from rivals_page import DESIGN, HARD, QUIET, REPORT, TRAIN, USUAL, Row, above, by_data, common, page, summary


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
    assert np.isnan(rows[0].beyond)
    assert "| FLAML, 60 s |  |  |  |  |  | 0.0000 | 10 |  |  |  |" in summary(rows)


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


def test_the_page_names_the_state_of_the_source_of_each_measurement():
    old, new = row("wages", 1, "foldwise", 1.0), replace(row("wages", 2, "foldwise", 1.0), code="abc1234")

    assert "- Foldwise: version 1; source abc1234 (1), not kept (1);" in page([old, new])
    assert "- Foldwise: version 1; source abc1234 (1); 2026" in page([new])
    assert "source" not in page([row("wages", 1, "flaml", 1.0)]).rpartition("Measured")[2]


def test_the_page_tells_how_far_a_claim_was_off():
    rows = [row("wages", 1, "flaml", 2.0, claim=1.0), row("magic", 1, "flaml", 2.0, claim=2.2)]

    text = page(rows)

    assert "| -50 % | 50 % | 50 % |" in text  # wages, a report set
    assert "| +10 % | 10 % | 10 % |" in text  # magic, a design set
    assert "| -20 % | 30 % | 50 % |" in text  # both
    assert "0.5000 (forest), 10 s, 1.10" in text


def test_a_dear_tool_has_a_table_of_the_splits_that_it_was_run_on_and_takes_none_from_the_others():
    rows = [row(data, 1, tool, 1.0) for data in ("wages", "magic") for tool in ("flaml", "autogluon", "foldwise")]
    assert "high quality" not in page(rows).partition("## All runs")[0].partition("## Summary")[2]

    text = page([*rows, row("wages", 1, "autogluon-high", 0.5)]).partition("### Report sets")[2]

    usual, _, dear = text.partition("### With AutoGluon's high quality")
    assert "| Foldwise | +0.0 % |" in usual
    assert "2 splits of 2 data sets" in usual
    assert "| Foldwise | +100.0 % |" in dear
    assert "1 splits of 1 data sets" in dear


def test_the_page_tells_the_limits_that_a_tool_was_given():
    rows = [replace(row("wages", seed, "autogluon-high", 1.0), limit=limit) for seed, limit in ((1, 100.0), (2, 32.4))]

    assert "high quality: version 1; limit 32 to 100 s;" in page(rows)
    assert "high quality: version 1; limit 100 s;" in page(rows[:1])


def test_the_page_names_the_runs_with_a_limit_that_a_busy_machine_starved():
    early = replace(row("wages", 3, "flaml", 1.0), limit=60.0)

    assert "mostly took twice the seconds\nthen): FLAML, 60 s on wages (seed 3).\n" in page([early])
    assert "busy machine" not in page([replace(early, date=QUIET), row("wages", 3, "autogluon", 1.0)])


def test_runs_that_had_less_than_the_seconds_the_page_speaks_of_are_named_and_left_out_once():
    tools = ("flaml", "autogluon", "autogluon-high", "foldwise")
    rows = [row(data, 1, tool, 1.0) for data in ("wages", "magic", "credit") for tool in tools]
    rows = [replace(one, loss=2.0) if (one.data, one.tool) == ("wages", "foldwise") else one for one in rows]
    long = [replace(one, limit=60.0) if one.tool == "autogluon-high" else one for one in rows]
    short = [replace(one, limit=28.4) if one.data == "wages" and one.limit else one for one in long]

    assert "had fewer than 60 seconds, as many as Foldwise took\nthen: wages 28.\n" in page(short)
    assert "On the 2 other sets Foldwise against the best of FLAML and both of AutoGluon: +0.0 ± 0.0 %" in page(short)
    assert "had fewer" not in page(long)
