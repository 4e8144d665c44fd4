"""Results for people and for CI servers: aligned text, plots, a page and JUnit XML."""

from typing import TYPE_CHECKING

from netmodel._lazy import loaded_when_used

if TYPE_CHECKING:
    from netmodel.report._calibration_plot import plot_calibration
    from netmodel.report._check_page import check_page
    from netmodel.report._frames import table_frame
    from netmodel.report._junit import junit_xml
    from netmodel.report._measured_text import measured_cell, measured_text
    from netmodel.report._path_plots import plot_measured, plot_path, plot_predictions
    from netmodel.report._path_text import path_drawing
    from netmodel.report._plan_plots import plot_plan, plot_plans
    from netmodel.report._plots import plot_checks, plot_efficiency, plot_payload_rates
    from netmodel.report._ratio_plot import plot_ratio
    from netmodel.report._ratio_text import ratio_drawing
    from netmodel.report._text import (
        NOTE_COUNT,
        frame_drawing,
        note_rows,
        number_text,
        range_text,
        ratio_text,
        text_table,
        wrapped_lines,
    )
    from netmodel.report._verdict_rows import LimitRow, VerdictRow, verdict_row

__all__ = [
    "NOTE_COUNT",
    "LimitRow",
    "VerdictRow",
    "check_page",
    "frame_drawing",
    "junit_xml",
    "measured_cell",
    "measured_text",
    "note_rows",
    "number_text",
    "path_drawing",
    "plot_calibration",
    "plot_checks",
    "plot_efficiency",
    "plot_measured",
    "plot_path",
    "plot_payload_rates",
    "plot_plan",
    "plot_plans",
    "plot_predictions",
    "plot_ratio",
    "range_text",
    "ratio_drawing",
    "ratio_text",
    "table_frame",
    "text_table",
    "verdict_row",
    "wrapped_lines",
]

__getattr__ = loaded_when_used(
    __name__,
    {
        "_calibration_plot": ("plot_calibration",),
        "_check_page": ("check_page",),
        "_frames": ("table_frame",),
        "_junit": ("junit_xml",),
        "_measured_text": (
            "measured_cell",
            "measured_text",
        ),
        "_path_plots": (
            "plot_path",
            "plot_measured",
            "plot_predictions",
        ),
        "_path_text": ("path_drawing",),
        "_plan_plots": (
            "plot_plan",
            "plot_plans",
        ),
        "_plots": (
            "plot_checks",
            "plot_efficiency",
            "plot_payload_rates",
        ),
        "_ratio_plot": ("plot_ratio",),
        "_ratio_text": ("ratio_drawing",),
        "_text": (
            "NOTE_COUNT",
            "note_rows",
            "frame_drawing",
            "number_text",
            "range_text",
            "ratio_text",
            "text_table",
            "wrapped_lines",
        ),
        "_verdict_rows": (
            "LimitRow",
            "VerdictRow",
            "verdict_row",
        ),
    },
)
"""Each is loaded when it is used: most commands need a table, and no verdicts."""
