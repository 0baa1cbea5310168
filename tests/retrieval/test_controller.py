import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from stoprule.retrieval.budget import Amounts, Budget
from stoprule.retrieval.controller import Controller
from stoprule.retrieval.errors import RetrievalError
from stoprule.retrieval.request import Request
from stoprule.retrieval.state import StopReason
from stoprule.retrieval.tools import Hit
from stoprule.retrieval.trace import trace, trace_bytes
from stoprule.retrieval.units import Snapshot, Unit
from stoprule.rules.stopper import Stopper
from stoprule.rules.text import parse
from stoprule.trajectories.errors import RuleError

UNITS = {name: Unit(name, f"{name} text") for name in ["alpha", "beta", "gamma", "delta", "omega", "kappa", "sigma"]}
VIEW = Snapshot.of(UNITS.values())
ASKED = Request(query="alpha beta", id="q", view=VIEW)  # no unit holds both terms


def units(*names: str) -> list[Unit]:
    return [UNITS[name] for name in names]


class TestPolicies:
    def test_adaptive_stops_on_the_proxy(self, controller: Controller, request_for: Callable[[str], Request]) -> None:
        """Spend one search where the first one covers the query."""
        result = controller.run(request_for("rx20-reset"))
        assert result.stop is StopReason.PROXY_SUFFICIENT
        assert result.final.spent == Amounts(calls=1, rows=3, units=3, iterations=1)
        assert result.packet.units[0].id == "rx20-reset"

    def test_adaptive_goes_on(self, controller: Controller, request_for: Callable[[str], Request]) -> None:
        """Spend the dense search where RX-20 covers all but the RX-200 of the query."""
        result = controller.run(request_for("rx200-reset"))
        assert result.states[0].assessments[-1].missing == ("RX-200",)
        assert result.states[0].packet().units[0].id == "rx20-reset"
        assert result.final.spent.calls == 2
        assert result.stop is StopReason.RESOURCE_BUDGET_EXHAUSTED

    def test_always_goes_on_after_sufficiency(
        self, controller: Controller, request_for: Callable[[str], Request]
    ) -> None:
        """Make both searches whatever came back."""
        result = controller.run(request_for("rx20-reset"), "always")
        assert result.states[0].sufficient
        assert result.final.spent.calls == 2

    @pytest.mark.parametrize("policy", ["lexical", "dense"])
    def test_single_search_may_spend_six_rows(
        self, controller: Controller, request_for: Callable[[str], Request], policy: str
    ) -> None:
        """Make one search of six rows, and pack at most four units."""
        result = controller.run(request_for("rx20-reset"), policy)
        assert [(action.tool, action.asked) for action in result.final.actions] == [(policy, 6)]
        assert len(result.packet.units) <= 4

    def test_adaptive_is_a_prefix_of_always(
        self, controller: Controller, queries: tuple[Any, ...], request_for: Callable[[str], Request]
    ) -> None:
        """Give the packet of `always` at the round where `adaptive` stopped, for every query."""
        for query in queries:
            adaptive = controller.run(request_for(query.id))
            always = controller.run(request_for(query.id), "always")
            assert adaptive.packet == always.states[len(adaptive.states) - 1].packet()

    def test_unchanged_query(self, listed: Any) -> None:
        """Ask every search the original query, for the scheduled rows."""
        first, second = listed(), listed()
        Controller({"lexical": first, "dense": second}).run(ASKED)
        assert first.asked == second.asked == [("alpha beta", 3)]

    def test_unknown_policy(self, controller: Controller, request_for: Callable[[str], Request]) -> None:
        """Name the nearest policy."""
        with pytest.raises(RetrievalError, match=r"no policy 'adaptiv' \(did you mean 'adaptive'\?\)"):
            controller.run(request_for("rx20-reset"), "adaptiv")

    def test_threshold_that_is_no_number(self, controller: Controller, request_for: Callable[[str], Request]) -> None:
        """Refuse NaN, which no coverage ever reaches."""
        with pytest.raises(RetrievalError, match="threshold is not a number"):
            controller.run(request_for("rx20-reset"), threshold=float("nan"))

    def test_longer_schedule(self, listed: Any) -> None:
        """Take any number of searches, and give a round for each."""
        tools = {"a": listed(*units("alpha")), "b": listed(*units("beta")), "c": listed(*units("gamma"))}
        schedule = [("a", 2), ("b", 2), ("c", 2)]
        controller = Controller(tools, schedule=schedule, budget=Budget.covering(schedule))
        result = controller.run(ASKED, "always")
        assert [len(state.observations) for state in result.states] == [1, 2, 3]
        assert [state.available for state in result.states] == [("b", "c"), ("c",), ()]


