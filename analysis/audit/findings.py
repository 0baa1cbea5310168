"""What a check says: a verdict, one figure, a cause and a remedy."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, get_args

Verdict = Literal["pass", "note", "warn", "fail"]
NOT_RUN = "not run"
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)


@dataclass(frozen=True, kw_only=True)
class Finding:
    """The answer of one check.

    Attributes
    ----------
    check : str
        Its name.
    verdict : "pass", "note", "warn" or "fail"
        A note is a property of the data, after a warning some figure is unsafe, a failure is a leak or broken
        integrity.
    figure : float, int or None
        None when the check could not be run.
    what : str
        What the figure counts or measures.
    cause, remedy : str
        One sentence each.
    """

    check: str
    verdict: Verdict
    figure: float | int | None
    what: str
    cause: str
    remedy: str

    def to_dict(self) -> dict[str, Any]:
        """The finding for audit.json; a figure that is no finite number is null."""
        figure = None if self.figure is None or not math.isfinite(self.figure) else self.figure
        return {**asdict(self), "figure": figure}


@dataclass(frozen=True)
class Answer:
    """A finding before it is given the name of its check."""

    verdict: Verdict
    figure: float | int | None
    what: str
    cause: str
    remedy: str = "nothing to do"


def not_run(why: str, remedy: str) -> Answer:
    """The note of a check that lacks what it needs."""
    return Answer("note", None, NOT_RUN, why, remedy)


def worst(findings: Iterable[Finding]) -> Verdict:
    """The gravest verdict; "pass" when there is no finding."""
    return max((each.verdict for each in findings), key=VERDICTS.index, default="pass")


def listed(names: Sequence[str], most: int = 3) -> str:
    """The first few names, and how many more there are."""
    rest = len(names) - most
    return ", ".join(names[:most]) + (f" and {rest} more" if rest > 0 else "")
