"""`stoprule init`: a study proposed from a table's columns, each role with the reason for it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ..trajectories.columns import as_numbers
from ..trajectories.errors import StudyError
from ..trajectories.sources import Source, open_source

# The first column of these names, in any case, is proposed for the role.
USUAL_NAMES = {
    "question": ("question", "qid", "question_id", "query", "query_id", "id", "image", "item"),
    "round": ("round", "step", "iteration", "hop", "depth", "trees"),
    "quality": (
        "quality",
        "f1",
        "current_f1",
        "ndcg",
        "ndcg@10",
        "accuracy",
        "correct",
        "em",
        "recall",
        "right",
    ),
    "cell": ("cell", "configuration", "config"),
    "group": ("group", "passage", "document"),
    "answer": ("answer", "current_answer", "prediction"),
    "text": ("text", "question_text", "query_text"),
    "split": ("split",),
    "cost": ("cost",),
}
NEEDED = ("question", "round", "quality")
OUTCOME_WORDS = (
    "em",
    "f1",
    "exact_match",
    "accuracy",
    "correct",
    "right",
    "recall",
    "ndcg",
    "support",
    "mrr",
    "rouge",
)
EVALUATE = (
    "[evaluate]",
    "draws = 10000",
    "seed = 42",
    '# interval = "bca"           # instead of percentile',
    '# by = ["type"]              # a breakdown by columns with one value a question',
    "# margin = 0.02              # non-inferior to the longest fixed(k) within so much? needs data.range",
    "# learned = true             # a learned stopper as yardstick; takes some seconds",
)
CALIBRATED_WORDS = ("margin", "confidence", "logit", "prob")
FEW = 12


@dataclass(frozen=True)
class Column:
    """A numeric or Boolean column, and what its values allow."""

    name: str
    distinct: int
    unit: bool
    counts: bool


def write_study(file: Path) -> Path:
    """Write a proposed study beside a table.

    Raises
    ------
    StudyError
        When the study is there already.
    TrajectoryError
        When the table cannot be read.
    """
    text = proposed_study(open_source(file), file.name)
    path = file.with_suffix(".toml")
    try:
        with path.open("x", encoding="utf-8") as new:
            new.write(text)
    except FileExistsError as error:
        raise StudyError(f"{path}: is there already and is not overwritten; move it, or edit it") from error
    return path


def proposed_study(source: Source, file_name: str) -> str:
    """The text of a study for a table."""
    roles = {role: _usual(source.columns, names) for role, names in USUAL_NAMES.items()}
    taken = {column for column in roles.values() if column is not None}
    columns = list(_numeric(source, [name for name in source.columns if name not in taken]))
    outcomes = [each.name for each in columns if _is_outcome(each.name)]
    signals = [each for each in columns if each.name not in outcomes and each.distinct > 1]
    unusable = [each.name for each in columns if each.name not in outcomes and each.distinct <= 1]
    return "\n".join(_lines(file_name, roles, signals, outcomes, unusable)) + "\n"


def _usual(columns: Sequence[str], names: Sequence[str]) -> str | None:
    by_lower = {column.lower(): column for column in reversed(columns)}
    return next((by_lower[name] for name in names if name in by_lower), None)


def _numeric(source: Source, names: Sequence[str]) -> Iterator[Column]:
    loaded = source.load(names)
    for name in names:
        values, unfit = as_numbers(loaded[name])
        known = values.drop_nulls()
        if unfit.any() or known.is_empty():
            continue
        numbers = known.cast(float).to_numpy()
        yield Column(
            name,
            distinct=len(np.unique(numbers)),
            unit=bool(((numbers >= 0) & (numbers <= 1)).all()),
            counts=bool((numbers > 1).any() and (numbers == np.round(numbers)).all()),
        )


def _is_outcome(name: str) -> bool:
    words = name.lower().replace("@", "_").split("_")
    return any(word in words or name.lower().startswith(word) for word in OUTCOME_WORDS)


def _lines(
    file_name: str,
    roles: dict[str, str | None],
    signals: Sequence[Column],
    outcomes: Sequence[str],
    unusable: Sequence[str],
) -> Iterator[str]:
    yield "# Proposed by `stoprule init` from the columns; look every line over."
    yield ""
    yield "[data]"
    yield f"path = {json.dumps(file_name)}"
    for role, column in roles.items():
        if column is not None:
            yield f"{role} = {json.dumps(column, ensure_ascii=False)}"
        elif role in NEEDED:
            yield f'{role} = "?"                # no column looks like it: name one'
        elif role == "cost":
            counted = [each.name for each in signals if each.counts]
            hint = f"; perhaps {', '.join(counted)}, if it adds up over the rounds" if counted else ""
            yield f'# cost = "..."            # without it, cost is the round number{hint}'
        else:
            yield f'# {role} = "..."'
    yield "# range = [0, 1]             # lowest and highest possible quality"
    yield f"outcomes = {_list(outcomes)}    # how good it would be to stop: a rule may not read these"
    yield "signals = [                  # known before deciding: take out what tells the outcome"
    for each in signals:
        seen = f"{each.distinct} distinct values" + (", within 0..1" if each.unit else "")
        yield f"    {json.dumps(each.name, ensure_ascii=False)},    # {seen}"
    yield "]"
    if unusable:
        yield f"# left out, for they never vary: {', '.join(unusable)}"
    yield ""
    yield "[split]"
    if roles["split"] is None:
        yield "selection = 0.35             # by hash of the group; the rest is final"
        yield "seed = 0"
    else:
        yield f"# by the column {roles['split']}"
    target = next((name for name in outcomes if name.lower().endswith("em")), None)
    raw = next((each for each in signals if any(word in each.name.lower() for word in CALIBRATED_WORDS)), None)
    if target is not None and raw is not None:
        yield ""
        yield "# the share of right answers at each value of the signal, fitted on a split of its own"
        yield f"[calibrate.{_key(raw.name + '_cal')}]"
        yield f"signal = {json.dumps(raw.name, ensure_ascii=False)}"
        yield f"target = {json.dumps(target, ensure_ascii=False)}"
    yield ""
    yield "[[search]]"
    yield 'preset = "default"           # several hundred rules from the signals above'
    yield ""
    yield "[select]"
    yield 'policy = "knee"              # or "budget" with max_cost, "retain" with share and of, "utility" with price'
    yield ""
    yield from EVALUATE


def _list(names: Sequence[str]) -> str:
    return json.dumps(list(names), ensure_ascii=False)


def _key(name: str) -> str:
    plain = name.isascii() and name.replace("_", "").replace("-", "").isalnum()
    return name if plain else json.dumps(name, ensure_ascii=False)
