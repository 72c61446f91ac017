"""Pictures as text: SVG and table cells that need no script, take the colours of the page and fit any width."""

from foldwise.reports.charts.calibrated import calibration_panel, confusion_table
from foldwise.reports.charts.critical import critical_difference
from foldwise.reports.charts.curves import curve_panel, learning_panel
from foldwise.reports.charts.residual import residual_panel, scatter_panel
from foldwise.reports.charts.rows import Row, counts, dots, dumbbells, intervals
from foldwise.reports.charts.svg import Scale, tag

__all__ = [
    "Row",
    "Scale",
    "calibration_panel",
    "confusion_table",
    "counts",
    "critical_difference",
    "curve_panel",
    "dots",
    "dumbbells",
    "intervals",
    "learning_panel",
    "residual_panel",
    "scatter_panel",
    "tag",
]
