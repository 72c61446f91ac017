"""The tools of these tests within reach of their imports, here and in the processes of an engine."""

from __future__ import annotations

import sys
from pathlib import Path

for folder in (Path(__file__).parent / "cluster", Path(__file__).parents[1] / "faults"):
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
