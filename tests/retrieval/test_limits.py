"""No sequence of events spends more than its allowance, and what was spent equals the trace."""

from dataclasses import dataclass
from itertools import count, pairwise

from hypothesis import given
from hypothesis import strategies as st
from stoprule.retrieval.budget import Amounts, Budget
from stoprule.retrieval.controller import Controller, Result
from stoprule.retrieval.request import Request
from stoprule.retrieval.tools import Hit
from stoprule.retrieval.trace import trace, trace_bytes
from stoprule.retrieval.units import Snapshot, Unit

WORDS = ["wing", "flow", "heat", "slab"]
UNITS = [Unit(f"u{place}", " ".join(WORDS[: place % 5]) + "x" * 7 * place) for place in range(9)]
COUNTS = ("calls", "rows", "units", "iterations")


@dataclass
class Scripted:
    """Replies with these units, doubles and hidden ones among them; None is a failure."""

    script: list[int] | None

    def search(self, *_: object, **__: object) -> list[Hit]:
        if self.script is None:
            raise OSError
        return [Hit(UNITS[place], float(place)) for place in self.script]


SCRIPTS = st.one_of(st.none(), st.lists(st.integers(0, 8), max_size=9))
BUDGETS = st.builds(
    Budget,
    calls=st.integers(0, 4),
    rows=st.integers(0, 9),
    units=st.integers(0, 9),
    iterations=st.integers(0, 4),
    packet_units=st.integers(0, 5),
    packet_characters=st.integers(0, 120),
)
RUNS = st.fixed_dictionaries(
    {
        "scripts": st.lists(SCRIPTS, min_size=1, max_size=4),
        "rows": st.lists(st.integers(1, 5), min_size=4, max_size=4),
        "budget": BUDGETS,
        "hidden": st.sets(st.integers(0, 8)),
        "policy": st.sampled_from(["adaptive", "always", "0"]),
        "threshold": st.sampled_from([0.25, 0.5, 0.75, 1.0]),
        "cancel": st.integers(0, 12),
    }
)


def executed(run: dict) -> Result:
    tools = {str(place): Scripted(script) for place, script in enumerate(run["scripts"])}
    schedule = list(zip(tools, run["rows"], strict=False))
    view = Snapshot.of(unit for place, unit in enumerate(UNITS) if place not in run["hidden"])
    checks = count()
    return Controller(tools, schedule=schedule, budget=run["budget"]).run(
        Request(query="wing flow heat slab", id="q", view=view),
        run["policy"],
        threshold=run["threshold"],
        cancelled=lambda: next(checks) >= run["cancel"],
    )


class TestBudgetArithmetic:
    @given(RUNS)
    def test_never_over_its_allowance(self, run: dict) -> None:
        """Hold every allowance in every state, whatever the searches return, fail at or repeat."""
        result = executed(run)
        for state in result.states:
            assert all(getattr(state.remaining, name) >= 0 for name in COUNTS)
            packet = state.packet()
            assert len(packet.units) <= run["budget"].packet_units
            assert len(packet.text) <= run["budget"].packet_characters

    @given(RUNS)
    def test_spent_equals_the_trace(self, run: dict) -> None:
        """Spend what the actions charged, and charge what the records show."""
        result = executed(run)
        final, written = result.final, trace(result)
        assert sum((action.charge for action in final.actions), Amounts()) == final.spent
        assert final.spent.calls == final.spent.iterations == len(final.actions)
        assert final.spent.units == len(set(final.references)) == len(final.observations)
        assert final.characters == sum(len(seen.unit.content) for seen in final.observations)
        spent = written["spent"]
        assert isinstance(spent, dict)
        assert {name: spent[name] for name in COUNTS} == {name: getattr(final.spent, name) for name in COUNTS}
        for action, ranking in zip(final.actions, final.rankings, strict=True):
            if action.failure:
                assert action.charge.rows == action.asked
                assert ranking.references == ()
            else:
                assert action.charge.rows == action.returned <= action.asked
                assert len(ranking.references) + action.unread == action.returned

    @given(RUNS)
    def test_spending_never_falls(self, run: dict) -> None:
        """Let every count grow from state to state."""
        states = executed(run).states
        for before, after in pairwise(states):
            assert all(getattr(before.spent, name) <= getattr(after.spent, name) for name in COUNTS)

    @given(RUNS)
    def test_same_events_same_trace(self, run: dict) -> None:
        """Write the same bytes for the same events."""
        assert trace_bytes(executed(run)) == trace_bytes(executed(run))


class TestHidden:
    @given(RUNS)
    def test_as_if_it_did_not_exist(self, run: dict) -> None:
        """Run as though the searches had not returned what the view hides."""
        bare = [
            None if script is None else [place for place in script if place not in run["hidden"]]
            for script in run["scripts"]
        ]
        assert trace_bytes(executed(run)) == trace_bytes(executed({**run, "scripts": bare}))
