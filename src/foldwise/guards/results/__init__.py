"""Checks of finished studies, one file per kind: they read records and make no fit."""