class TestFusedPacket:
    def test_by_reciprocal_rank(self, listed: Any) -> None:
        """Put the unit that both rankings hold before those that one holds."""
        tools = {"lexical": listed(*units("alpha", "gamma")), "dense": listed(*units("omega", "gamma"))}
        result = Controller(tools).run(ASKED)
        assert [unit.id for unit in result.packet.units] == ["gamma", "alpha", "omega"]


class TestStopReasons:
    def test_no_new_evidence(self, listed: Any) -> None:
        """Stop when the second search returns what the first returned."""
        same = units("alpha", "gamma")
        result = Controller({"lexical": listed(*same), "dense": listed(*reversed(same))}).run(ASKED)
        assert result.stop is StopReason.NO_NEW_EVIDENCE

    def test_an_empty_first_search_is_not_the_end(self, listed: Any) -> None:
        """Go on to the second search when the first found nothing."""
        result = Controller({"lexical": listed(), "dense": listed(*units("alpha"))}).run(ASKED)
        assert result.final.spent.calls == 2
        assert [unit.id for unit in result.packet.units] == ["alpha"]

    def test_longer_schedule_ends_without_news(self, listed: Any) -> None:
        """Save the third search when the second brought nothing new, but not under `always`."""
        tools = {"a": listed(*units("alpha")), "b": listed(*units("alpha")), "c": listed(*units("beta"))}
        schedule = [("a", 2), ("b", 2), ("c", 2)]
        controller = Controller(tools, schedule=schedule, budget=Budget.covering(schedule))
        assert controller.run(ASKED).final.spent.calls == 2
        assert controller.run(ASKED, "always").final.spent.calls == 3

    def test_none_claims_an_answer(self) -> None:
        """Say why execution ended, in one sentence each."""
        assert {str(reason) for reason in StopReason} == {
            "proxy_sufficient",
            "resource_budget_exhausted",
            "no_new_evidence",
            "cancelled",
            "deadline",
            "unresolved",
            "tool_failed",
        }
        assert all(reason.why.endswith(".") for reason in StopReason)


