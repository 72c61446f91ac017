"""Words that read code from files stand only where they are meant to."""

from __future__ import annotations

import re
from pathlib import Path

import foldwise

SOURCE = Path(foldwise.__file__).parent
WORDS = re.compile(
    r"\bimport (?:cloud)?pickle\b|\b(?:cloud)?pickle\.(?:loads?|Unpickler)\b|\bjoblib\.load\b|\bread_pickle\b"
    r"|\bdill\b|\bmarshal\b|\bshelve\b|(?<![\w.])eval\(|(?<![\w.])exec\(|\byaml\.(?:unsafe_)?load\b"
    r"|allow_pickle=True|\bcloudpickle\b|\bextractall\("
)
# Learners and data travel between our own processes; a model is unpickled only with --trust.
# The contract of a solver pickles the object it is given, in one process, since solvers travel to workers.
ALLOWED = {"api/model_file.py", "testing/solvers.py"}
OWN_PROCESSES = "executors/"


def test_code_is_read_from_bytes_in_listed_files_only():
    found = {
        path.relative_to(SOURCE).as_posix()
        for path in SOURCE.rglob("*.py")
        if WORDS.search(path.read_text(encoding="utf-8"))
    }
    strangers = {name for name in found if name not in ALLOWED and not name.startswith(OWN_PROCESSES)}
    assert strangers == set()


def test_stores_and_data_never_name_a_way_to_read_code():
    for room in ("records", "data", "studies", "show", "estimates", "comparisons"):
        for path in (SOURCE / room).rglob("*.py"):
            assert not WORDS.search(path.read_text(encoding="utf-8")), path


def test_the_words_are_found_where_they_are():
    for text in ("import pickle", "x = eval(y)", "joblib.load(path)", "yaml.load(text)", "cloudpickle.loads(b)"):
        assert WORDS.search(text)
    for text in ("model.eval()", "retrieval(", "database.executescript(", "# never pickle", "--pickle"):
        assert not WORDS.search(text)
