"""A function over a grid: block by block, in memory that the result and one block bound."""

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from itertools import islice, product
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from netmodel._dataclasses import dataclass
from netmodel.errors import DomainError, NetmodelError, SweepError
from netmodel.units._prefixes import GIGA, KIBI

if TYPE_CHECKING:
    import numpy.typing as npt

Block: TypeAlias = tuple[slice, ...]
"""A part of a grid: a slice of each of its axes."""
Arrays: TypeAlias = "Mapping[str, npt.NDArray[Any]]"
"""Arguments by name, each with all axes of the grid, of length 1 where it does not vary."""
Compute: TypeAlias = "Callable[[Arrays, Mapping[str, npt.NDArray[Any]]], None]"
"""Writes the results of a part of a grid, by name, into arrays of its shape."""

BLOCK_ELEMENT_COUNT = 2**15
"""Elements that are computed at once: 256 KiB for each temporary, of which a few fit the cache of a
core; with fewer elements the calls cost more than the cache saves (`benchmarks/sweeps.py`)."""
_ROW_COUNT = 2**11
"""Elements of a block along the last axis, where it has others: loops of numpy are not faster with
more, and a block has 16 rows."""
_CHUNK_ELEMENT_COUNT = 2**20
"""Elements of a task for an executor: far above what sending it costs, 8 MiB a result."""
_CHUNKS_PER_GRID = 16
"""Tasks that a small grid is cut into, so that several workers share it."""
_LEAST_CHUNK_ELEMENT_COUNT = 2**15
"""Below it sending a task costs more than computing it."""
_TASKS_UNDER_WAY = 32
"""Tasks that an executor has at a time: enough for any number of cores, few in memory."""


