"""Parameters from observations: what they allow, and no more."""

from netmodel.packages import LoadedWhenUsed

with LoadedWhenUsed(__name__):
    from netmodel.calibration._fit import Fit as Fit
    from netmodel.calibration._fit import fit as fit
    from netmodel.calibration.calibrations import calibrate as calibrate
    from netmodel.calibration.models import Point as Point
    from netmodel.calibration.named_models import adapter_model as adapter_model
    from netmodel.calibration.named_models import host_cost_model as host_cost_model
    from netmodel.calibration.named_models import line_cap as line_cap
    from netmodel.calibration.observations import Observed as Observed
    from netmodel.calibration.sets import FeasibleSet as FeasibleSet
    from netmodel.calibration.sets import feasible_set as feasible_set
    from netmodel.calibration.sources import observed_from_table as observed_from_table
