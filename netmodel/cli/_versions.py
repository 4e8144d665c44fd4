"""``netmodel versions``: what a bug report needs."""

import click

from netmodel.cli._options import json_option


@click.command()
@json_option
def versions(as_json: bool) -> None:
    """Print versions of netmodel, its libraries and tools.

    A bug report needs them. Python and system, packages of extras that are missing, and directories
    of your own data are listed too.
    """
    from netmodel.api import show_versions

    show_versions(as_json=as_json)
