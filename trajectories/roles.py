"""Which column plays which part."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal, TypedDict, Unpack

from .errors import RoleError
from .nearest import listing, nearest

Normaliser = Literal["robust", "squad", "tasr", "exact"]
NORMALISER_NAMES: tuple[Normaliser, ...] = ("robust", "squad", "tasr", "exact")


@dataclass(frozen=True, kw_only=True)
class Roles:
    """Column names by role; ``None`` where a role has no column.

    ``signals`` is None when every remaining numeric or Boolean column counts as one (`check`, `replay`).
    ``range`` holds the declared lowest and highest possible quality. ``by`` are columns to break figures down
    by, one value a trajectory; ``measures`` are what a cost model is made of, such as the tokens of a round.
    """

    question: str = "question"
    round: str = "round"
    quality: str = "quality"
    cell: str | None = None
    group: str | None = None
    answer: str | None = None
    text: str | None = None
    split: str | None = None
    cost: str | None = None
    outcomes: tuple[str, ...] = ()
    signals: tuple[str, ...] | None = None
    range: tuple[float, float] | None = None
    normalise: Normaliser = "robust"
    by: tuple[str, ...] = ()
    measures: tuple[str, ...] = ()

    @property
    def cost_name(self) -> str:
        """What cost is called: its column, or calls when none is named."""
        return self.cost or "calls"


# The published logs (arXiv 2606.13814). n_tokens counts one answer, not all that was spent: a signal.
TASR: Mapping[str, Any] = MappingProxyType(
    {
        "question": "qid",
        "round": "round",
        "answer": "current_answer",
        "quality": "current_f1",
        "outcomes": ("current_em", "current_f1"),
        "signals": (
            "llm_confidence",
            "answer_token_margin",
            "calibrated_logit_margin",
            "calibrated_conf",
            "overlap_signal",
            "gap",
            "top_score_z_intra",
            "n_tokens",
        ),
        "normalise": "tasr",
    }
)
PRESETS: Mapping[str, Mapping[str, Any]] = MappingProxyType({"tasr": TASR})
NEEDED = ("question", "round", "quality")
SINGLE = (*NEEDED, "cell", "group", "answer", "text", "split", "cost")
READABLE = ("round", "answer", "cost")  # what a rule reads beside signals


class Given(TypedDict, total=False):
    """What a user may say about the columns; None is as good as nothing said."""

    question: str | None
    round: str | None
    quality: str | None
    cell: str | None
    group: str | None
    answer: str | None
    text: str | None
    split: str | None
    cost: str | None
    outcomes: Sequence[str] | None
    signals: Sequence[str] | None
    range: Sequence[float] | None
    normalise: Normaliser | None
    preset: str | None
    by: Sequence[str] | None
    measures: Sequence[str] | None


def resolve(columns: Iterable[str], *, where: str = "the table", **given: Unpack[Given]) -> Roles:
    """Give every role its column.

    A role that is not named takes what the preset says, else the column of its own name where there is one;
    nothing else is guessed. A role named ``""`` has no column, whatever columns there are.

    Parameters
    ----------
    columns : names of the table's columns
    where : str
        What the columns belong to, for messages.
    question, round, quality, cell, group, answer, text, split, cost : str, optional
        Column names. Question, round and quality must exist.
    outcomes : column names
        Outcomes beside the quality; a rule may read none of them.
    signals : column names, optional
        Without a list every remaining numeric or Boolean column counts as a signal.
    range : (low, high), optional
        The lowest and highest possible quality.
    normalise : {"robust", "squad", "tasr", "exact"}, optional
        How answers are compared; ``robust`` when neither given nor in the preset.
    preset : {"tasr"}, optional
        Known column names; of its outcomes and signals those count that the table has.
    by : column names
        What figures may be broken down by, such as the type of a question.
    measures : column names
        Numbers that a cost model is made of, such as the tokens of a round.

    Raises
    ------
    RoleError
        For a column that does not exist (naming the nearest), a needed role without a column, an outcome
        listed as a signal, an empty range, an unknown preset or normaliser.
    """
    unknown = given.keys() - Given.__annotations__.keys()
    if unknown:
        raise TypeError(f"resolve() got an unexpected keyword argument {min(unknown)!r}")
    said: dict[str, Any] = {role: value for role, value in given.items() if value is not None}
    present = tuple(columns)
    known = _preset(said.get("preset"))
    single: dict[str, Any] = {}
    for role in SINGLE:
        named = said.get(role, known.get(role))
        single[role] = (named or None) if named is not None else role if role in present else None
        if role in NEEDED and single[role] is None:
            raise RoleError(
                f"{where}: the role {role} has no column{nearest(role, present)}; name one as {role}=COLUMN "
                f"(--{role} COLUMN); columns: {listing(present)}"
            )
    outcomes = _names(said.get("outcomes")) or [name for name in known.get("outcomes", ()) if name in present]
    listed = [name for name in known["signals"] if name in present] if known else None
    signals = _names(said["signals"]) if "signals" in said else listed
    roles = Roles(
        **single,
        outcomes=tuple(name for name in dict.fromkeys(outcomes) if name != single["quality"]),
        signals=None if signals is None else tuple(dict.fromkeys(signals)),
        range=_range(said["range"]) if "range" in said else None,
        normalise=normaliser(said.get("normalise", known.get("normalise", "robust"))),
        by=tuple(dict.fromkeys(_names(said.get("by")))),
        measures=tuple(dict.fromkeys(_names(said.get("measures")))),
    )
    check_columns(roles, present, where)
    return roles


def check_columns(roles: Roles, columns: Sequence[str], where: str) -> None:
    """Refuse roles whose columns do not exist, and outcomes that are listed as signals."""
    uses = [(f"the role {role}", getattr(roles, role)) for role in SINGLE if getattr(roles, role) is not None]
    uses += [("outcomes", column) for column in roles.outcomes]
    uses += [("signals", column) for column in roles.signals or ()]
    uses += [("a breakdown", column) for column in roles.by] + [("a cost model", column) for column in roles.measures]
    for use, column in uses:
        if column not in columns:
            near = nearest(column, columns)
            raise RoleError(f"{where}: no column {column!r} for {use}{near}; columns: {listing(columns)}")
    for column in roles.signals or ():
        if part := _as_outcome(column, roles):
            raise RoleError(f"{where}: {column!r} is {part} and a rule may not read it; take it out of the signals")
    for role in READABLE:
        column = getattr(roles, role)
        if column is not None and (part := _as_outcome(column, roles)):
            raise RoleError(
                f"{where}: {column!r} is {part} and a rule may not read it, but it is the {role} as well; "
                f"name another column as {role}" + ("" if role in NEEDED else f", or none as {role}=''")
            )


def _as_outcome(column: str, roles: Roles) -> str | None:
    """What kind of outcome a column is; None when it is none."""
    if column == roles.quality:
        return "the quality"
    return "an outcome" if column in roles.outcomes else None


def normaliser(name: str) -> Normaliser:
    """The normaliser of that name, or an error that names the nearest."""
    for known in NORMALISER_NAMES:
        if name == known:
            return known
    raise RoleError(f"no normaliser {name!r}{nearest(name, NORMALISER_NAMES)}; there are: {listing(NORMALISER_NAMES)}")


def _preset(name: str | None) -> Mapping[str, Any]:
    if name is None:
        return {}
    if name not in PRESETS:
        raise RoleError(f"no preset {name!r}{nearest(name, PRESETS)}; there are: {listing(PRESETS)}")
    return PRESETS[name]


def _names(given: str | Sequence[str] | None) -> Sequence[str]:
    return (given,) if isinstance(given, str) else given or ()


def _range(given: Sequence[float]) -> tuple[float, float]:
    ends = tuple(float(end) if isinstance(end, int | float) else math.nan for end in given)
    if len(ends) != 2 or not (-math.inf < ends[0] < ends[1] < math.inf):
        raise RoleError(f"range {list(given)} is none; give [lowest, highest] possible quality")
    return ends[0], ends[1]
