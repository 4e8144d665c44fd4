"""Results for people and for CI servers: text, plots, an HTML page and JUnit XML."""

from netmodel.packages import LoadedWhenUsed

with LoadedWhenUsed(__name__):
    from netmodel.report._calibration_plot import plot_calibration as plot_calibration
    from netmodel.report._frames import results_frame as results_frame
    from netmodel.report._junit import junit_xml as junit_xml
    from netmodel.report._path_drawing import path_drawing as path_drawing
    from netmodel.report._plan_page import plan_page as plan_page
    from netmodel.report._plots import plot_frame as plot_frame
    from netmodel.report._plots import plot_path as plot_path
    from netmodel.report._plots import plot_plan as plot_plan
    from netmodel.report._plots import plot_predictions as plot_predictions
