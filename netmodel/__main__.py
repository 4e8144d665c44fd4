"""``python -m netmodel``."""

from netmodel.cli import main

if __name__ == "__main__":
    main(prog_name="netmodel")
