"""What tests of formulas share."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose


@pytest.fixture
def check_leading_axes():
    """A formula given arrays with leading axes (2, 3) finds what it finds for each of the six alone."""

    def flat(found):
        return {**found._asdict(), "details": None, **getattr(found, "details", {})}

    def check(formula, *stacks):
        together = formula(*stacks)
        assert np.shape(together.value) == (2, 3)
        for place in np.ndindex(2, 3):
            alone = formula(*(stack[place] for stack in stacks))
            assert isinstance(alone.value, float)
            alone, many = flat(alone), flat(together)
            for name in alone.keys() - {"notes"}:
                if alone[name] is None:
                    continue
                shown = many[name][place] if np.ndim(many[name]) else many[name]
                assert_allclose(shown, alone[name], rtol=1e-12, err_msg=name)

    return check
