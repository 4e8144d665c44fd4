"""
Kernels of Jupyter, each a fork of one process that has imported what most notebooks use.

What a kernel makes of itself, it makes after the fork: its loop, its shell, its streams, and the
backend of its figures, which it loads with the first of them.
"""

import gc
import io
import multiprocessing
import os
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

__all__ = ["image_count", "kernel", "run_cell", "warm_up"]

LONGEST_CELL_S = 300
"""A notebook takes less than a minute on a quiet machine; a cell that takes longer hangs."""
LONGEST_START_S = 60
"""A kernel is there within a second; beside other work it may take many."""
INLINE = "module://matplotlib_inline.backend_inline"
"""What a kernel of Jupyter puts into ``MPLBACKEND`` when it starts."""

USED = (
    *("ipykernel.kernelapp", "jupyter_client.blocking", "jupyter_client.connect", "jupytext"),
    *("nbformat.v4", "pandas", "PIL.Image", "scipy.optimize", "scipy.stats", "xarray"),
)
"""What kernels, their clients and notebooks import; not pyplot, nor the backend of a kernel."""


def warm_up() -> None:
    """Import what most notebooks use, read records and fonts once for all, and keep it in place."""
    os.environ["MPLBACKEND"] = INLINE  # read when matplotlib is imported
    for needed in USED:
        import_module(needed)
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    import netmodel
    from netmodel.report import plot_path
    from netmodel.report.drawing import FIGURE_INCHES

    osa = "osa-express7s-25gbe"
    large = {"workload": "rr1c-200x30k", "mtu_bytes": 1500, "connections": 10}
    # not through pyplot, which would load the backend here and not in each kernel
    figure = Figure(FIGURE_INCHES, layout="constrained")
    plot_path(netmodel.predict(sender=osa, receiver=osa, **large), ax=figure.subplots())
    FigureCanvasAgg(figure).print_png(io.BytesIO())
    gc.collect()
    gc.freeze()


@contextmanager
def kernel(folder: Path) -> Iterator[Any]:
    """A client of a kernel of its own, which runs in the folder until the end."""
    from jupyter_client.blocking import BlockingKernelClient
    from jupyter_client.connect import write_connection_file

    with tempfile.TemporaryDirectory(prefix="netmodel-kernel-") as own:
        # sockets in a folder of its own: no other kernel can take the place of this one
        place = {"transport": "ipc", "ip": f"{own}/socket", "key": os.urandom(16).hex().encode()}
        file, _ = write_connection_file(f"{own}/kernel.json", **place)
        process = multiprocessing.get_context("fork").Process(
            target=_serve, args=(file, folder, os.getpid())
        )
        process.start()
        client = BlockingKernelClient(connection_file=file)
        client.load_connection_file()
        client.start_channels()
        try:
            _wait_for(client, process)
            yield client
        finally:
            client.shutdown()
            client.stop_channels()
            process.join(LONGEST_START_S)
            process.kill()
            process.join()


def _wait_for(client: Any, process: Any) -> None:
    """Wait until a kernel answers; one whose heartbeat is late, on a busy machine, is not dead."""
    give_up = time.monotonic() + LONGEST_START_S
    while True:
        try:
            client.wait_for_ready(LONGEST_START_S)
        except RuntimeError:
            if not process.is_alive() or time.monotonic() > give_up:
                raise
        else:
            return


def _serve(connection_file: str, folder: Path, parent: int) -> None:
    from ipykernel.kernelapp import IPKernelApp

    os.chdir(folder)
    IPKernelApp.launch_instance(
        [
            f"--IPKernelApp.connection_file={connection_file}",
            f"--IPKernelApp.parent_handle={parent}",  # ends when that process does
            "--HistoryManager.enabled=False",
        ]
    )


def run_cell(client: Any, code: str) -> list[Any]:
    """
    The outputs of a cell, as a front end shows them below it.

    Raises
    ------
    RuntimeError
        If the cell ends in an error, or writes to the stream for errors.
    """
    outputs = _Outputs()
    reply = client.execute_interactive(
        code, allow_stdin=False, timeout=LONGEST_CELL_S, output_hook=outputs.take
    )["content"]
    problems = ["".join(reply.get("traceback", ()))] if reply["status"] != "ok" else []
    problems += [each.text for each in outputs.shown if each.get("name") == "stderr"]
    if problems:
        raise RuntimeError("\n".join([*problems, "in this cell:", code]))
    return outputs.shown


class _Outputs:
    """What is shown below a cell: neither what a widget takes, nor what is only renewed."""

    def __init__(self) -> None:
        self.shown: list[Any] = []
        self._is_in_widget = False

    def take(self, message: Any) -> None:
        from nbformat.v4 import output_from_msg

        kind, content = message["msg_type"], message["content"]
        if kind.startswith("comm_"):
            state = content["data"].get("state", {})
            # an output widget takes what a message with this number writes, until it has none
            self._is_in_widget = bool(state.get("msg_id", self._is_in_widget))
        if self._is_in_widget or kind not in {"stream", "display_data", "execute_result"}:
            return
        output, last = output_from_msg(message), self.shown[-1] if self.shown else {}
        if kind == "stream" and last.get("name") == output.name:
            last.text += output.text
        else:
            self.shown.append(output)


def image_count(outputs: Sequence[Any]) -> int:
    """Figures among the outputs."""
    return sum("image/png" in each.get("data", {}) for each in outputs)
