"""HTML pages of one file each: no scripts, nothing from outside (extra ``report``)."""

from netmodel._lazy import extra
from netmodel._text import printable


def rendered(template: str, **values: object) -> str:
    """
    A page of a template of this package; text in it is escaped and printable.

    Raises
    ------
    MissingExtraError
        If jinja2 is not installed.
    """
    with extra("report"):
        import jinja2
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("netmodel", "report"),
        autoescape=True,
        extensions=["jinja2.ext.do"],
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        # what a macro returns is markup, and its texts have been here before
        finalize=lambda value: (
            printable(value) if isinstance(value, str) and not hasattr(value, "__html__") else value
        ),
    )
    return environment.get_template(template).render(values)
