"""The winner's interval has a name, a target, what it assumes and what it was measured to cover."""

from __future__ import annotations
