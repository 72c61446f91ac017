"""Groups and classes."""

from __future__ import annotations

import pytest
from cases import check_cases, codes_in


@pytest.mark.parametrize("code", codes_in("groups"))
def test_a_check_fires_where_it_should_and_is_silent_elsewhere(code):
    check_cases(code)
