"""The packet: whole units, in the fused order, within its two limits."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from .budget import Budget
from .units import Reference, Unit, View, eligible

SEPARATOR = "\n\n"


@dataclass(frozen=True, slots=True)
class Packet:
    """Units selected as evidence, best first; their texts stay out of ``repr``."""

    units: tuple[Unit, ...] = field(default=(), repr=False)

    @property
    def references(self) -> tuple[Reference, ...]:
        return tuple(unit.reference for unit in self.units)

    @property
    def text(self) -> str:
        return SEPARATOR.join(unit.content for unit in self.units)

    def rechecked(self, view: View) -> Packet:
        """The packet without the units that the view shows no more, or shows at another revision."""
        return Packet(tuple(unit for unit in self.units if eligible(unit.reference, view)))

    def __repr__(self) -> str:
        return f"Packet({', '.join(unit.id for unit in self.units)})"


def pack(ranked: Iterable[Unit], budget: Budget) -> Packet:
    """Fill a packet in ranked order with whole units; one that does not fit is passed over, not cut."""
    chosen: list[Unit] = []
    length = 0
    for unit in ranked:
        grown = length + len(unit.content) + (len(SEPARATOR) if chosen else 0)
        if len(chosen) < budget.packet_units and grown <= budget.packet_characters:
            chosen.append(unit)
            length = grown
    return Packet(tuple(chosen))
