"""
Accuracy and speed beside what else predicts figures over connections or reads quantities.

    python -m benchmarks.alternatives PYTHON [docs/reference]

compares netmodel with tools of another environment, that of the interpreter PYTHON: one of them
needs an older NumPy than netmodel. ``make alternatives`` makes it from
``requirements/alternatives.txt``. Modules: `others` (what runs there), `__main__` (the tables).
"""
