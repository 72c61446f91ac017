"""What tests of formulas share."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose


@pytest.fixture
def check_leading_axes():
    """A formula given arrays with leading axes (2, 3) finds what it finds for each of the six alone."""

    def check(formula, *stacks):
        together = formula(*stacks)
        assert np.shape(together.value) == (2, 3)
        for place in np.ndindex(2, 3):
            alone = formula(*(stack[place] for stack in stacks))
            assert isinstance(alone.value, float)
            for name, one in alone._asdict().items():
                if one is None:
                    continue
                many = getattr(together, name)
                assert_allclose(many[place] if np.ndim(many) else many, one, rtol=1e-12, err_msg=name)

    return check
