"""blocks/block.py and blocks/figure.py: values that know no medium."""

from __future__ import annotations

import dataclasses
import subprocess
import sys

from foldwise.blocks import block, figure


def test_blocks_import_no_renderer():
    renderers = ("jinja2", "rich", "matplotlib")
    code = f"import sys, foldwise.blocks.block; print([name for name in {renderers} if name in sys.modules])"

    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == "[]"


def test_every_block_is_a_frozen_value():
    values = [value for room in (block, figure) for value in vars(room).values() if dataclasses.is_dataclass(value)]

    assert len(values) > 15
    assert all(value.__dataclass_params__.frozen for value in values)
