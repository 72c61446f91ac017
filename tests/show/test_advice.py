"""The advice says which method to take, what that may cost, and no more than the figures do."""

from __future__ import annotations

import pytest

from foldwise.show.advice import advice, advised
from foldwise.show.verdict import verdict


def method(name, risk, p, *, regret=0.01, most=0.04, within=None, seconds=0.1):
    return {
        "name": name, "risk": risk, "p_best": p, "expected_regret": regret, "expected_regret_percent": 1.0,
        "regret_high": most, "within_margin": within, "p_within_margin": within and 0.96, "seconds": seconds,
    }  # fmt: skip


def answer(*methods, margin=None, best="ridge"):
    decision = {"margin": margin, "margin_from": "given", "level": 0.95, "within": None, "note": None}
    return {"best": best, "loss": "squared", "methods": list(methods), "decision": decision}


def test_the_best_is_taken_with_its_regret():
    said = advice(answer(method("ridge", 2.0, 0.83), method("k-nn", 2.1, 0.17, regret=0.11)))
    assert said == [
        "Take ridge, the best of 2 with probability 0.83: its expected regret is 0.5%, with 95% probability at most 2%."
    ]


def test_a_far_quicker_method_within_the_margin_is_taken_and_told_once():
    forest = method("forest", 2.0, 0.6, within=True, seconds=12.0)
    ridge = method("ridge", 2.02, 0.4, regret=0.03, within=True, seconds=0.2)
    found = answer(forest, ridge, margin=0.1, best="forest")
    assert advised(found)["name"] == "ridge"
    take, within = advice(found)
    assert take.startswith("Take ridge, the best of 2 with probability 0.4: its expected regret is 1.5%")
    assert take.endswith("and it is the fastest to fit (0.2 s against 12 s of forest).")
    assert within == (
        "Both are within 0.1 of the best with 95% probability each: by this margin it hardly matters which is taken."
    )
    found["methods"][1] |= {"difference_low": -0.1, "difference_high": 0.2}
    assert "far quicker" not in verdict(found)

    found["decision"]["margin_from"] = "baseline"  # which can be larger than the risk itself
    assert advised(found)["name"] == "forest"
    assert "Of these, ridge is far quicker to fit" in verdict(found)

    slow = answer(forest, {**ridge, "within_margin": False}, margin=0.1, best="forest")
    assert advised(slow)["name"] == "forest"


def test_who_is_within_the_margin_is_named():
    one, two, three = method("ridge", 2.0, 0.5, within=True), method("a", 2.1, 0.3), method("b", 2.2, 0.2, within=True)
    assert advice(answer(one, two, three, margin=0.3))[1].startswith("ridge and b are within 0.3 of the best")
    assert advice(answer(one, two, margin=0.3))[1] == "Only ridge is within 0.3 of the best with 95% probability."
    none = advice(answer(method("ridge", 2.0, 0.5), two, margin=0.3))[1]
    assert none.startswith("None is shown to be within 0.3 of the best")


@pytest.mark.parametrize(
    ("regret", "most", "words"),
    [
        (0.0001, 0.0005, "is less than 0.1%, with 95% probability less than 0.1%"),
        (0.0001, 0.0, "is less than 0.1%, with 95% probability none"),
        (0.3, 3.0, "is 15%, with 95% probability at most 150%"),
    ],
)
def test_regrets_have_as_many_digits_as_they_are_worth(regret, most, words):
    said = advice(answer(method("ridge", 2.0, 0.999, regret=regret, most=most), method("b", 3.0, 0.001)))
    assert words in said[0]
    assert "with probability more than 0.99" in said[0]


def test_where_a_risk_is_not_above_0_the_unit_is_that_of_the_loss():
    said = advice(answer(method("ridge", -0.2, 0.9), method("b", 0.1, 0.1)))
    assert "its expected regret is 0.01, with 95% probability at most 0.04" in said[0]


@pytest.mark.parametrize(
    ("regret", "most", "words"),
    [(60.0, 0.0, "is 60, with 95% probability none"), (1e-8, 60.0, "is 1e-08, with 95% probability at most 60")],
)
def test_where_a_risk_is_all_but_0_regrets_have_the_unit_of_the_loss(regret, most, words):
    said = advice(answer(method("ridge", 1e-7, 0.999, regret=regret, most=most), method("b", 5e4, 0.001)))
    assert f"its expected regret {words}" in said[0]


def test_nothing_is_advised_without_a_choice():
    assert advice(answer(method("ridge", 2.0, 1.0))) == []
    assert advice(answer(method("a", 2.0, 0.6), method("b", 2.0, 0.4), best="baseline")) == []
    assert advice(answer({**method("ridge", 2.0, 0.5), "p_best": None}, method("b", 2.0, 0.4))) == []
