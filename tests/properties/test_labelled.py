"""A Series of pandas or a DataArray of xarray counts as the array of its numbers."""

import numpy as np
import pytest
from formulas import CHOICES, DOMAINS, Formula, public_formulas

pd = pytest.importorskip("pandas")
xr = pytest.importorskip("xarray")

LABELS = pd.Index(["a", "b", "c"], name="host")


@pytest.mark.parametrize("formula", public_formulas(), ids=str)
def test_labelled_quantities_count_as_their_numbers(formula: Formula) -> None:
    function = formula.with_choices({name: CHOICES[name][0] for name in formula.choices})
    random = np.random.default_rng(25)
    arrays = {name: random.uniform(*DOMAINS[name], size=3) for name in formula.quantities}
    numbers = function(**arrays)
    for kind in (lambda x: pd.Series(x, LABELS), lambda x: xr.DataArray(x, {"host": LABELS})):
        result = function(**{name: kind(each) for name, each in arrays.items()})
        assert type(result) is np.ndarray
        np.testing.assert_array_equal(result, numbers)
