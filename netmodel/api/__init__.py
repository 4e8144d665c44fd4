"""Questions to the library, asked with ids, files, records or objects, and text with units."""

from netmodel.packages import LoadedWhenUsed

with LoadedWhenUsed(__name__):
    from netmodel.api._measure import measure as measure
    from netmodel.api._questions import ceiling as ceiling
    from netmodel.api._questions import plan as plan
    from netmodel.api._questions import predict as predict
    from netmodel.api._scenario import plan_scenario as plan_scenario
    from netmodel.api._sweep import sweep as sweep
    from netmodel.api.calibrating import calibrate as calibrate
    from netmodel.api.calibrating import calibrate_host as calibrate_host
    from netmodel.api.comparison import compare as compare
    from netmodel.api.results import check as check