class TestFailures:
    def test_costs_its_allowance(self, listed: Any) -> None:
        """Charge call, iteration and rows of a failed search, and go on to the next, not to the same again."""
        broken, working = listed(error=OSError("no route")), listed(*units("gamma"))
        result = Controller({"lexical": broken, "dense": working}).run(ASKED)
        assert result.final.actions[0].charge == Amounts(calls=1, rows=3, iterations=1)
        assert result.final.actions[0].failure == "OSError"
        assert len(broken.asked) == len(working.asked) == 1
        assert [unit.id for unit in result.packet.units] == ["gamma"]
        assert result.stop is StopReason.RESOURCE_BUDGET_EXHAUSTED

    def test_repeated_failure(self, listed: Any) -> None:
        """End in `tool_failed` with everything charged and an empty packet."""
        broken = {name: listed(error=TimeoutError()) for name in ("lexical", "dense")}
        result = Controller(broken).run(ASKED)
        assert result.stop is StopReason.TOOL_FAILED
        assert result.final.spent == Amounts(calls=2, rows=6, iterations=2)
        assert result.packet.units == ()

    def test_last_search_failed(self, listed: Any) -> None:
        """Keep what the first search found."""
        tools = {"lexical": listed(*units("alpha")), "dense": listed(error=ValueError())}
        result = Controller(tools).run(ASKED)
        assert result.stop is StopReason.TOOL_FAILED
        assert [unit.id for unit in result.packet.units] == ["alpha"]

    def test_oversized_response(self, listed: Any) -> None:
        """Cut seven rows to three and report the four."""
        result = Controller({"lexical": listed(*UNITS.values()), "dense": listed()}).run(ASKED)
        assert (result.final.actions[0].returned, result.final.actions[0].excess) == (3, 4)
        assert result.final.spent.rows == 3
        assert [unit.id for unit in result.packet.units] == ["alpha", "beta", "gamma"]

    def test_oversized_units(self) -> None:
        """Read a unit of any length, but neither assess nor pack one that does not fit."""
        huge = Unit("huge", "alpha beta " * 1000)
        view = Snapshot.of([huge])

        class One:
            def search(self, *_: object, **__: object) -> list[Hit]:
                return [Hit(huge, 1.0)]

        result = Controller({"one": One()}, schedule=[("one", 3)]).run(Request(query="alpha beta", id="q", view=view))
        assert result.final.spent.units == 1
        assert result.final.assessments[0].coverage == 0.0
        assert result.packet.units == ()


class TestLimits:
    @pytest.mark.parametrize("limit", ["calls", "iterations"])
    def test_one_call_or_iteration(self, listed: Any, limit: str) -> None:
        """Make one search under a limit of one."""
        second = listed(*units("beta"))
        tools = {"lexical": listed(*units("alpha")), "dense": second}
        result = Controller(tools, budget=Budget(**{limit: 1})).run(ASKED)
        assert result.stop is StopReason.RESOURCE_BUDGET_EXHAUSTED
        assert second.asked == []
        assert result.final.available == ("dense",)

    @pytest.mark.parametrize("limit", ["calls", "iterations", "rows", "units"])
    def test_nothing_allowed(self, listed: Any, limit: str) -> None:
        """Search not at all under a limit of nothing."""
        tool = listed(*units("alpha"))
        result = Controller({"lexical": tool, "dense": tool}, budget=Budget(**{limit: 0})).run(ASKED)
        assert tool.asked == []
        assert result.stop is StopReason.RESOURCE_BUDGET_EXHAUSTED
        assert result.final.spent == Amounts()

    def test_rows_left_over(self, listed: Any) -> None:
        """Ask the second search for the one row that is left."""
        first, second = listed(*units("alpha", "gamma", "omega")), listed(*units("beta", "kappa"))
        result = Controller({"lexical": first, "dense": second}, budget=Budget(rows=4)).run(ASKED)
        assert second.asked == [("alpha beta", 1)]
        assert result.final.actions[1].excess == 1

    def test_units_left_over(self, listed: Any) -> None:
        """Leave a row unread when no unit is left, but not one that was read before."""
        first, second = listed(*units("alpha", "gamma")), listed(*units("beta", "alpha", "kappa"))
        result = Controller({"lexical": first, "dense": second}, budget=Budget(units=3)).run(ASKED)
        assert result.final.actions[1].unread == 1
        assert result.final.spent.units == 3
        assert [reference.unit for reference in result.final.references] == ["alpha", "gamma", "beta"]


class TestState:
    def test_is_inspectable(self, controller: Controller, request_for: Callable[[str], Request]) -> None:
        """Show request, features, tools, actions, references, matched, missing, remaining and stop."""
        first, last = controller.run(request_for("rx200-reset")).states
        assert first.request.id == "rx200-reset"
        assert first.features.identifiers == ("RX-200",)
        assert first.available == ("dense",)
        assert (first.matched, first.missing) == (("reset", "receiver"), ("RX-200",))
        assert first.remaining == Amounts(calls=1, rows=3, units=3, iterations=1)
        assert first.stop is None
        assert len(first.references) == 3
        assert last.stop is StopReason.RESOURCE_BUDGET_EXHAUSTED

    def test_earlier_states_stay(self, controller: Controller, request_for: Callable[[str], Request]) -> None:
        """Keep each state as it was: later ones add to it."""
        first, last = controller.run(request_for("rx200-reset")).states
        assert last.actions[:1] == first.actions
        assert last.observations[:3] == first.observations


