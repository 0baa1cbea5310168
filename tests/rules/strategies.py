"""Random rules, every kind of node, nested; and random tables for them."""

from itertools import pairwise

import numpy as np
from hypothesis import strategies as st
from stoprule.rules.expression import (
    HOLE,
    OPPOSITE,
    And,
    AtLeast,
    Change,
    Clip,
    Compare,
    Cost,
    Flag,
    Missing,
    Not,
    Or,
    Round,
    Signal,
    SoFarMax,
    SoFarMin,
    Streak,
    Total,
)

from .tables import MISSING, table

NUMERIC = st.sampled_from(["a", "b", "c"])
BOOLEAN = st.just("done")
# Few values, so that cuts tie with small integer signals and with each other.
TYING_CUTS = st.sampled_from([-1.0, 0.0, 0.5, 1.0, 1.5, 2.0, 3.0, float("inf"), float("-inf")])
ANY_CUTS = st.floats(allow_nan=False) | st.just(HOLE)
ANY_NAMES = st.sampled_from(
    [
        "margin",
        "overlap",
        "größe",
        "top score",
        "round",
        "answer",
        "cost",
        "inf",
        "nan",
        "and",
        "total",
        "class",
    ]
) | st.text(st.characters(exclude_categories=["Cs"]), max_size=6)


def rules_strategy(*, signals=NUMERIC, flags=BOOLEAN, cuts=TYING_CUTS):
    """Rules over the given strategies of numeric and Boolean signal names and of cuts.

    The defaults suit a table with numeric signals a, b, c of small integers and a Boolean signal ``done``;
    ``signals=ANY_NAMES, flags=ANY_NAMES, cuts=ANY_CUTS`` try the spelling instead.
    """
    operators = st.sampled_from(list(OPPOSITE))
    bounds = st.tuples(cuts.filter(lambda cut: cut is not HOLE), cuts.filter(lambda cut: cut is not HOLE)).map(sorted)

    def compared(terms):
        return st.builds(Compare, terms, operators, cuts)

    def wider_terms(terms):
        return (
            st.builds(Change, terms)
            | st.builds(SoFarMax, terms)
            | st.builds(SoFarMin, terms)
            | st.builds(lambda term, ends: Clip(term, *ends), terms, bounds)
            | st.builds(Total, st.lists(terms, min_size=1, max_size=3))
        )

    def wider_rules(rules):
        several = st.lists(rules, min_size=1, max_size=4)
        totals = st.builds(Total, st.lists(rules | terms, min_size=1, max_size=3))
        return (
            st.builds(And, several)
            | st.builds(Or, several)
            | st.builds(Not, rules)
            | several.flatmap(lambda ops: st.builds(AtLeast, st.integers(1, len(ops)), st.just(ops)))
            | compared(totals | wider_terms(totals))
        )

    leaves = st.builds(Signal, signals) | st.builds(Round) | st.builds(Cost)
    terms = st.recursive(leaves, wider_terms, max_leaves=4)
    atoms = compared(terms) | st.builds(Streak, st.integers(1, 4)) | st.builds(Flag, flags) | st.builds(Missing, terms)
    return st.recursive(atoms, wider_rules, max_leaves=8)


# Small integers, because they tie, with what is missing and what is not finite.
VALUES = (MISSING, -1.0, 0.0, 0.0, 1.0, 1.0, 2.0, 3.0, float("inf"), float("-inf"))


@st.composite
def tables_strategy(draw, *, max_trajectories=4, max_rounds=5, values=VALUES):
    """Ragged tables for the rules of `rules_strategy`, with answers and one or two cells.

    ``values`` are those of the numeric signals a, b, c; the Boolean one is ``done``.
    """
    lengths = draw(st.lists(st.integers(1, max_rounds), min_size=1, max_size=max_trajectories))
    starts = np.cumsum([0, *lengths])

    def ragged(choices):
        # one draw of many bytes takes a tenth of the time of many draws
        picked = draw(st.binary(min_size=int(starts[-1]), max_size=int(starts[-1])))
        flat = [choices[byte % len(choices)] for byte in picked]
        return [flat[start:end] for start, end in pairwise(starts)]

    steps = ragged((0.0, 0.5, 1.0, 4.0))
    cells = draw(st.lists(st.sampled_from("xy"), min_size=len(lengths), max_size=len(lengths)).map(sorted))
    return table(
        answer=ragged((-1, 0, 1)),
        cost=draw(st.none() | st.just([np.cumsum(rounds) for rounds in steps])),
        quality=ragged((0.0, 0.5, 1.0)),
        cells=draw(st.none() | st.just(cells)),
        a=ragged(values),
        b=ragged(values),
        c=ragged(values),
        done=ragged((True, False, None)),
    )
