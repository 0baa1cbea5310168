"""Search spaces: lists of families, by the name of a preset or as a study spells them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from ..rules.expression import Rule
from ..rules.text import parse
from ..trajectories.errors import SearchError
from ..trajectories.nearest import listing, nearest
from ..trajectories.table import Trajectories
from .combined import Combination
from .cuts import Cuts, parse_cuts
from .expand import MOST_SHAPES, check_shape
from .families import DEFAULT_CUTS, FAMILIES, Family, atoms
from .presets import PRESETS, Preset

KINDS = ("preset", "family", "rule")
KEYS = (*KINDS, "cuts", "max_cells")


@dataclass(frozen=True)
class Space:
    """What to search: families of candidates, and notes on what they leave out."""

    families: tuple[Family, ...]
    notes: tuple[str, ...] = ()

    def __add__(self, other: Space) -> Space:
        return Space(self.families + other.families, tuple(dict.fromkeys(self.notes + other.notes)))


def space(spelled: str | Mapping[str, Any] | Iterable[Mapping[str, Any]], t: Trajectories) -> Space:
    """A search space for a table.

    Parameters
    ----------
    spelled : str, mapping or iterable of mappings
        The name of a preset (`default`, `tasr-381`, `tasr-876`), or one or more entries as a study has them
        under `[[search]]`: `preset`, `family` or `rule`, and optionally `cuts` and `max_cells`.
    t : Trajectories
        The selection split, with its calibrated signals.

    Raises
    ------
    SearchError
        For an unknown preset, family or key, naming the nearest one, and for what the table cannot give.
    RuleError
        When a rule cannot be parsed or reads what the table does not have.

    Examples
    --------
    >>> space("default", t)  # doctest: +SKIP
    >>> space([{"rule": "repeat(answer) & margin > ?", "cuts": "exact"}], t)  # doctest: +SKIP
    """
    if isinstance(spelled, str):
        return _entry({"preset": spelled}, t)
    entries = [spelled] if isinstance(spelled, Mapping) else list(spelled)
    if not entries:
        raise SearchError('nothing to search: name a preset, a family or a rule, as in preset = "default"')
    return sum((_entry(entry, t) for entry in entries), Space(()))


def _entry(entry: Mapping[str, Any], t: Trajectories) -> Space:
    given = {key: value for key, value in entry.items() if value is not None}
    for key in given:
        if key not in KEYS:
            raise SearchError(f"search has no key {key!r}{nearest(key, KEYS)}: it has {listing(KEYS)}")
    kinds = [kind for kind in KINDS if kind in given]
    if len(kinds) != 1:
        raise SearchError(f"each search names one of {listing(KINDS)}, not {' and '.join(kinds) or 'none'}")
    cuts = parse_cuts(given["cuts"]) if "cuts" in given else None
    name = given[kinds[0]]
    match kinds[0]:
        case "preset":
            found = _preset(name, t, cuts)
        case "family":
            found = Preset((_family(name, t, cuts),))
        case _:
            found = Preset((_shape(name, t, cuts),))
    cap = _cap(given.get("max_cells"))
    return Space(tuple(replace(family, max_cells=cap) for family in found.families), found.notes)


def _known(name: Any, known: Iterable[str], what: str) -> str:
    names = list(known)
    if name not in names:
        raise SearchError(f"no {what} is called {name!r}{nearest(str(name), names)}: there are {listing(names)}")
    return str(name)


def _preset(name: Any, t: Trajectories, cuts: Cuts | None) -> Preset:
    build = PRESETS[_known(name, PRESETS, "preset")]
    if cuts is None:
        return build(t)
    if name == "default":
        raise SearchError("preset default chooses its own cuts: leave cuts out, or name a family")
    return build(t, cuts)


def _family(name: Any, t: Trajectories, cuts: Cuts | None) -> Family:
    build = FAMILIES[_known(name, FAMILIES, "family")]
    found = build(atoms(t))
    shapes = found if isinstance(found, Combination) else tuple(islice(found, MOST_SHAPES + 1))
    if isinstance(shapes, tuple) and len(shapes) > MOST_SHAPES:
        raise SearchError(
            f"family {name} has more than {MOST_SHAPES:,} shapes with {len(t.signals)} signals: list fewer of them"
        )
    if not shapes:
        raise SearchError(
            f"family {name} has no rule on this table of {t.rounds} rounds with the signals "
            f"{listing(sorted(t.signals)) or 'none'} and {'no' if t.answer is None else 'an'} answer"
        )
    return Family(name, shapes, cuts or DEFAULT_CUTS)


def _shape(rule: Any, t: Trajectories, cuts: Cuts | None) -> Family:
    shape = rule if isinstance(rule, Rule) else parse(rule)
    check_shape(shape, t)
    if cuts is not None and not shape.holes:
        raise SearchError(f"`{shape}` has no ? for its cuts: leave cuts out, or write ? where they belong")
    if cuts is None and shape.holes:
        raise SearchError(f'`{shape}`: say which cuts its ? stands for, as in cuts = "exact"')
    return Family("rule", (shape,), cuts or DEFAULT_CUTS)


def _cap(value: Any) -> int | None:
    if value is not None and (not isinstance(value, int) or isinstance(value, bool) or value < 1):
        raise SearchError(f"max_cells = {value!r}: a whole number above 0 is expected")
    return value
