"""Learners that differ in anything have different names; the same learner has the same name in another process."""

from __future__ import annotations

import copy
import functools
import importlib
import subprocess
import sys
import textwrap
import types

import numpy as np
import pytest
from sklearn.decomposition import PCA
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import Ridge
from sklearn.metrics import make_scorer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from foldwise.learners.identity import code_of, family, forget_code, identity_of, own_code


def made(source, name="thing", **names):
    """A function or class of a module that only this test knows."""
    module = types.ModuleType("users_own")
    module.__dict__.update(names)
    exec(textwrap.dedent(source), module.__dict__)
    return module.__dict__[name]


def transformer(function):
    return make_pipeline(FunctionTransformer(function), Ridge())


def calling(function):
    return lambda X: function(X)


class Scale:
    def __init__(self, by):
        self.by = by

    def apply(self, X):
        return X * self.by


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (calling(np.log), calling(np.square)),
        (lambda X, f=np.log: f(X), lambda X, f=np.square: f(X)),
        (Scale(1).apply, Scale(2).apply),
        (functools.partial(np.power, 2), functools.partial(np.power, 3)),
        (
            made("def thing(X, *, power=2):\n    return X ** power"),
            made("def thing(X, *, power=3):\n    return X ** power"),
        ),
    ],
    ids=["closure", "default", "bound method", "partial", "keyword default"],
)
def test_functions_that_do_different_things_have_different_names(one, other):
    assert identity_of(transformer(one)) != identity_of(transformer(other))


def test_fitted_parts_that_survive_a_clone_are_part_of_the_name():
    rng = np.random.default_rng(0)
    one, other = (FrozenEstimator(PCA(1).fit(rng.normal(size=(20, 3)))) for _ in range(2))
    assert identity_of(make_pipeline(one, Ridge())) != identity_of(make_pipeline(other, Ridge()))
    assert identity_of(make_pipeline(one, Ridge())) == identity_of(make_pipeline(one, Ridge()))


CODES = {
    "body": ("def thing(X):\n    return X + 1", "def thing(X):\n    return X + 2"),
    "helper": (
        "def help_(X): return X\ndef thing(X): return help_(X)",
        "def help_(X): return -X\ndef thing(X): return help_(X)",
    ),
    "global list": ("COLS = [0]\ndef thing(X): return X[:, COLS]", "COLS = [1]\ndef thing(X): return X[:, COLS]"),
    "global array": (
        "import numpy as np\nW = np.array([1.0])\ndef thing(X): return X * W",
        "import numpy as np\nW = np.array([2.0])\ndef thing(X): return X * W",
    ),
    "class attribute": ("class thing:\n    W = [1]\n", "class thing:\n    W = [2]\n"),
    "property": (
        "class thing:\n    @property\n    def a(self): return 1",
        "class thing:\n    @property\n    def a(self): return 2",
    ),
    "decorated method": (
        "import functools\ndef d(f):\n    @functools.wraps(f)\n    def w(*a): return f(*a)\n    return w\n"
        "class thing:\n    @d\n    def fit(self): return 1",
        "import functools\ndef d(f):\n    @functools.wraps(f)\n    def w(*a): return f(*a)\n    return w\n"
        "class thing:\n    @d\n    def fit(self): return 2",
    ),
    "base class": (
        "class base:\n    def f(self): return 1\nclass thing(base): pass",
        "class base:\n    def f(self): return 2\nclass thing(base): pass",
    ),
}


@pytest.mark.parametrize(("before", "after"), CODES.values(), ids=CODES)
def test_a_change_anywhere_in_reach_changes_the_code(before, after):
    assert code_of(made(before)) != code_of(made(after))
    assert code_of(made(before)) == code_of(made(before))


def test_comments_layout_and_documentation_are_not_code():
    plain = "def thing(X):\n    return X + 1"
    dressed = 'def thing(X):\n    """Adds one."""\n\n    # why not\n    return X + 1'
    assert code_of(made(plain)) == code_of(made(dressed))


def test_a_module_of_the_user_is_followed_by_the_names_used_of_it():
    helper = types.ModuleType("helper_of_the_user")
    exec("def scale(X): return X\ndef unused(X): return X", helper.__dict__)
    function = made("def thing(X): return helper.scale(X)", helper=helper)
    before = code_of(function)
    exec("def unused(X): return -X", helper.__dict__)
    forget_code()
    assert code_of(function) == before
    exec("def scale(X): return 2 * X", helper.__dict__)
    forget_code()
    assert code_of(function) != before


