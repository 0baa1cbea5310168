import asyncio
import threading
from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

import pytest
from stoprule.retrieval.budget import Amounts
from stoprule.retrieval.controller import Controller
from stoprule.retrieval.request import Request
from stoprule.retrieval.state import StopReason
from stoprule.retrieval.tools import Hit
from stoprule.retrieval.units import Snapshot, Unit

ALPHA, BETA = Unit("a", "alpha"), Unit("b", "beta")
ASKED = Request(query="alpha beta", id="q", view=Snapshot.of([ALPHA, BETA]))
ONE_CALL = Amounts(calls=1, rows=1, units=1, iterations=1)


def after(checks: int) -> Callable[[], bool]:
    """False for so many checks, true from then on."""
    asked: Iterator[int] = count(1)
    return lambda: next(asked) > checks


@pytest.fixture
def two(listed: Any) -> tuple[Any, Any]:
    return listed(ALPHA), listed(BETA)


class TestCancellation:
    """Checks come before and after each call: before 1, after 1, before 2, after 2."""

    @pytest.mark.parametrize(("checks", "calls", "packed"), [(0, 0, ""), (1, 1, "a"), (2, 1, "a"), (3, 2, "ab")])
    def test_at_every_check(self, two: tuple[Any, Any], checks: int, calls: int, packed: str) -> None:
        """Stop before, after, between and after the calls; keep and charge what came back."""
        result = Controller({"lexical": two[0], "dense": two[1]}).run(ASKED, cancelled=after(checks))
        assert result.stop is StopReason.CANCELLED
        assert result.final.spent.calls == calls == len(two[0].asked) + len(two[1].asked)
        assert "".join(unit.id for unit in result.packet.units) == packed

    def test_during_a_synchronous_call(self, listed: Any) -> None:
        """Let a synchronous search finish, then stop."""
        cancelled = threading.Event()
        second = listed(BETA)
        tools = {"lexical": listed(ALPHA, then=cancelled.set), "dense": second}
        result = Controller(tools).run(ASKED, cancelled=cancelled.is_set)
        assert result.stop is StopReason.CANCELLED
        assert result.final.spent == ONE_CALL
        assert second.asked == []

    def test_before_sufficiency(self, listed: Any) -> None:
        """Name the cancellation, even where the proxy was sufficient."""
        result = Controller({"lexical": listed(ALPHA), "dense": listed()}).run(ASKED, threshold=0.5, cancelled=after(1))
        assert result.final.sufficient
        assert result.stop is StopReason.CANCELLED

    def test_before_failure(self, listed: Any) -> None:
        """Name the cancellation, even where the search failed."""
        tools = {"lexical": listed(error=OSError()), "dense": listed()}
        assert Controller(tools).run(ASKED, cancelled=after(1)).stop is StopReason.CANCELLED

    def test_async(self, two: tuple[Any, Any]) -> None:
        """Check at the same places when awaited."""
        controller = Controller({"lexical": two[0], "dense": two[1]})
        result = asyncio.run(controller.run_async(ASKED, cancelled=after(2)))
        assert (result.stop, result.final.spent.calls) == (StopReason.CANCELLED, 1)


class TestDeadline:
    def test_expired_before_the_start(self, two: tuple[Any, Any]) -> None:
        """Search not at all."""
        controller = Controller({"lexical": two[0], "dense": two[1]}, clock=lambda: 10.0)
        result = controller.run(ASKED, deadline=10.0)
        assert result.stop is StopReason.DEADLINE
        assert result.final.spent == Amounts()
        assert two[0].asked == []

    def test_passes_during_a_call(self, listed: Any) -> None:
        """Keep what came back late, and search no more."""
        now = [0.0]
        second = listed(BETA)
        tools = {"lexical": listed(ALPHA, then=lambda: now.__setitem__(0, 5.0)), "dense": second}
        result = Controller(tools, clock=lambda: now[0]).run(ASKED, deadline=3.0)
        assert result.stop is StopReason.DEADLINE
        assert result.final.spent == ONE_CALL
        assert result.packet.units == (ALPHA,)
        assert second.asked == []

    def test_far_away(self, two: tuple[Any, Any]) -> None:
        """Change nothing while there is time."""
        controller = Controller({"lexical": two[0], "dense": two[1]}, clock=lambda: 1.0)
        assert controller.run(ASKED, deadline=2.0).stop is StopReason.RESOURCE_BUDGET_EXHAUSTED

    def test_gives_up_an_awaited_search(self) -> None:
        """Leave an asynchronous search at the deadline and charge it as a failed call."""

        class Slow:
            async def search(self, *_: object, **__: object) -> list[Hit]:
                await asyncio.sleep(60)
                return [Hit(ALPHA, 1.0)]

        controller = Controller({"slow": Slow()}, schedule=[("slow", 3)])
        result = asyncio.run(controller.run_async(ASKED, deadline=controller.clock() + 0.05))
        assert result.stop is StopReason.DEADLINE
        assert result.final.actions[0].failure == "TimeoutError"
        assert result.final.spent == Amounts(calls=1, rows=3, iterations=1)
