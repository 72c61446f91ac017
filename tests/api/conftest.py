"""Small data for studies, and the loops by hand within reach of imports."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from small_data import classes, numbers  # noqa: F401
