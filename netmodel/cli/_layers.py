"""Every layer of the stack grammar, listed."""

from typing import Any

import click

from netmodel.cli._options import print_json
from netmodel.framing import LAYER_FORMS, LayerForm
from netmodel.report import text_table

__all__ = ["print_layers"]


def print_layers(as_json: bool) -> None:
    """Print every layer that --stack knows, with its bytes and options and where it may stand."""
    layers = [_described(name, form) for name, form in LAYER_FORMS.items()]
    if as_json:
        print_json(layers)
        return
    click.echo(text_table([("layer", "bytes", "inside"), *map(_row, layers)], right_aligned=[1]))
    options = [(layer["name"], " ".join(layer["options"])) for layer in layers if layer["options"]]
    click.echo(f"\n{text_table([('layer', 'options'), *options])}")


def _described(name: str, form: LayerForm) -> dict[str, Any]:
    layer = form.make(**form.defaults)
    return {
        "name": name,
        "bytes": layer.fixed_bytes,
        "block_bytes": layer.block_bytes,
        "record_bytes": layer.record_bytes or None,
        "options": [f"+{option}" for option in form.options],
        "inside": [carrier or "the line" for carrier in sorted(layer.carried_by)],
        "estimate": layer.estimate or None,
    }


def _row(layer: dict[str, Any]) -> tuple[str, str, str]:
    padded = f" and padding to {layer['block_bytes']}" if layer["block_bytes"] > 1 else ""
    records = f" in each {layer['record_bytes']}" if layer["record_bytes"] else ""
    about = "about " if layer["estimate"] else ""
    return (
        layer["name"],
        f"{about}{layer['bytes']}{records}{padded}",
        ", ".join(layer["inside"]),
    )
