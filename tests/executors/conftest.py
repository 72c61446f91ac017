"""The tools of these tests within reach of their imports, here and in the processes of an engine."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "cluster"))
