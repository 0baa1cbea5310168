"""The page: the template filled, the script of the charts inlined."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Callable
from importlib import resources
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from ...trajectories.errors import StopruleError
from .context import context
from .material import Material

if TYPE_CHECKING:
    from markupsafe import Markup

LIMIT = 5_000_000  # bytes of a page with pictures
EXTRA = ("altair", "vl_convert", "jinja2")


class ReportError(StopruleError):
    """Raised when the page cannot be made."""


def missing_extra() -> str | None:
    """How to install what the page is made with; None where it is installed."""
    absent = [name for name in EXTRA if find_spec(name) is None]
    return f"the report needs {', '.join(absent)}: pip install 'stoprule[report]'" if absent else None


def report_page(material: Material, library: Callable[[], str] | None = None) -> bytes:
    """The report as one HTML page that loads nothing.

    The bytes are the same for the same material and library versions.

    Parameters
    ----------
    material : Material
    library : callable, optional
        Gives what `chart_library` would put together.

    Raises
    ------
    ReportError
        When the extra is not installed.
    """
    if told := missing_extra():
        raise ReportError(told)
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(_part),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.filters["coded"] = _coded
    template = environment.get_template("page.html")
    parts = {"style": _part("style.css"), "script": _part("page.js"), "library": (library or chart_library)()}
    variables = _variables(material)
    page = template.render(**parts, **variables).encode()
    if len(page) > LIMIT:
        without = {**variables, "pictures": [], "left_out": len(material.pictures)}
        page = template.render(**parts, **without).encode()
    return page


def _part(name: str) -> str:
    return resources.files(__package__).joinpath("parts", name).read_text(encoding="utf-8")


@functools.cache
def chart_library() -> str:
    """Vega, Vega-Lite and Vega-Embed as one script, in the version that the charts are written for."""
    import altair
    import vl_convert

    version = ".".join(altair.SCHEMA_VERSION.lstrip("v").split(".")[:2])
    keep = "window.vegaEmbed = vegaEmbed;"
    return _closed(vl_convert.javascript_bundle(keep, vl_version=version))


def _closed(script: str) -> str:
    """A script that cannot end the element that it stands in."""
    return script.replace("</script", "<\\/script").replace("<!--", "<\\!--")


def _coded(text: str) -> Markup:
    """Words whose parts in backticks are code."""
    from markupsafe import Markup, escape

    # a plain string: the pieces of a Markup would be escaped again where they are joined
    return Markup(re.sub(r"`([^`]+)`", r"<code>\1</code>", str(escape(text))))


def _json(content: object) -> str:
    return json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")


def _variables(material: Material) -> dict[str, Any]:
    sections = context(material)
    return {**sections, "data": _json(sections["data"])}
