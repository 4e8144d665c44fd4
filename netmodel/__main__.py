"""``python -m netmodel``."""

from netmodel.cli import run

if __name__ == "__main__":
    run()
