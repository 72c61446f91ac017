"""The live page: a run, followed from its store alone."""
