from __future__ import annotations

import math

import numpy as np
import pytest

from foldwise.errors import BadInterval
from foldwise.stats.ladder import ladder


def test_a_ladder_never_climbs_up():
    released = ladder(np.random.default_rng(0).random(50), step=0.05)
    assert released == sorted(released, reverse=True)


@pytest.mark.parametrize(
    ("losses", "step", "words"), [([0.1], 0, "above 0, not 0"), ([math.nan], 0.1, "submission 0 has nan")]
)
def test_steps_and_losses_that_make_no_sense_are_refused(losses, step, words):
    with pytest.raises(BadInterval, match=words):
        ladder(losses, step=step)
