"""Pictures as text: SVG and table cells that need no script, take the colours of the page and fit any width."""

from foldwise.show.charts.calibrated import calibration_panel
from foldwise.show.charts.column import column_panel
from foldwise.show.charts.confusion import confusion_table, threshold_tool
from foldwise.show.charts.costs import cost_panel
from foldwise.show.charts.critical import critical_difference
from foldwise.show.charts.curves import curve_panel, learning_panel
from foldwise.show.charts.heat import heat_panel
from foldwise.show.charts.parallel import fold_lines
from foldwise.show.charts.probable import histogram_panel
from foldwise.show.charts.quantile import error_panel, quantile_panel
from foldwise.show.charts.ranked import ranking_panel
from foldwise.show.charts.residual import residual_panel, scatter_panel
from foldwise.show.charts.rows import Row, counts, dots, dumbbells, intervals
from foldwise.show.charts.svg import Scale, tag
from foldwise.show.charts.target import class_panel, target_panel

__all__ = [
    "Row",
    "Scale",
    "calibration_panel",
    "class_panel",
    "column_panel",
    "confusion_table",
    "cost_panel",
    "counts",
    "critical_difference",
    "curve_panel",
    "dots",
    "dumbbells",
    "error_panel",
    "fold_lines",
    "heat_panel",
    "histogram_panel",
    "intervals",
    "learning_panel",
    "quantile_panel",
    "ranking_panel",
    "residual_panel",
    "scatter_panel",
    "tag",
    "target_panel",
    "threshold_tool",
]