@dataclass(frozen=True)
class Grid:
    """
    A function over a grid.

    Parameters
    ----------
    compute : callable
        Writes results for arguments into arrays; a worker process imports it.
    dtypes : mapping of str to str
        Type of each result.
    alone : frozenset of int
        Axes along which a block has one element: `compute` takes one value of theirs.
    block_size : int
        Elements of a block.
    has_whole_rows : bool
        Whether blocks are cut along the first axes, so that each is one stretch of memory.
    """

    compute: Compute
    dtypes: Mapping[str, str]
    alone: frozenset[int] = frozenset()
    block_size: int = BLOCK_ELEMENT_COUNT
    has_whole_rows: bool = False

    @property
    def _row_count(self) -> int | None:
        return None if self.has_whole_rows else _ROW_COUNT

    def part(self, arrays: Arrays) -> "dict[str, npt.NDArray[Any]]":
        """Results for these arguments, in blocks."""
        shape = np.broadcast_shapes(*(each.shape for each in arrays.values()))
        results = {name: np.empty(shape, kind) for name, kind in self.dtypes.items()}
        self._into(results, arrays)
        return results

    def _into(self, results: "Mapping[str, npt.NDArray[Any]]", arrays: Arrays) -> None:
        """Write results for these arguments, in blocks."""
        shape = next(iter(results.values())).shape
        for block in blocks(shape, self.block_size, self.alone, self._row_count):
            parts = {name: result[block] for name, result in results.items()}
            try:
                self.compute(_cut(arrays, block), parts)
            except DomainError as error:
                raise _located(error, block) from None

    def whole(
        self,
        arrays: Arrays,
        executor: Executor | None = None,
        on_done: Callable[[int, int], object] = lambda count, total: None,
    ) -> "dict[str, npt.NDArray[Any]]":
        """
        Results for all arguments, in chunks that an executor may share out.

        Parameters
        ----------
        arrays : mapping of str to numpy.ndarray
            The arguments.
        executor : concurrent.futures.Executor, optional
            Computes the chunks; this process by default.
        on_done : callable
            Called with the number of elements of each chunk that is done, and of all.

        Raises
        ------
        DomainError
            If the results do not fit into memory, or an argument cannot be.
        SweepError
            If the executor fails.
        """
        shape = np.broadcast_shapes(*(each.shape for each in arrays.values()))
        require_memory(shape, sum(np.dtype(kind).itemsize for kind in self.dtypes.values()))
        results = {name: np.empty(shape, kind) for name, kind in self.dtypes.items()}
        size = math.prod(shape)
        if executor is None:
            for chunk in blocks(shape, _CHUNK_ELEMENT_COUNT, row_count=self._row_count):
                parts = {name: result[chunk] for name, result in results.items()}
                try:
                    self._into(parts, _cut(arrays, chunk))
                except DomainError as error:
                    raise _located(error, chunk) from None
                on_done(math.prod(each.stop - each.start for each in chunk), size)
            return results
        most = max(size // _CHUNKS_PER_GRID, _LEAST_CHUNK_ELEMENT_COUNT)
        chunks = blocks(shape, min(_CHUNK_ELEMENT_COUNT, most), row_count=self._row_count)
        for chunk, known in _shared_out(self, arrays, chunks, executor):
            for name, result in results.items():
                result[chunk] = known[name]
            on_done(math.prod(each.stop - each.start for each in chunk), size)
        return results


def blocks(
    shape: Sequence[int],
    most: int,
    alone: Iterable[int] = (),
    row_count: int | None = _ROW_COUNT,
) -> Iterator[Block]:
    """
    Parts of a grid with at most this many elements, in the order of its elements.

    Parameters
    ----------
    shape : sequence of int
        Lengths of all axes.
    most : int
        Elements of a part.
    alone : iterable of int
        Axes along which each part has one element.
    row_count : int, optional
        Elements along the last axis, where there are others; None: whole rows.

    Examples
    --------
    >>> [[(each.start, each.stop) for each in block] for block in blocks((2, 3), 4)]
    [[(0, 1), (0, 3)], [(1, 2), (0, 3)]]
    """
    # rows of some thousand: long enough for a loop of numpy, short enough that a block has several,
    # which share what depends on the last axis alone
    left, steps = max(1, most), [1] * len(shape)
    for axis in reversed(range(len(shape))):
        if axis not in alone:
            is_row = axis == len(shape) - 1 and math.prod(shape[:-1]) > 1
            steps[axis] = max(1, min(shape[axis], left, (row_count or left) if is_row else left))
            left //= steps[axis]
    for axis in reversed(range(len(shape))):
        if axis not in alone:
            grown = max(1, min(shape[axis], steps[axis] * left))
            left = left * steps[axis] // grown
            steps[axis] = grown
    ranges = [
        [slice(start, min(start + step, length)) for start in range(0, length, step)]
        for length, step in zip(shape, steps, strict=True)
    ]
    yield from product(*ranges)


def _located(error: DomainError, block: Block) -> DomainError:
    """The same error; an index within a block becomes that in the grid."""
    within = re.search(r" at index \(([\d, ]+)\)$", str(error))
    index = [int(each) for each in within[1].split(",") if each.strip()] if within else []
    if not within or type(error) is not DomainError or len(index) != len(block):
        return error
    place = tuple(each + part.start for each, part in zip(index, block, strict=True))
    return DomainError(f"{str(error)[: within.start()]} at index {place}")


def require_memory(shape: Sequence[int], bytes_each: int) -> None:
    """Raise DomainError, which says how large it is, where a result does not fit into memory."""
    count, free_bytes = math.prod(shape), free_memory_bytes()
    needed_bytes = count * bytes_each
    if free_bytes is not None and needed_bytes > free_bytes:
        raise DomainError(
            f"the grid has {count:,} points, whose results take {needed_bytes / GIGA:,.1f} GB, but "
            f"{free_bytes / GIGA:,.1f} GB of memory are free: sweep parts of it, or fewer "
            "quantities, or give arrays of dask, of which parts are computed when they are used"
        )


def free_memory_bytes() -> float | None:
    """Memory that programs can still have, where the system says so. [byte]"""
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
    except OSError:
        return None
    rows = (line.split() for line in lines)
    known = {row[0]: row[1] for row in rows if len(row) > 1}  # in KiB, which it calls kB
    return float(known["MemAvailable:"]) * KIBI if "MemAvailable:" in known else None


def _cut(arrays: Arrays, block: Block) -> Arrays:
    """The arguments of a part of the grid: views, whole along axes where they do not vary."""
    return {
        name: each[
            tuple(
                part if length > 1 else slice(None)
                for part, length in zip(block, each.shape, strict=True)
            )
        ]
        for name, each in arrays.items()
    }


def _shared_out(
    grid: Grid, arrays: Arrays, chunks: Iterator[Block], executor: Executor
) -> "Iterator[tuple[Block, dict[str, npt.NDArray[Any]]]]":
    """Each chunk with its results as they come; a few are under way at any time."""
    under_way: dict[Future[dict[str, npt.NDArray[Any]]], Block] = {}
    try:
        while True:
            for chunk in islice(chunks, _TASKS_UNDER_WAY - len(under_way)):
                under_way[executor.submit(grid.part, _cut(arrays, chunk))] = chunk
            if not under_way:
                return
            finished, _ = wait(under_way, return_when=FIRST_COMPLETED)
            for future in finished:
                chunk = under_way.pop(future)
                try:
                    yield chunk, future.result()
                except DomainError as error:
                    raise _located(error, chunk) from None
    except NetmodelError:
        raise
    except Exception as error:
        raise SweepError(
            f"the executor failed: {type(error).__name__}: {error}. Sweep without it, or see "
            "whether its workers run, have netmodel, and have memory for a chunk"
        ) from error
    finally:
        for future in under_way:
            future.cancel()
