"""For every code a case where it fires and one, as near as can be, where it stays silent: tables of functions.

`FIRES` and `SILENT` are gathered from one file per family. A case gives the codes that were found.
"""

from __future__ import annotations

import columns_cases
import new_rows_cases
import procedure_cases
import results_cases
import rows_cases
import splits_cases

FAMILIES = (rows_cases, columns_cases, splits_cases, procedure_cases, results_cases, new_rows_cases)
FIRES = {code: case for family in FAMILIES for code, case in family.FIRES.items()}
SILENT = {code: case for family in FAMILIES for code, case in family.SILENT.items()}
