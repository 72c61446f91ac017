"""The verdict says what the numbers allow, and no more."""

from __future__ import annotations

import pytest

from foldwise.show.verdict import rows_words, verdict


def method(name, risk, *, low=None, high=None, difference=(None, None), failed=0):
    return {
        "name": name, "risk": risk, "low": low, "high": high, "level": 0.95, "interval": low and "corrected t",
        "difference_low": difference[0], "difference_high": difference[1], "failed": failed,
    }  # fmt: skip


def answer(best, *methods):
    return {"best": best, "loss": "squared", "train_rows": 408, "methods": list(methods)}


def test_a_clear_winner_is_named_with_its_interval():
    ridge = method("ridge", 3001.2, low=2750.0, high=3252.4, difference=(0, 0))
    tree = method("tree", 4100.0, difference=(600.0, 1500.0))
    baseline = method("baseline", 5930.0, difference=(2100.0, 3700.0))

    assert verdict(answer("ridge", ridge, tree, baseline)) == (
        "ridge has the smallest estimated risk: 3001 (squared loss, 408 training rows; "
        "95% corrected t: 2750 to 3252). "
        "The interval of its difference to tree excludes 0. "
        "It beats the baseline (5930)."
    )


def test_methods_that_share_the_smallest_risk_are_named():
    same = [method(name, 0.1 + 0.2, difference=(-0.1, 0.1)) for name in ("b", "c", "auto")]
    assert verdict(answer("a", method("a", 0.3), *same)).startswith(
        "a has the smallest estimated risk, as have b and c: "
    )
    assert verdict(answer("a", method("a", 0.3), *same[:1])).startswith(
        "a has the smallest estimated risk, as has b: 0.3"
    )


def test_where_the_baseline_takes_the_place_of_failed_fits_it_is_said_plainly():
    bad = {**method("Bad", 0.9, failed=4), "own_folds": 0, "folds": [{}] * 4}
    text = verdict(answer("a", method("a", 0.3), bad))
    assert text.endswith("4 fits of Bad failed: in 4 of 4 folds the baseline takes its place.")


def test_methods_whose_difference_may_be_zero_cannot_be_told_apart():
    ridge = method("ridge", 0.2, low=0.1, high=0.3)
    close = [method(name, 0.21, difference=(-0.02, 0.04)) for name in ("forest", "k-nn", "svm")]

    text = verdict(answer("ridge", ridge, *close))

    assert "cannot be told apart from forest, k-nn and svm: the difference may be 0." in text
    assert "beats" not in text


def test_an_interval_that_only_touches_zero_is_not_called_a_difference():
    text = verdict(answer("a", method("a", 0.2), method("b", 0.3, difference=(0.0, 0.2))))

    assert "cannot be told apart from b" in text


def test_without_intervals_no_difference_is_claimed():
    text = verdict(answer("a", method("a", 0.2), method("b", 0.3), method("baseline", 0.5)))

    assert text == (
        "a has the smallest estimated risk: 0.2 (squared loss, 408 training rows; no valid interval here). "
        "Whether it differs from b beyond chance cannot be said here. The baseline's estimated risk is 0.5."
    )


def test_a_baseline_that_wins_is_said_to_be_unbeaten():
    text = verdict(answer("baseline", method("baseline", 1.0, low=0.8, high=1.2), method("a", 1.1)))

    assert text.startswith("Nothing beats the baseline, whose estimated risk is 1.00 (")


def test_a_best_method_near_the_baseline_is_not_said_to_beat_it():
    text = verdict(answer("a", method("a", 0.9), method("baseline", 1.0, difference=(-0.1, 0.3))))

    assert "It is not shown to beat the baseline (1)" in text
    assert "It beats" not in text


def test_failed_fits_are_told():
    text = verdict(answer("a", method("a", 0.9), method("b", None, failed=3), method("c", 1.0, failed=1)))

    assert "3 fits of b failed, so it has no risk. 1 fit of c failed." in text


@pytest.mark.parametrize("best", [None, "a"])
def test_no_risk_at_all_recommends_nothing(best):
    assert verdict(answer(best, method("a", None, failed=2))) == (
        "No method has a risk, so none can be recommended. 2 fits of a failed, so it has no risk."
    )


@pytest.mark.parametrize(
    ("gain", "words"),
    [
        ((0.05, 0.02, 0.08), "Tuning helped: it lowered the risk of ridge by 0.05 (0.02 to 0.08) from 0.25 at its "),
        ((-0.05, -0.08, -0.02), "Tuning harmed: it raised the risk of ridge by 0.05 (0.02 to 0.08) from 0.25 at its "),
    ],
)
def test_whether_tuning_helped_is_said_by_the_risk_at_the_default_parameters(gain, words):
    found = dict(zip(("value", "low", "high"), gain, strict=True)) | {"default_risk": 0.25}
    assert words in verdict(answer("ridge", {**method("ridge", 0.2), "tuning_gain": found}))


@pytest.mark.parametrize("ends", [(-0.01, 0.08), (-0.08, 0.0), (None, None)])
def test_nothing_is_said_of_tuning_where_its_gain_may_be_zero(ends):
    """A median candidate that scores worse than the chosen one is no gain: it does so on pure noise."""
    gain = {"value": 0.03, "low": ends[0], "high": ends[1], "default_risk": 0.25}
    scores = {"selection_score": 0.19, "selection_middle": 0.25, "candidates": 30}
    assert "Tuning" not in verdict(answer("ridge", {**method("ridge", 0.2), **scores, "tuning_gain": gain}))
    assert "Tuning" not in verdict(answer("ridge", {**method("ridge", 0.2), **scores}))


def test_a_far_quicker_method_that_cannot_be_told_apart_is_pointed_out():
    forest = {**method("forest", 0.2), "seconds": 99.0}
    ridge = {**method("ridge", 0.21, difference=(-0.02, 0.04)), "seconds": 1.2}
    tree = {**method("tree", 0.5, difference=(0.2, 0.4)), "seconds": 0.1}

    text = verdict(answer("forest", forest, ridge, tree, method("baseline", 0.9, difference=(0.5, 0.9))))

    assert (
        "told apart from ridge: the difference may be 0. Of these, ridge is far quicker to fit (1.2 s against 99 s). "
        in text
    )
    assert text.endswith(
        "The interval of the difference of forest to tree excludes 0. forest beats the baseline (0.9)."
    )
    assert "quicker" not in verdict(answer("forest", {**forest, "seconds": 0.9}, {**ridge, "seconds": 0.001}))


def test_a_learning_curve_says_whether_more_rows_would_help():
    def curve(*tests):
        return {"parameter": "train_rows", "points": [{"value": 100 * 2**at, "test": t} for at, t in enumerate(tests)]}

    assert rows_words(curve(0.4, 0.3)).endswith("fell by 25%: more rows would help.")
    assert rows_words(curve(0.4, 0.3, 0.299)).endswith("more rows would hardly help.")
    assert rows_words(curve(0.3, 0.31)).endswith("did not fall: more rows would hardly help.")
    assert rows_words({**curve(0.4, 0.3), "parameter": "alpha"}) == ""


def test_a_long_list_of_names_is_cut_and_the_rest_counted():
    best = {"name": "best", "risk": 0.1, "low": 0.0, "high": 0.2}
    rivals = [{"name": f"m{at}", "risk": 0.2, "difference_low": -0.1, "difference_high": 0.3} for at in range(12)]
    text = verdict({"best": "best", "loss": "squared", "train_rows": 9, "methods": [best, *rivals]})
    assert "It cannot be told apart from m0, m1, m2, m3, m4 and 7 others: the difference may be 0." in text
