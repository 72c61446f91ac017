"""Small data for studies, and the loops by hand within reach of imports: those of tests/api."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "api"))

from small_data import classes, numbers  # noqa: F401
