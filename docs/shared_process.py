"""
The command and the kernel of the pages: each a fork of one process that has loaded everything.

As a Sphinx extension it puts a `netmodel` before all others on the path and a `python3` before all
other kernels, and ends with the build.
"""

import gc
import importlib
import json
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

_CALL = """\
#!{python} -IS
import json, os, signal, socket, sys

if sys.argv[1:2] == [{kernel!r}]:
    # Jupyter interrupts a kernel before it asks it to end
    signal.signal(signal.SIGINT, signal.SIG_IGN)
with socket.socket(socket.AF_UNIX) as shared:
    shared.connect({address!r})
    socket.send_fds(shared, [b"."], [0, 1, 2])
    call = {{"directory": os.getcwd(), "environment": dict(os.environ), "arguments": sys.argv[1:]}}
    shared.sendall(json.dumps(call).encode())
    shared.shutdown(socket.SHUT_WR)
    code = shared.recv(1)
sys.exit(code[0] if code else "netmodel ended without an exit code")
"""
_KERNEL = "--ipykernel"
"""First argument of a call for a Jupyter kernel; the next is its connection file."""
_LOADED = (
    *("ipykernel.kernelapp", "ipykernel.zmqshell", "matplotlib.backends.backend_agg"),
    *("matplotlib.figure", "pandas", "sympy", "xarray"),
    *("scipy.optimize", "scipy.special", "scipy.stats"),
    *("netmodel.calibration", "netmodel.checking", "netmodel.cli"),
    *("netmodel.report", "netmodel.symbolic"),
)
"""Modules that pages use; without pyplot and a kernel's plot backend, which each kernel sets up."""
_PLOTS_IN_PAGES = "module://matplotlib_inline.backend_inline"


class SharedProcess:
    """A process that answers calls of the command in `directory` until it is stopped."""

    def __init__(self, directory: Path) -> None:
        address = str(directory / "shared")
        command = directory / "netmodel"
        call = _CALL.format(python=sys.executable, address=address, kernel=_KERNEL)
        command.write_text(call, encoding="utf-8")
        command.chmod(0o755)
        kernel = {
            "argv": [str(command), _KERNEL, "{connection_file}"],
            "display_name": "Python 3",
            "language": "python",
        }
        kernels = directory / "kernels" / "python3"
        kernels.mkdir(parents=True)
        (kernels / "kernel.json").write_text(json.dumps(kernel), encoding="utf-8")
        self._process = subprocess.Popen(
            [sys.executable, __file__, address], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        assert self._process.stdout is not None
        if not self._process.stdout.readline():
            raise RuntimeError("the process that commands of the pages share did not start")

    def stop(self) -> None:
        """End it when the calls that still run have ended."""
        self._process.communicate()


def _answer_calls(address: str) -> None:
    """Fork for each call, until the standard input is closed."""
    import netmodel

    for name in _LOADED:
        importlib.import_module(name)

    # records that nearly all pages use are read once
    osa = "osa-express7s-25gbe"
    netmodel.predict(sender=osa, receiver=osa, workload="str-writex30k", mtu_bytes=1500)
    # forks then neither copy what garbage collection touches, nor search it
    gc.collect()
    gc.freeze()
    running: set[int] = set()
    with socket.socket(socket.AF_UNIX) as calls:
        calls.bind(address)
        calls.listen()
        print("ready", flush=True)  # noqa: T201
        while sys.stdin not in select.select([calls, sys.stdin], [], [])[0]:
            call, _ = calls.accept()
            child = os.fork()
            if child == 0:
                _answer(call)
            call.close()
            running.add(child)
            running -= {one for one in running if os.waitpid(one, os.WNOHANG)[0]}
    for child in running:
        os.waitpid(child, 0)


def _answer(call: socket.socket) -> None:
    """Be the command for one caller, with its files, directory, environment and arguments."""
    _, files, _, _ = socket.recv_fds(call, 1, 3)
    for number, file in enumerate(files):
        os.dup2(file, number)
    request = json.loads(call.makefile("rb").read())
    os.chdir(request["directory"])
    os.environ.clear()
    os.environ.update(request["environment"])
    # as in a shell: it ends quietly after its reader, such as ``head``
    signal.signal(signal.SIGPIPE, lambda *_: (call.sendall(b"\0"), os._exit(0)))
    call.sendall(bytes([_run(request["arguments"])]))
    os._exit(0)


def _run(arguments: list[str]) -> int:
    """The exit code of the command, or of a kernel."""
    if arguments[:1] == [_KERNEL]:
        return _run_kernel(*arguments[1:])
    from netmodel.cli import main

    try:
        main(arguments, prog_name="netmodel")
    except SystemExit as end:
        sys.stdout.flush()
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    raise AssertionError("click always exits")


def _run_kernel(connection_file: str, *settings: str) -> int:
    """Be a Jupyter kernel until it is shut down."""
    import matplotlib as mpl
    from ipykernel.kernelapp import launch_new_instance
    from ipykernel.zmqshell import ZMQInteractiveShell

    ZMQInteractiveShell.system = _print_command
    mpl.rcParams["backend"] = os.environ["MPLBACKEND"] = _PLOTS_IN_PAGES
    # how to connect to it is of no use here
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    settings += ("--log-level=ERROR",)
    launch_new_instance(["-f", connection_file, *settings])
    return 0


def _print_command(shell: Any, command: str) -> None:
    """What ``!`` does in a cell: no terminal, so neither colours nor a second of waiting."""
    done = subprocess.run(
        shell.var_expand(command, depth=1),
        shell=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    print(done.stdout, end="")  # noqa: T201
    shell.user_ns["_exit_code"] = done.returncode


def _start(app: Any) -> None:
    directory = tempfile.TemporaryDirectory(prefix="netmodel-docs-")
    shared = SharedProcess(Path(directory.name))
    for name in ("PATH", "JUPYTER_PATH"):
        others = filter(None, [os.environ.get(name)])
        os.environ[name] = os.pathsep.join([directory.name, *others])

    def stop(*_: Any) -> None:
        shared.stop()
        directory.cleanup()

    app.connect("build-finished", stop)


def setup(app: Any) -> dict[str, bool]:
    """Start it before pages are read."""
    app.connect("builder-inited", _start)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


if __name__ == "__main__":
    _answer_calls(sys.argv[1])
