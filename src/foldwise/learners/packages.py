"""Which installed packages a learner comes from and stands on, with their versions.

A store keeps numbers of one version of each, and every node must have the same. The versions of
NumPy, SciPy, scikit-learn and pandas are noted for every study; these are the others.
"""

from __future__ import annotations

import hashlib
import re
import sys
from collections.abc import Iterable
from functools import cache
from importlib import import_module
from importlib.metadata import Distribution, PackageNotFoundError, distribution, distributions, version
from pathlib import Path

from foldwise.learners.identity import is_library_module, present_module

ALWAYS_NOTED = ("numpy", "scipy", "scikit-learn", "pandas", "foldwise")
# What computes without standing on NumPy. A package that stands on none of these (a progress bar, a template
# language) cannot change a number, and one that only draws does not.
_COMPUTES = re.compile(r"numpy|torch|jax|jaxlib|tensorflow|triton|llvmlite|mkl|nvidia-.*|intel-.*")
_DRAWS = ("matplotlib", "plotly", "graphviz", "seaborn")
_NEEDS = "NEEDS"  # names the package behind a learner of our own, in its module


def packages_of(modules: Iterable[str]) -> dict[str, str]:
    """Versions of the packages that these modules are of, and of those they stand on."""
    own = {name for module in modules for name in _distributions(module)}
    below = {name for one in own for name in _required(one) if _computes(name)}
    return {name: version_of(name) for name in sorted(own | below) if name not in ALWAYS_NOTED}


def version_of(package: str) -> str:
    """The version of an installed package; of modules without one, a hash of their files; else "nothing"."""
    try:
        return version(package)
    except PackageNotFoundError:
        return _own_version(package)


def _own_version(top: str) -> str:
    try:
        module = import_module(top)
    except Exception:
        return "nothing"
    found = getattr(module, "__version__", None)
    if isinstance(found, str):
        return found
    folders = [Path(folder) for folder in getattr(module, "__path__", ())]
    files = [file for folder in folders for file in sorted(folder.rglob("*.py"))]
    files += [Path(module.__file__)] if module.__file__ and not folders else []
    return hashlib.blake2b(b"".join(file.read_bytes() for file in files), digest_size=8).hexdigest()


@cache
def _distributions(module: str) -> tuple[str, ...]:
    """The packages that brought this module; for one of our own, the package it is a face of."""
    top = module.partition(".")[0]
    if top == "foldwise":
        needed = getattr(sys.modules.get(present_module(module)), _NEEDS, None)
        return () if needed is None else _distributions(needed)
    if top in sys.stdlib_module_names or top in ("sklearn", "__main__", ""):
        return ()
    if _is_installed(top):  # most have the name of what they bring; looking through all takes a while
        return (_plain(top),)
    found = {_plain(one.name) for one in distributions() if _brings(one, top)}
    return tuple(sorted(found)) or ((top,) if is_library_module(top) else ())


def _brings(package: Distribution, top: str) -> bool:
    names, files = package.read_text("top_level.txt"), package.read_text("RECORD") or ""
    is_named = names is not None and top in names.split()
    return is_named or re.search(rf"^{re.escape(top)}[/.]", files, re.MULTILINE) is not None


@cache
def _required(package: str) -> frozenset[str]:
    """What an installed package requires, and what that requires in turn."""
    found: set[str] = set()
    left = [package]
    while left:
        new = {name for name in _direct(left.pop()) if name not in found}
        found |= new
        left += new
    return frozenset(found)


@cache
def _direct(package: str) -> tuple[str, ...]:
    """Installed packages that this one requires, whatever the extras."""
    if package in ALWAYS_NOTED or package in _DRAWS:
        return ()
    try:
        lines = distribution(package).requires or []
    except PackageNotFoundError:
        return ()
    names = [_plain(re.split(r"[^\w.-]", line, maxsplit=1)[0]) for line in lines if "extra ==" not in line]
    return tuple(name for name in names if _is_installed(name))


@cache
def _computes(package: str) -> bool:
    return package not in _DRAWS and any(_COMPUTES.fullmatch(name) for name in (package, *_required(package)))


def _is_installed(package: str) -> bool:
    try:
        version(package)
    except PackageNotFoundError:
        return False
    return True


def _plain(name: str) -> str:
    """The one spelling of a package's name."""
    return re.sub(r"[-_.]+", "-", name).lower()
