"""Tables of what evaluation.json holds of the final split."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from .tables import Entry, Table, Units, code, figures, interval, number, table, text

if TYPE_CHECKING:
    import polars as pl

Content = Mapping[str, Any]
MOST_QUESTIONS = 40


def comparison_table(name: str, scope: Content, units: Units) -> Table:
    """The locked rule and what it is compared with, in one scope: macro or a cell."""
    tested = any(each.get("p_holm") is not None for each in scope["comparisons"].values())
    columns = (
        "rule",
        units.quality_label,
        units.cost,
        "difference",
        *(["p (Holm)"] if tested else []),
        "retention",
        f"{units.cost} ratio",
    )

    def rows() -> Iterator[list[Entry]]:
        own = scope["intervals"]
        empty = [text("")] * (len(columns) - 3)
        yield [text("locked"), units.of_quality(own["quality"]), units.of_cost(own["cost"]), *empty]
        for other, beside in scope["baselines"].items():
            against = scope["comparisons"][other]
            yield [
                text(other if beside["deployable"] else f"{other} (hindsight)"),
                units.of_quality(beside["intervals"]["quality"]),
                units.of_cost(beside["intervals"]["cost"]),
                units.of_quality(against["quality_difference"], "+"),
                *([number(against.get("p_holm"), ".2g")] if tested else []),
                interval(against["retention"]),
                interval(against["cost_ratio"]),
            ]

    counted = (
        f"{scope['n']:,} trajectories, {scope['groups']:,} groups; 95% intervals. Differences are locked minus row."
    )
    return table(name, columns, rows(), counted)


def stops_table(counts: Mapping[str, Mapping[str, int]], cells: Mapping[str, Content]) -> Table:
    """Trajectories by stop round: of each name, then of the locked rule in each cell."""
    by_column = {**counts, **{f"locked rule in {name}": scope["stop_rounds"] for name, scope in cells.items()}}
    rounds = next(iter(counts.values()))
    return table(
        "Trajectories by stop round, final split",
        ("stop round", *by_column),
        ([number(int(r)), *(number(column.get(r, 0)) for column in by_column.values())] for r in rounds),
    )


def final_tables(content: Content, units: Units) -> list[Table]:
    """Everything beside the main comparison; tables without a row are left out."""
    tables = [
        _depths(content, units),
        _outcomes(content),
        _early(content),
        *_breakdowns(content, units),
        *_transfer(content, units),
        _costs(content),
        _learned(content, units),
        _non_inferiority(content),
    ]
    return [each for each in tables if each.rows]


def _depths(content: Content, units: Units) -> Table:
    return table(
        "Against every fixed depth",
        ("fixed", "", units.quality_label, units.cost, "difference", "p (Holm)"),
        (
            [
                number(each["k"]),
                text("comparator" if each["comparator"] else ""),
                units.of_quality(each["quality"]),
                units.of_cost(each["cost"]),
                units.of_quality(each["quality_difference"], "+"),
                number(each["p_holm"], ".2g"),
            ]
            for each in content["depths"]
        ),
        "The comparator is the depth that the same policy chooses on the selection split.",
    )


def _outcomes(content: Content) -> Table:
    names = [name for name, each in content["baselines"].items() if each["deployable"]]
    return table(
        "Other outcomes",
        ("outcome", "locked", *(f"minus {name}" for name in names)),
        (
            [
                text(outcome),
                interval(each["value"], form=".4f"),
                *(interval(each["baselines"][name]["difference"], form="+.4f") for name in names),
            ]
            for outcome, each in content["outcomes"].items()
        ),
    )


def _early(content: Content) -> Table:
    early = content["early_stops"]
    spans = {"next": "one more round", "last": "all rounds"}
    return table(
        "What stopping early saved and lost",
        ("outcome", "with", "better", "same", "worse", "mean change"),
        (
            [
                text(outcome),
                text(told),
                *(number(each[span][way]) for way in ("better", "same", "worse")),
                number(each[span]["mean_change"], "+.4f"),
            ]
            for outcome, each in early["outcomes"].items()
            for span, told in spans.items()
        ),
        f"{early['n']:,} of {early['of']:,} trajectories stop before their last round.",
    )


def _breakdowns(content: Content, units: Units) -> Iterator[Table]:
    names = [name for name, each in content["baselines"].items() if each["deployable"]]
    for column, levels in content["breakdown"].items():
        yield table(
            f"By {column}",
            ("value", "groups", "", units.quality_label, units.cost, *(f"minus {name}" for name in names)),
            (
                [
                    text(level["value"] or "(missing)"),
                    number(level["groups"]),
                    text("small" if level["small"] else ""),
                    units.of_quality(level["quality"]),
                    units.of_cost(level["cost"]),
                    *(units.of_quality(level["baselines"][name]["quality_difference"], "+") for name in names),
                ]
                for level in levels
            ),
        )


def _transfer(content: Content, units: Units) -> Iterator[Table]:
    if not content["transfer"]:
        return
    yield table(
        f"Rules carried over from cell to cell: retention of {content['transfer']['reference']}, and regret",
        ("chosen in", "used in", "rule", "retention", units.quality_label, units.cost, "regret in quality"),
        (
            [
                text(each["locked_in"]),
                text(each["evaluated_in"]),
                code(each["rule"]),
                interval(each["retention"]),
                units.of_quality(each["quality"]),
                units.of_cost(each["cost"]),
                units.of_quality(each["quality_regret"], "+"),
            ]
            for each in content["transfer"]["entries"]
        ),
        "Regret is what the rule chosen in the cell itself reaches beyond the one carried there.",
    )


def _costs(content: Content) -> Table:
    derived = content.get("costs") or {}
    names = list(next(iter(derived.values()))["baselines"]) if derived else []
    columns = [title for name in names for title in (f"minus {name}", f"of {name}")]

    def beside(each: Content) -> Iterator[Entry]:
        for name in names:
            one = each["baselines"][name]
            yield interval(one["difference"], form="+,.4g")
            yield interval(one["ratio"])

    return table(
        "Cost models: means over the questions",
        ("figure", "unit", "locked", *columns),
        (
            [text(name), text(each["unit"]), interval(each["value"], form=",.4g"), *beside(each)]
            for name, each in derived.items()
        ),
    )


def _learned(content: Content, units: Units) -> Table:
    learned = content.get("learned") or {}
    return table(
        "A learned stopper as a yardstick",
        ("price", "", units.quality_label, *units.costs),
        (
            [
                number(each["price"]),
                text("compared" if i == learned["chosen"] else ""),
                units.of_quality(each["quality"]),
                *(units.of_cost(each[name]) for name in units.costs.values()),
            ]
            for i, each in enumerate(learned.get("frontier", ()))
        ),
        "No candidate: a lower bound on what learning could do.",
    )


def _non_inferiority(content: Content) -> Table:
    """Figure by figure, as the test gave them."""
    found = figures(content.get("non_inferiority") or {})
    return table("Non-inferiority", ("figure", "value"), ([text(name), entry] for name, entry in found))


def questions_table(stops: pl.DataFrame, units: Units) -> Table:
    """Questions whose last round is better than where the rule stopped, or worse; the largest changes first."""
    import polars as pl

    at_stop, at_last = f"{units.quality}_stop", f"{units.quality}_last"
    kept = (
        stops.filter(pl.col("stopping").is_in(["lost", "saved"]))
        .with_columns((pl.col(at_stop) - pl.col(at_last)).alias("kept"))
        .sort(pl.col("kept").abs(), "cell", "question", descending=[True, False, False])
    )
    in_cells = stops["cell"].n_unique() > 1
    note = f"The first {MOST_QUESTIONS} of {len(kept):,}; all in stops.csv." if len(kept) > MOST_QUESTIONS else ""
    return table(
        "Questions that stopping early lost or saved",
        (
            "question",
            *(["cell"] if in_cells else []),
            "stopped at",
            "of rounds",
            f"{units.quality_label} there",
            "at the last round",
            "stopping early",
        ),
        (
            [
                code(each["question"]),
                *([text(each["cell"])] if in_cells else []),
                number(each["stop_round"]),
                number(each["rounds"]),
                units.plain_quality(each[at_stop]),
                units.plain_quality(each[at_last]),
                text(each["stopping"]),
            ]
            for each in kept.head(MOST_QUESTIONS).iter_rows(named=True)
        ),
        note,
    )
