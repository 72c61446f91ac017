"""Signatures of the whole package: inner functions take few things, and public ones explain all they take."""

from __future__ import annotations

import ast
import inspect
import re
from pathlib import Path

import pytest

import foldwise as fw

ROOT = Path(fw.__file__).parent
MOST = 7

# Public rooms whose functions are called by keyword, as those of `fw` are.
PUBLIC = set(fw.__all__) | {
    name for room in (fw.comparisons, fw.intervals, fw.lab) for name in getattr(room, "__all__", ())
}

# Classes of scikit-learn's kind: every hyperparameter is a parameter of __init__.
ESTIMATORS = {
    "learners/blend.py: Blend.__init__",
    "learners/estimators/neural_net.py: NeuralNet.__init__",
    "learners/named.py: Named.__init__",
    "learners/tuned.py: Tuned.__init__",
}


def parameters(function: ast.FunctionDef | ast.AsyncFunctionDef, is_method: bool) -> int:
    given = function.args
    named = [*given.posonlyargs, *given.args, *given.kwonlyargs]
    if is_method and named and named[0].arg in ("self", "cls"):
        named = named[1:]
    return len(named) + (given.vararg is not None) + (given.kwarg is not None)


def functions(path: Path) -> dict[str, int]:
    """Every function of a file by its name, with how many things it takes; commands of the command line apart."""
    found: dict[str, int] = {}

    def walk(node: ast.AST, name: str) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
                if not any("command" in ast.unparse(decorator) for decorator in child.decorator_list):
                    found[name + child.name] = parameters(child, isinstance(node, ast.ClassDef))
                walk(child, f"{name}{child.name}.")
            else:
                walk(child, f"{name}{child.name}." if isinstance(child, ast.ClassDef) else name)

    walk(ast.parse(path.read_text(encoding="utf-8")), "")
    return found


def test_inner_functions_take_at_most_seven_things():
    """More words than that are a noun that is missing."""
    long = {
        f"{path.relative_to(ROOT).as_posix()}: {name}": count
        for path in sorted(ROOT.rglob("*.py"))
        for name, count in functions(path).items()
        if count > MOST and name not in PUBLIC
    }
    assert {name: count for name, count in long.items() if name not in ESTIMATORS} == {}


def public_callables() -> dict[str, object]:
    """Public functions, and the public methods of what they give back."""
    found: dict[str, object] = {}
    for name in fw.__all__:
        thing = getattr(fw, name)
        if inspect.isfunction(thing):
            found[name] = thing
        elif name in ("Result", "Benchmark", "Curve", "SearchCurve", "Plan"):
            own = inspect.getmembers(thing, inspect.isfunction)
            found |= {f"{name}.{method}": code for method, code in own if not method.startswith("_")}
    return found


@pytest.mark.parametrize("name", public_callables())
def test_every_parameter_of_what_users_call_is_explained(name):
    function = public_callables()[name]
    explained = inspect.getdoc(function) or ""
    assert explained, f"{name} has no docstring"
    known = set(re.findall(r"`(\w+)", explained)) | {"self"}
    assert [given for given in inspect.signature(function).parameters if given not in known] == []
