"""Charts of the page, as Vega-Lite: drawn by the reader's browser in the colours of the page's own style."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .tables import Units

if TYPE_CHECKING:
    import altair as alt
    import polars as pl

Spec = dict[str, Any]
POINTS_TO = 1500  # more candidates than that are drawn as a density
BINS = (72, 44)
PAPER, INK, QUIET, GRID = "var(--paper)", "var(--ink)", "var(--quiet)", "var(--line)"
FRONT, LOCKED, CLOUD = "var(--blue)", "var(--orange)", "var(--cloud)"


def frontier_chart(
    candidates: pl.DataFrame,
    rows: Sequence[Mapping[str, Any]],
    marked: Sequence[Mapping[str, Any]],
    units: Units,
) -> Spec:
    """Quality against cost: candidates as points or a density, the front as a step line, what they are compared with.

    Two parameters are moved from outside: `budget` (a cost) and `chosen` (the i of a row of the front).

    Parameters
    ----------
    candidates : polars.DataFrame
        quality and cost.
    rows : of `front_rows`
    marked : sequence of dict
        name, rule, quality (scaled), cost, calls of baselines and the oracle.
    units : Units
    """
    import altair as alt

    cloud, is_density = candidate_cloud(candidates, units.scale)
    across, along = (_domain(key, [*cloud, *rows, *marked]) for key in ("cost", "quality"))
    x = alt.X(
        "cost:Q",
        title=f"mean {units.cost}",
        axis=alt.Axis(tickCount=10),
        scale=alt.Scale(domain=across, nice=False, zero=False),
    )
    y = alt.Y("quality:Q", title=units.quality_label, scale=alt.Scale(domain=along, nice=False, zero=False))
    budget = alt.param(name="budget", value=rows[-1]["cost"])
    chosen = alt.param(name="chosen", value=-1)
    near = alt.selection_point(name="near", on="pointerover", nearest=True, fields=["i"], empty=False)

    cloud_marks = (
        alt.Chart(alt.NamedData("cloud"))
        .mark_rect(fill=CLOUD, aria=False)
        .encode(
            x=x, x2="cost_to:Q", y=y, y2="quality_to:Q",
            opacity=alt.Opacity("count:Q", scale=alt.Scale(type="log", range=[0.25, 1.0]), legend=None),
        )
        if is_density
        else alt.Chart(alt.NamedData("cloud"))
        .mark_circle(size=14, color=CLOUD, opacity=0.8, aria=False)
        .encode(x=x, y=y)
    )  # fmt: skip
    front = alt.Chart(alt.NamedData("front"))
    at: dict[str, Any] = {"x": x, "y": y}
    line = front.mark_line(interpolate="step-after", color=FRONT, strokeWidth=1.5, aria=False).encode(**at)
    limit = (
        alt.Chart(alt.NamedData("once"))
        .transform_calculate(cost="budget")
        .mark_rule(strokeDash=[5, 4], color=INK, strokeWidth=1.5, aria=False)
        .encode(x=x)
    )
    stable = any(row["stability"] is not None for row in rows)
    size = (
        alt.Size("stability:Q", scale=alt.Scale(domain=[0, 1], range=[25, 150]), legend=None)
        if stable
        else alt.value(45)
    )
    points = (
        front.mark_circle(color=FRONT, opacity=1, cursor="pointer", stroke=INK)
        .encode(
            **at,
            size=size,
            opacity=alt.condition("datum.cost <= budget", alt.value(1.0), alt.value(0.35)),
            strokeWidth=alt.condition(near, alt.value(2), alt.value(0)),
            tooltip=_tips(rows, units),
        )
        .add_params(near)
    )
    ring = (
        front.transform_filter("datum.i === chosen")
        .mark_point(size=700, color=INK, strokeWidth=2, filled=False, aria=False)
        .encode(**at)
    )
    # without a tooltip it lets the pointer through, to the points that it covers
    locked = (
        front.transform_filter("datum.locked")
        .mark_point(shape=_STAR, size=420, filled=True, color=LOCKED, opacity=1, stroke=PAPER, strokeWidth=1)
        .encode(**at)
    )
    other = alt.Chart(alt.NamedData("marked")).encode(**at)
    told = [
        alt.Tooltip("name:N", title="baseline"),
        *_figures(units),
    ]
    squares = other.mark_point(shape="square", filled=True, size=55, color=INK, opacity=1).encode(tooltip=told)
    # on the right half a name stands left of its point, so that none is cut off
    middle = sum(across) / 2
    named: dict[str, Any] = {"color": INK, "fontSize": 12, "aria": False, "dy": -8}
    sides: Mapping[str, Mapping[str, Any]] = {"<=": {"align": "left", "dx": 6}, ">": {"align": "right", "dx": -6}}
    names = [
        other.transform_filter(f"datum.cost {side} {middle}").mark_text(**placed, **named).encode(text="name:N")
        for side, placed in sides.items()
    ]
    chart = alt.layer(cloud_marks, line, limit, points, ring, locked, squares, *names).add_params(budget, chosen)
    sized = chart.properties(width="container", height=400, description=_described(rows, marked, units))
    return _spec(sized, cloud=cloud, front=[_datum(row) for row in rows], marked=list(marked), once=[{}])


_STAR = (  # a star of five points within the unit square, as an SVG path
    "M"
    + "L".join(
        f"{radius * math.sin(math.pi * k / 5):.3f},{-radius * math.cos(math.pi * k / 5):.3f}"
        for k, radius in enumerate([1.0, 0.42] * 5)
    )
    + "Z"
)


def candidate_cloud(candidates: pl.DataFrame, scale: float) -> tuple[list[dict[str, float]], bool]:
    """Candidates as points, or as counts in a grid where they are many; the second value says which.

    A grid has at most 72 x 44 rectangles, however many candidates there are.
    """
    cost, quality = candidates["cost"].to_numpy(), candidates["quality"].to_numpy() * scale
    if len(cost) <= POINTS_TO:
        distinct = sorted(set(zip(cost.round(6).tolist(), quality.round(6).tolist(), strict=True)))
        return [{"cost": c, "quality": q} for c, q in distinct], False
    counts, left, low = np.histogram2d(cost, quality, bins=BINS)
    return [
        {
            "cost": round(float(left[i]), 6),
            "cost_to": round(float(left[i + 1]), 6),
            "quality": round(float(low[j]), 6),
            "quality_to": round(float(low[j + 1]), 6),
            "count": int(counts[i, j]),
        }
        for i, j in np.argwhere(counts > 0).tolist()
    ], True


def _domain(key: str, data: Sequence[Mapping[str, Any]]) -> tuple[float, float]:
    """What an axis spans, with a margin: fixed, so that nothing moves when the budget does."""
    values = [each[name] for each in data for name in (key, f"{key}_to") if name in each]
    low, high = min(values), max(values)
    margin = 0.05 * (high - low) or 0.5
    return low - margin, high + margin


def _datum(row: Mapping[str, Any]) -> dict[str, Any]:
    """What the chart needs of a row of the front."""
    count = len(row["aliases"]) + row["more"]
    first = "; ".join(row["aliases"][:2])
    names = f"{count}: {first}{' …' if count > 2 else ''}" if count else "none"
    return {key: row[key] for key in ("i", "rule", "quality", "cost", "calls", "stability", "locked")} | {
        "aliases": names
    }


def _figures(units: Units) -> list[alt.Tooltip]:
    import altair as alt

    return [
        alt.Tooltip("quality:Q", title=units.quality_label, format=f".{units.digits}f"),
        *([alt.Tooltip("cost:Q", title=units.cost, format=",.3f")] if units.cost != "calls" else []),
        alt.Tooltip("calls:Q", title="calls", format=".3f"),
    ]


def _tips(rows: Sequence[Mapping[str, Any]], units: Units) -> list[alt.Tooltip]:
    import altair as alt

    stable = any(row["stability"] is not None for row in rows)
    return [
        alt.Tooltip("rule:N", title="rule"),
        *_figures(units),
        *([alt.Tooltip("stability:Q", title="stability", format=".2f")] if stable else []),
        alt.Tooltip("aliases:N", title="aliases"),
    ]


def _described(rows: Sequence[Mapping[str, Any]], marked: Sequence[Mapping[str, Any]], units: Units) -> str:
    ends = rows[0], rows[-1]
    span = " to ".join(f"{units.quality} {row['quality']:.{units.digits}f} at {row['cost']:.3f}" for row in ends)
    beside = ", ".join(each["name"] for each in marked)
    return f"Frontier of {len(rows)} rules: {span} {units.cost}. Beside it: {beside or 'nothing'}."


def stops_chart(counts: Mapping[str, Mapping[str, int]], of: str) -> Spec:
    """At how many trajectories each of a few rules stops, by round; `counts` is name -> round -> trajectories."""
    import altair as alt

    totals = {name: sum(rounds.values()) for name, rounds in counts.items()}
    values = [
        {"rule": name, "round": int(r), "count": count, "share": count / totals[name] if totals[name] else 0.0}
        for name, rounds in counts.items()
        for r, count in rounds.items()
    ]
    chart = (
        alt.Chart(alt.NamedData("stops"))
        .mark_bar()
        .encode(
            x=alt.X("round:O", title="stop round", axis=alt.Axis(labelAngle=0, labelOverlap=True)),
            xOffset=alt.XOffset("rule:N", sort=list(counts)),
            y=alt.Y("share:Q", title=f"share of {of}", axis=alt.Axis(format="%")),
            color=alt.Color(
                "rule:N",
                sort=list(counts),
                scale=alt.Scale(domain=list(counts), range=[LOCKED, FRONT]),
                legend=alt.Legend(orient="top", title=None, labelLimit=0, columns=1),
            ),
            tooltip=[
                alt.Tooltip("rule:N"),
                alt.Tooltip("round:O", title="stop round"),
                alt.Tooltip("count:Q", title=of, format=","),
                alt.Tooltip("share:Q", format=".1%"),
            ],
        )
        .properties(width="container", height=240, description=f"Stop rounds of {' and '.join(counts)}.")
    )
    return _spec(chart, stops=values)


def signals_chart(signals: Sequence[Mapping[str, Any]]) -> Spec:
    """AUROC of each signal with its interval; `signals` has signal, auroc, auroc_low, auroc_high."""
    import altair as alt

    order = [each["signal"] for each in sorted(signals, key=lambda each: (-each["auroc"], each["signal"]))]
    y = alt.Y("signal:N", sort=order, title=None, axis=alt.Axis(labelLimit=140))
    base = alt.Chart(alt.NamedData("signals"))
    x = alt.Scale(domain=[0, 1])
    half = alt.Chart(alt.NamedData("half")).mark_rule(strokeDash=[4, 4], color=QUIET, aria=False)
    bars = base.mark_rule(color=FRONT, strokeWidth=2, aria=False)
    dots = base.mark_circle(color=FRONT, size=70, opacity=1)
    chart = alt.layer(
        half.encode(x=alt.X("auroc:Q", scale=x)),
        bars.encode(
            y=y,
            x=alt.X("auroc_low:Q", scale=x, title="AUROC, 95% interval", axis=alt.Axis(tickCount=5)),
            x2="auroc_high:Q",
        ),
        dots.encode(
            y=y,
            x=alt.X("auroc:Q", scale=x),
            tooltip=["signal:N", *(alt.Tooltip(f"{k}:Q", format=".3f") for k in ("auroc", "auroc_low", "auroc_high"))],
        ),
    ).properties(
        width="container",
        height=26 * len(order),
        description=f"AUROC of {len(order)} signals, the strongest first: {', '.join(order[:6])}.",
    )
    return _spec(chart, signals=[dict(each) for each in signals], half=[{"auroc": 0.5}])


def _spec(chart: alt.TopLevelMixin, **datasets: list[Any]) -> Spec:
    """The chart as JSON, with its data, in the colours of the page.

    The data are put in afterwards: they are bounded already, and need no second check.
    """
    axis = {"labelColor": INK, "titleColor": INK, "tickColor": GRID, "domainColor": GRID, "gridColor": GRID}
    text = {"labelFontSize": 12, "titleFontSize": 13, "titleFontWeight": "normal", "labelFont": "inherit"}
    spec: Spec = (
        chart.configure(background="transparent", font="system-ui, sans-serif")
        .configure_axis(**axis, **text)
        .configure_view(stroke=GRID)
        .configure_legend(labelColor=INK, titleColor=INK, labelFontSize=12)
        .to_dict()
    )
    return {**spec, "datasets": datasets, "autosize": {"type": "fit-x", "contains": "padding"}}
