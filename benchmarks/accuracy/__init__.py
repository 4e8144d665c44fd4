"""Errors of predictions over connections, each figure of tables 5 to 12 predicted from others.

The figures are the throughput and the CPU cost of requests and streams in both layers, 16 series
of three, four or eight numbers of connections. A method is given what its row says:

- *series*: the other figures of the same series;
- *interval of others*: the same, and for the interval alone how far the method misses elsewhere;
- *others*: also the series of other scenarios (tables), which differ in path, MTU, adapter or
  workload, but not the same scenario in the other layer;
- *related*: also the same scenario in the other layer.

Forms and hyper-parameters are fixed or come from other scenarios, never from the series itself.

    python -m benchmarks.accuracy [--json] [--csv docs/reference] [--only WORD]

Modules: `series` (the figures), `methods` (what a method is), `general`, `throughput` and `cost`
(the methods), `table` (splits, rows and targets).
"""