def test_a_global_changed_in_a_notebook_is_seen_by_the_next_study():
    function = made("SHIFT = 1\ndef thing(X): return X + SHIFT")
    before = code_of(function)
    function.__globals__["SHIFT"] = 2
    forget_code()
    assert code_of(function) != before


def test_code_that_refers_to_itself_has_a_name_too():
    thing = made("class thing:\n    def again(self): return thing, other\nother = None")
    sys.modules.setdefault("users_own", types.ModuleType("users_own"))
    thing.__dict__["again"].__globals__["other"] = thing()
    assert code_of(thing)


COUNTERS = {
    "class counter": "class thing:\n    count = 0\n    def fit(self): type(self).count += 1",
    "class log": "class thing:\n    calls = []\n    def fit(self): self.calls.append(1)",
    "global counter": "N = 0\nclass thing:\n    def fit(self):\n        global N\n        N += 1",
    "global table": "N = {}\nclass thing:\n    def fit(self): N['a'] = N.get('a', 0) + 1",
}


@pytest.mark.parametrize("source", COUNTERS.values(), ids=COUNTERS)
def test_what_a_learner_counts_is_not_what_it_does(source):
    thing = made(source)
    before = code_of(thing)
    thing().fit()
    forget_code()
    assert code_of(thing) == before


def test_copying_a_learner_leaves_its_code_as_it_was():
    """`copy` and `pickle` note `__slotnames__` in a class."""

    class Own(Ridge):
        def fit(self, X, y):
            return super().fit(X, y)

    before = code_of(Own)
    copy.deepcopy(Own())
    assert "__slotnames__" in vars(Own)
    forget_code()
    assert code_of(Own) == before


def test_library_code_is_known_by_its_version_alone():
    assert code_of(Ridge) is None
    assert own_code(make_pipeline(StandardScaler(), Ridge())) == {}


def test_packages_of_another_environment_are_libraries(tmp_path, monkeypatch):
    """An environment may see the packages of the system, which are in a folder of their own."""
    for folder in ("dist-packages", "own-packages"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / f"pack_{folder[:3]}.py").write_text("def double(x):\n    return 2 * x\n")
        monkeypatch.syspath_prepend(tmp_path / folder)
    found = [code_of(importlib.import_module(name).double) for name in ("pack_dis", "pack_own")]
    assert found[0] is None
    assert found[1] is not None


def test_the_metric_of_a_search_is_known_by_its_code():
    """A search whose own metric was edited must not go on from the fits of the metric as it was."""

    def search(worse):
        return GridSearchCV(Ridge(), {"alpha": [1.0]}, scoring=make_scorer(lambda y, p: abs(y - p).max() * worse))

    names = [identity_of(search(worse)) for worse in (1, 1, 2)]

    assert names[0] == names[1] != names[2]


def test_candidates_share_the_family_but_not_the_name():
    assert family(Ridge(alpha=1.0)) == family(Ridge(alpha=2.0))
    assert identity_of(Ridge(alpha=1.0)) != identity_of(Ridge(alpha=2.0))
    assert identity_of(Ridge(alpha=1)) != identity_of(
        Ridge(alpha=1.0)
    )  # some learners tell counts from shares by the type
    assert identity_of(Ridge(alpha=np.float64(2.0))) == identity_of(Ridge(alpha=2.0))


@pytest.mark.slow
def test_names_are_the_same_in_another_process():
    code = (
        "from foldwise.learners.identity import identity_of; from sklearn.linear_model import Ridge;"
        "from sklearn.pipeline import make_pipeline; from sklearn.preprocessing import FunctionTransformer;"
        "import numpy as np; print(identity_of(make_pipeline(FunctionTransformer(np.log), Ridge(alpha=0.1))))"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()
    assert found == identity_of(make_pipeline(FunctionTransformer(np.log), Ridge(alpha=0.1)))


def test_a_package_too_deep_to_follow_is_known_by_its_files(tmp_path, monkeypatch):
    chain = "\n".join(f"def f{at}():\n    return f{at + 1}()" for at in range(2000))
    (tmp_path / "deep_code.py").write_text(f"{chain}\ndef f2000():\n    return 1\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    module = __import__("deep_code")
    before = code_of(module.f0)
    (tmp_path / "deep_code.py").write_text(f"{chain}\ndef f2000():\n    return 2\n")
    forget_code()
    assert before is not None
    assert code_of(module.f0) != before
    sys.modules.pop("deep_code")
