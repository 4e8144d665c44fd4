"""Formulas and predictions over labelled grids, as datasets of xarray (extra ``sweep``)."""

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from io import BytesIO
from typing import TYPE_CHECKING, Any

from netmodel._lazy import extra
from netmodel._text import cell_text
from netmodel._writing import draft_of
from netmodel.api._arguments import in_base_units
from netmodel.api._questions import predict
from netmodel.api._sweep_formulas import sweep_formula
from netmodel.api._sweep_predictions import DEFAULT_QUANTITIES, sweep_predictions
from netmodel.errors import DomainError

if TYPE_CHECKING:
    import xarray


@in_base_units
def sweep(
    function: Callable[..., Any],
    /,
    *,
    quantities: Sequence[str] = DEFAULT_QUANTITIES,
    executor: Executor | None = None,
    on_done: Callable[[int, int], object] | None = None,
    **arguments: Any,
) -> "xarray.Dataset":
    """
    A formula, or predictions, over a labelled grid.

    Parameters
    ----------
    function : callable
        A formula, such as `netmodel.ceilings.payload_rate_bps`, or `netmodel.predict`.
    quantities : sequence of str
        Of predictions: ``throughput``, ``transaction_rate``, ``transaction_time``,
        ``zero_load_time``, ``expected_throughput``, ``expected_transaction_rate``,
        ``expected_transaction_time``, ``client_cpu``, ``server_cpu``.
    executor : concurrent.futures.Executor, optional
        Computes chunks of the grid, such as a ``ProcessPoolExecutor`` or the
        ``get_executor()`` of a client of dask.distributed.
    on_done : callable, optional
        Called with the number of points of each chunk that is done, and of all: for a progress
        bar.
    **arguments
        Those of the function. A list or array of one dimension is a coordinate of that name.
        A ``DataArray`` has dimensions and coordinates of its own, so that several arguments
        can vary together, as columns of a pandas ``DataFrame`` do. Predictions take ``adapters``
        too, for `sender` and `receiver` alike.

    Returns
    -------
    dataset : xarray.Dataset
        A variable for each result with its ``units``. Of a quantity of predictions three: the
        value, ``_low`` and ``_high``; the attribute ``bound`` says on which side of the true value
        it lies. ``bottleneck`` holds the name of the binding limit.
        Where arguments are arrays of dask, variables are too, and nothing is computed yet.

    Raises
    ------
    ContradictionError
        If arguments exclude each other, the function has none of that name, or a path is known
        up to a factor only and has no rates.
    DomainError
        If an argument is empty, NaN or cannot be, or the grid does not fit into memory.
    MissingExtraError
        If xarray is not installed.
    SweepError
        If the executor fails.
    UnitError
        If the text or the ``units`` of an argument are of another quantity.

    Notes
    -----
    Each point is that of a single call: a grid changes no result. It is computed in blocks that
    fit into the cache of a CPU. Memory holds the result and one block for each worker.

    Examples
    --------
    >>> import netmodel
    >>> from netmodel.ceilings import payload_rate_bps
    >>> rates = netmodel.sweep(
    ...     payload_rate_bps, line_rate_bps=["10 Gbit/s", "25 Gbit/s"], mtu_bytes=[1500, 9000]
    ... )
    >>> (rates.payload_rate_bps / 1e9).values.round(3).tolist()
    [[9.415, 9.9], [23.537, 24.751]]
    >>> rates.payload_rate_bps.attrs["units"]
    'bit/s'
    """
    if not callable(function):
        raise DomainError(f"sweep needs a formula or netmodel.predict; got {function!r}")
    module = str(getattr(function, "__module__", ""))
    if function is not predict and module.partition("._")[0] == "netmodel.api":
        raise DomainError(
            f"sweep takes a formula, or netmodel.predict; {function.__name__} is neither"
        )
    if function is predict:
        return sweep_predictions(arguments, tuple(quantities), executor, on_done)
    return sweep_formula(function, arguments, executor, on_done)


def write_sweep(dataset: "xarray.Dataset", path: str) -> None:
    """
    Write a sweep whole into a file: ``.nc`` (NetCDF 4), ``.parquet`` or ``.csv``.

    Raises
    ------
    DomainError
        If the name ends in something else.
    OSError
        If the file cannot be written.
    """
    kind = path.rpartition(".")[2].lower()
    if kind not in {"nc", "parquet", "csv"}:
        raise DomainError(f"{path}: the name of a sweep ends in .nc, .parquet or .csv")
    with draft_of(path) as draft, extra("sweep"):
        if kind == "nc":
            draft.write_bytes(_netcdf(dataset))
            return
        table = dataset.to_dataframe().reset_index()
        if kind == "csv":
            texts = table.select_dtypes(exclude="number")
            table[texts.columns] = texts.map(cell_text)
            table.to_csv(draft, index=False)
            return
        import pyarrow as pa
        from pyarrow import parquet

        columns = pa.Table.from_pandas(table, preserve_index=False)
        for place, name in enumerate(columns.column_names):
            about = {key: str(each) for key, each in dataset[name].attrs.items()}
            columns = columns.cast(
                columns.schema.set(place, columns.schema.field(place).with_metadata(about))
            )
        parquet.write_table(columns, draft)


def _netcdf(dataset: "xarray.Dataset") -> bytes:
    """The dataset as NetCDF 4; made in memory, as HDF5 does not recover from a full disk."""
    import h5netcdf
    from xarray.backends import H5NetCDFStore

    buffer = BytesIO()
    with h5netcdf.File(buffer, "w") as file:
        dataset.dump_to_store(H5NetCDFStore(file))
    return buffer.getvalue()
