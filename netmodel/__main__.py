"""The command, also as ``python -m netmodel``."""

import atexit
import gc


def run() -> None:
    """
    Run a command in a process of its own.

    The objects of a command, some 100 000, stay until it ends. Searching them for cyclic garbage
    finds nothing and takes a third of the time of a short command, so it is done a thousand times
    as rarely, from the first module on, and not at all as the process ends.
    """
    gc.set_threshold(1000 * gc.get_threshold()[0])
    atexit.register(gc.freeze)
    import netmodel.cli as cli

    cli.run()


if __name__ == "__main__":
    run()
