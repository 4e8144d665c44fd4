"""
What a network path should deliver, what it costs in CPU, and whether a result is plausible.

Each question is a function: `ceiling`, `predict`, `check`, `compare`, `plan`, `plan_scenario`,
`sweep`, `calibrate` and `measure`. They take ids of the catalog, files or objects, and numbers in
base units, text with a unit, or quantities of pint and astropy. Formulas are in `framing`,
`ceilings`, `consumption`, `transport`, `tuning` and `concurrency`.

Examples
--------
>>> import netmodel
>>> netmodel.ceiling("25 Gbit/s", mtu_bytes=1500).payload_rate_bps
23537061118.3355
"""

from netmodel.packages import LoadedWhenUsed

__version__ = "0.2.0"

with LoadedWhenUsed(__name__):
    from netmodel import api as api
    from netmodel import calibration as calibration
    from netmodel import ceilings as ceilings
    from netmodel import checking as checking
    from netmodel import concurrency as concurrency
    from netmodel import consumption as consumption
    from netmodel import errors as errors
    from netmodel import framing as framing
    from netmodel import path as path
    from netmodel import planning as planning
    from netmodel import published as published
    from netmodel import readers as readers
    from netmodel import records as records
    from netmodel import report as report
    from netmodel import symbolic as symbolic
    from netmodel import testing as testing
    from netmodel import transport as transport
    from netmodel import tuning as tuning
    from netmodel import units as units
    from netmodel.api import calibrate as calibrate
    from netmodel.api import ceiling as ceiling
    from netmodel.api import check as check
    from netmodel.api import compare as compare
    from netmodel.api import measure as measure
    from netmodel.api import plan as plan
    from netmodel.api import plan_scenario as plan_scenario
    from netmodel.api import predict as predict
    from netmodel.api import sweep as sweep
