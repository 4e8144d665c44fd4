"""Results for people and for CI servers: text, plots, an HTML page and JUnit XML."""

from typing import TYPE_CHECKING

from netmodel._packages import loaded_when_used
from netmodel._text import text_table

if TYPE_CHECKING:
    from netmodel.report._band_plot import plot_data_band
    from netmodel.report._calibration_plot import plot_calibration
    from netmodel.report._check_page import check_page
    from netmodel.report._comparison_plot import plot_comparison
    from netmodel.report._cost_plot import plot_cpu_cost
    from netmodel.report._frames import results_frame, table_frame
    from netmodel.report._gain_plot import plot_gain
    from netmodel.report._junit import junit_xml
    from netmodel.report._path_plots import plot_measured, plot_path, plot_predictions
    from netmodel.report._path_text import measured_text, path_drawing
    from netmodel.report._plan_page import plan_page
    from netmodel.report._plan_plots import plot_plan
    from netmodel.report._plots import plot_checks, plot_efficiency, plot_payload_rates
    from netmodel.report._scenario_plot import plot_scenario
    from netmodel.report._text import frame_drawing
    from netmodel.report._time_plot import plot_transaction_times

__all__ = [
    "check_page",
    "frame_drawing",
    "junit_xml",
    "measured_text",
    "path_drawing",
    "plan_page",
    "plot_calibration",
    "plot_checks",
    "plot_comparison",
    "plot_cpu_cost",
    "plot_data_band",
    "plot_efficiency",
    "plot_gain",
    "plot_measured",
    "plot_path",
    "plot_payload_rates",
    "plot_plan",
    "plot_predictions",
    "plot_scenario",
    "plot_transaction_times",
    "results_frame",
    "table_frame",
    "text_table",
]

__getattr__ = loaded_when_used(
    __name__,
    {
        "_band_plot": ("plot_data_band",),
        "_calibration_plot": ("plot_calibration",),
        "_check_page": ("check_page",),
        "_comparison_plot": ("plot_comparison",),
        "_cost_plot": ("plot_cpu_cost",),
        "_frames": ("results_frame", "table_frame"),
        "_gain_plot": ("plot_gain",),
        "_junit": ("junit_xml",),
        "_path_plots": ("plot_measured", "plot_path", "plot_predictions"),
        "_path_text": ("measured_text", "path_drawing"),
        "_plan_page": ("plan_page",),
        "_plan_plots": ("plot_plan",),
        "_plots": ("plot_checks", "plot_efficiency", "plot_payload_rates"),
        "_scenario_plot": ("plot_scenario",),
        "_text": ("frame_drawing",),
        "_time_plot": ("plot_transaction_times",),
    },
)
"""Each is loaded when it is used: most commands print a table, and no verdicts."""
