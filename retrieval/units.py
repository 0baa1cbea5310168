"""Units of evidence, the collection that holds them, and the view that says who may see which."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from typing import Protocol

from .errors import RetrievalError


@dataclass(frozen=True, slots=True, order=True)
class Reference:
    """An exact reference: which unit, at which revision."""

    unit: str
    revision: str


@dataclass(frozen=True, slots=True)
class Unit:
    """The smallest piece of text that is returned, read and packed whole.

    Its texts are kept out of ``repr``: a log of a unit shows none of what it says. Without a revision of its
    own it takes the first 12 hex digits of its content's sha256: another text is another revision.
    """

    id: str
    text: str = field(repr=False)
    title: str = field(default="", repr=False)
    revision: str = ""

    def __post_init__(self) -> None:
        if not self.revision:
            object.__setattr__(self, "revision", sha256(self.content.encode()).hexdigest()[:12])

    @property
    def content(self) -> str:
        """Title and text, a line each; what is searched, assessed and packed."""
        return f"{self.title}\n{self.text}" if self.title else self.text

    @property
    def reference(self) -> Reference:
        return Reference(self.id, self.revision)


class View(Protocol):
    """The trusted eligibility view: asked again at every use, so that a unit withdrawn meanwhile is gone."""

    @property
    def name(self) -> str:
        """Which view this is, for the trace."""

    def revision(self, unit: str) -> str | None:
        """The revision of the unit that the caller may see now; None where it may see none."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A view that never changes."""

    name: str
    revisions: Mapping[str, str] = field(repr=False)

    @classmethod
    def of(cls, units: Iterable[Unit], name: str = "all") -> Snapshot:
        """The view that shows exactly these units, at these revisions."""
        return cls(name, {unit.id: unit.revision for unit in units})

    def revision(self, unit: str) -> str | None:
        return self.revisions.get(unit)


class LiveView:
    """A view whose units can be granted and withdrawn while requests run."""

    def __init__(self, name: str, units: Iterable[Unit] = ()) -> None:
        self.name = name
        self._revisions = {unit.id: unit.revision for unit in units}

    def grant(self, unit: Unit) -> None:
        """Show the unit at this revision from now on."""
        self._revisions[unit.id] = unit.revision

    def withdraw(self, unit: str) -> None:
        """Show no revision of the unit from now on."""
        self._revisions.pop(unit, None)

    def revision(self, unit: str) -> str | None:
        return self._revisions.get(unit)


def eligible(reference: Reference, view: View) -> bool:
    """Whether the view shows this unit at this very revision, now."""
    return view.revision(reference.unit) == reference.revision


class Collection:
    """Units in the sorted order of their ids, so that nothing depends on the order of a file."""

    def __init__(self, units: Iterable[Unit]) -> None:
        self.units = tuple(sorted(units, key=lambda unit: unit.id))
        twice = [name for name, times in Counter(unit.id for unit in self.units).items() if times > 1]
        if twice:
            raise RetrievalError(
                f"collection: unit id {twice[0]!r} stands for several units; give each an id of its own"
            )
        if not self.units:
            raise RetrievalError("collection: it holds no unit; name a corpus with at least one line")

    def __len__(self) -> int:
        return len(self.units)

    def __iter__(self) -> Iterator[Unit]:
        return iter(self.units)

    def __repr__(self) -> str:
        return f"Collection({len(self)} units, {self.fingerprint[:12]})"

    @cached_property
    def _position(self) -> dict[str, int]:
        return {unit.id: position for position, unit in enumerate(self.units)}

    def __contains__(self, unit: object) -> bool:
        return unit in self._position

    def __getitem__(self, unit: str) -> Unit:
        return self.units[self._position[unit]]

    @cached_property
    def fingerprint(self) -> str:
        """The sha256 of ids, revisions and contents: an index is loaded only beside what it was built on."""
        digest = sha256()
        for unit in self.units:
            for part in (unit.id, unit.revision, unit.content):
                encoded = part.encode()
                digest.update(len(encoded).to_bytes(8, "big") + encoded)
        return digest.hexdigest()
