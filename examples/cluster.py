"""The same study on Dask and on Ray: the same numbers. Needs the extras, pip install "foldwise[dask,ray]"."""

import sys

import foldwise as fw

if __name__ == "__main__":
    study = {"outer": 5, "inner": 3, "seed": 1}
    here = fw.compare(["ridge:small", "tree:small"], "diabetes", jobs=1, **study)
    for engine in sys.argv[1:] or ["dask", "ray"]:
        there = fw.compare(["ridge:small", "tree:small"], "diabetes", engine=engine, jobs=2, **study)
        same = there.table()["risk"].equals(here.table()["risk"])
        print(f"{engine}: {'the same numbers' if same else 'OTHER NUMBERS'}")
        assert same
