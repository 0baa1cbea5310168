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
from .fitness import unfit, unfit_numbers

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
    usual = {role: _usual(source.columns, names) for role, names in USUAL_NAMES.items()}
    reasons = {role: unfit(role, usual, source) for role in usual}
    # "" where a column is no good: a role that is not named would take the column of its own name after all
    roles = {role: "" if reasons[role] else column for role, column in usual.items()}
    left_out = [f"{_text(str(usual[role]))} as {role}: it {why}" for role, why in reasons.items() if why]
    taken = {column for column in usual.values() if column is not None}
    columns = list(_numeric(source, [name for name in source.columns if name not in taken]))
    outcomes = []
    signals = []
    for each in columns:
        if _is_outcome(each.name):
            why = unfit_numbers(source, each.name)
            left_out += [f"{_text(each.name)} as an outcome: it {why}"] if why else []
            outcomes += [] if why else [each]
        elif each.distinct > 1:
            signals.append(each)
        else:
            left_out.append(f"{_text(each.name)} as a signal: it never varies")
    return "\n".join(_lines(file_name, roles, signals, outcomes, left_out)) + "\n"


def _usual(columns: Sequence[str], names: Sequence[str]) -> str | None:
    by_lower = {column.lower(): column for column in reversed(columns)}
    return next((by_lower[name] for name in names if name in by_lower), None)


def _numeric(source: Source, names: Sequence[str]) -> Iterator[Column]:
    loaded = source.load(names)
    for name in names:
        values, no_number = as_numbers(loaded[name])
        known = values.drop_nulls()
        if no_number.any() or known.is_empty():
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
    outcomes: Sequence[Column],
    left_out: Sequence[str],
) -> Iterator[str]:
    yield "# Proposed by `stoprule init` from the columns; look every line over."
    yield ""
    yield "[data]"
    yield f"path = {_text(file_name)}"
    for role, column in roles.items():
        if column == "":
            yield f'{role} = ""                  # no column, see what is left out'
        elif column is not None:
            yield f"{role} = {_text(column)}"
        elif role in NEEDED:
            yield f'{role} = "?"                # no column looks like it: name one'
        elif role == "cost":
            counted = [_text(each.name) for each in signals if each.counts]
            hint = f"; perhaps {', '.join(counted)}, if it adds up over the rounds" if counted else ""
            yield f'# cost = "..."            # without it, cost is the round number{hint}'
        else:
            yield f'# {role} = "..."'
    yield "# range = [0, 1]             # lowest and highest possible quality"
    named = ", ".join(_text(each.name) for each in outcomes)
    yield f"outcomes = [{named}]    # how good it would be to stop: a rule may not read these"
    yield "signals = [                  # known before deciding: take out what tells the outcome"
    for each in signals:
        seen = f"{each.distinct} distinct values" + (", within 0..1" if each.unit else "")
        yield f"    {_text(each.name)},    # {seen}"
    yield "]"
    yield from (f"# left out: {what}" for what in left_out)
    yield ""
    yield "[split]"
    if not roles["split"]:
        yield "selection = 0.35             # by hash of the group; the rest is final"
        yield "seed = 0"
    else:
        yield f"# by the column {_text(roles['split'])}"
    target = next((each.name for each in outcomes if each.name.lower().endswith("em") and each.unit), None)
    raw = next((each for each in signals if any(word in each.name.lower() for word in CALIBRATED_WORDS)), None)
    if target is not None and raw is not None:
        yield ""
        yield "# the share of right answers at each value of the signal, fitted on a split of its own"
        yield f"[calibrate.{_key(raw.name + '_cal')}]"
        yield f"signal = {_text(raw.name)}"
        yield f"target = {_text(target)}"
    yield ""
    yield "[[search]]"
    yield 'preset = "default"           # several hundred rules from the signals above'
    yield ""
    yield "[select]"
    yield 'policy = "knee"              # or "budget" with max_cost, "retain" with share and of, "utility" with price'
    yield ""
    yield from EVALUATE


def _text(name: str) -> str:
    """A name as a TOML string on one line."""
    return json.dumps(name, ensure_ascii=False).replace("\x7f", "\\u007f")


def _key(name: str) -> str:
    plain = name.isascii() and name.replace("_", "").replace("-", "").isalnum()
    return name if plain else _text(name)
