"""Atoms that say nothing: always or never true, so that `at_least(2, ...)` is in truth 1 of the rest."""

from __future__ import annotations

from collections.abc import Iterable
from math import isinf

from ..rules.arrays import kleene
from ..rules.expression import Compare, Expression, Flag, Missing, Rule, Streak
from ..trajectories.table import Trajectories


def atoms_of(rule: Expression) -> list[Rule]:
    """The atoms of a rule in the order of its text, those inside totals too."""
    if isinstance(rule, Compare | Flag | Missing | Streak):
        inner = [atom for part in rule.operands for atom in atoms_of(part)]
        return [rule, *inner]
    return [atom for part in rule.operands for atom in atoms_of(part)]


def meant(atom: Rule) -> bool:
    """Whether an atom may well be always or never true: a round or a cost alone, a cut at infinity, a `?`."""
    endless = isinstance(atom, Compare) and isinstance(atom.cut, float) and isinf(atom.cut)
    return bool(endless or atom.holes) or not (atom.signals or atom.needs_answer)


def idle_atoms(rules: Iterable[Rule], t: Trajectories) -> list[str]:
    """A note for each atom that is true at every recorded round, or at none, if it is not `meant` that way."""
    atoms = dict.fromkeys(atom for rule in rules for atom in atoms_of(rule))
    notes = []
    for atom in sorted(atoms, key=str):
        if meant(atom):
            continue
        true = kleene(atom, t).true[t.recorded]
        if true.all() or not true.any():
            always = "always" if true.all() else "never"
            notes.append(f"`{atom}` is {always} true on the selection split: it adds nothing to a rule")
    return notes
