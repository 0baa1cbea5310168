"""The page: the template filled, the script of the charts inlined."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from importlib import resources
from typing import TYPE_CHECKING, Any

from ...trajectories.errors import StopruleError
from .context import context
from .extra import chart_library, missing_extra
from .material import Material

if TYPE_CHECKING:
    from markupsafe import Markup

LIMIT = 5_000_000  # bytes of a page with pictures


class ReportError(StopruleError):
    """Raised when the page cannot be made."""


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
