"""What the page takes from the extra `report`: whether it is installed, and the script of the charts."""

from __future__ import annotations

import functools
from importlib.util import find_spec

EXTRA = ("altair", "vl_convert", "jinja2")


def missing_extra() -> str | None:
    """How to install what the page is made with; None where it is installed."""
    absent = [name for name in EXTRA if find_spec(name) is None]
    return f"the report needs {', '.join(absent)}: pip install 'stoprule[report]'" if absent else None


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