class TestTrace:
    def test_same_request_same_trace(self, controller: Controller, request_for: Callable[[str], Request]) -> None:
        """Give the same bytes twice, for every policy."""
        for policy in controller.policies:
            one, two = (trace_bytes(controller.run(request_for("rx200-reset"), policy)) for _ in range(2))
            assert one == two

    def test_spent_is_the_sum_of_its_actions(
        self, controller: Controller, request_for: Callable[[str], Request]
    ) -> None:
        """Record in the trace what was spent, call by call."""
        record: Any = trace(controller.run(request_for("rx200-reset")))
        for name in ("calls", "rows", "units", "iterations"):
            assert sum(action["charge"][name] for action in record["actions"]) == record["spent"][name]
            assert record["spent"][name] + record["remaining"][name] == record["budget"][name]


class TestAsync:
    def test_same_trace_as_sync(self, controller: Controller, request_for: Callable[[str], Request]) -> None:
        """Decide alike, whichever way a search is waited for."""
        for policy in controller.policies:
            waited = asyncio.run(controller.run_async(request_for("rx200-reset"), policy))
            assert trace_bytes(waited) == trace_bytes(controller.run(request_for("rx200-reset"), policy))

    def test_awaited_tool(self) -> None:
        """Await an asynchronous search, and refuse it in `run`."""

        class Remote:
            async def search(self, *_: object, **__: object) -> list[Hit]:
                await asyncio.sleep(0)
                return [Hit(UNITS["alpha"], 1.0)]

        controller = Controller({"remote": Remote()}, schedule=[("remote", 3)])
        assert asyncio.run(controller.run_async(ASKED)).packet.units == (UNITS["alpha"],)
        with pytest.raises(RetrievalError, match="tool 'remote' can only be awaited; use run_async"):
            controller.run(ASKED)

    def test_awaited_tool_that_fails(self) -> None:
        """Charge it as a failed call."""

        class Broken:
            async def search(self, *_: object, **__: object) -> list[Hit]:
                raise ConnectionError("gone")

        result = asyncio.run(Controller({"b": Broken()}, schedule=[("b", 3)]).run_async(ASKED))
        assert result.stop is StopReason.TOOL_FAILED
        assert result.final.actions[0].failure == "ConnectionError"


class TestStopper:
    def test_locked_rule_decides(self, controller: Controller, request_for: Callable[[str], Request]) -> None:
        """Stop where a rule on the recorded signals fires, threshold or not."""
        stopper = Stopper(parse("coverage >= 0.6 & missing_terms < 2"))
        for _ in range(2):  # the stopper begins anew with each run
            result = controller.run(request_for("rx200-reset"), stopper=stopper)
            assert result.final.spent.calls == 1
            assert result.stop is StopReason.PROXY_SUFFICIENT

    def test_rule_on_an_unknown_signal(self, controller: Controller, request_for: Callable[[str], Request]) -> None:
        """Say which signal the controller does not have."""
        with pytest.raises(RuleError, match="margin"):
            controller.run(request_for("rx200-reset"), stopper=Stopper(parse("margin > 1")))

    def test_only_adaptive_decides(self, controller: Controller, request_for: Callable[[str], Request]) -> None:
        """Refuse a stopper where it would be ignored."""
        with pytest.raises(RetrievalError, match="'always' decides nothing"):
            controller.run(request_for("rx200-reset"), "always", stopper=Stopper(parse("coverage > 0")))
