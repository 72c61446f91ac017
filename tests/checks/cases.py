"""For every code a case where it fires and one, as near as can be, where it stays silent; a case gives codes."""

from __future__ import annotations

import columns_cases
import new_rows_cases
import procedure_cases
import results_cases
import rows_cases
import splits_cases

from foldwise.checks.check import all_checks

FAMILIES = (rows_cases, columns_cases, splits_cases, procedure_cases, results_cases, new_rows_cases)
FIRES = {code: case for family in FAMILIES for code, case in family.FIRES.items()}
SILENT = {code: case for family in FAMILIES for code, case in family.SILENT.items()}


def codes_in(file: str) -> list[str]:
    """The codes of the checks in a file of foldwise/checks."""
    module = f"foldwise.checks.{file}"
    return [code for code, check in all_checks().items() if check.function.__module__ == module]


def check_cases(code: str) -> None:
    """The check fires where it should, and is silent where nothing is wrong."""
    assert code in FIRES[code]()
    assert code not in SILENT[code]()
