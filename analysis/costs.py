"""What stopping saves in tokens, seconds, money and energy: a cost model made of a few stated numbers."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Self

import numpy as np

from ..rules.expression import Rule
from ..trajectories.errors import StudyError
from ..trajectories.table import Floats, Trajectories
from .baselines import Stops
from .bootstrap import PairedBootstrap, paired_bootstrap, strata
from .intervals import Estimate, Method

JOULES_PER_WH = 3600.0
MILLION = 1e6


@dataclass(frozen=True, kw_only=True)
class Growth:
    """Tokens of a call that grow with the rounds: ``base + per_round x round``, as passages are added."""

    base: float
    per_round: float


@dataclass(frozen=True, kw_only=True)
class ExtraCall:
    """A further call every round, charged to the rules that read what it gives: a judge, a reranker.

    Attributes
    ----------
    name : str
    signals : tuple of str
        A rule that reads one of them, or a signal calibrated from one, pays for the call in every round that it
        runs.
    prompt_tokens, answer_tokens : float
        Of a call, at the model's speed, price and energy.
    seconds, price, joules : float
        Of a call, beside those.
    """

    name: str
    signals: tuple[str, ...]
    prompt_tokens: float = 0.0
    answer_tokens: float = 0.0
    seconds: float = 0.0
    price: float = 0.0
    joules: float = 0.0


@dataclass(frozen=True, kw_only=True)
class CostModel:
    """Stated numbers that turn rounds into tokens, seconds, money and energy; what is not stated is not derived.

    Attributes
    ----------
    prompt_tokens, answer_tokens : str, Growth or None
        Tokens read and written in each round: a measure of the table, or a growth with the rounds.
    prompt_tokens_per_second, answer_tokens_per_second : float or None
    seconds_per_call : float or None
        The fixed part of every round.
    price_per_million_prompt_tokens, price_per_million_answer_tokens : float or None
    currency : str
    joules_per_prompt_token, joules_per_answer_token : float or None
        At the machine.
    pue : float
        Power usage effectiveness of the data centre: energy of all over energy of the machines, 1 or more.
    grams_co2_per_kwh : float or None
    extra : tuple of ExtraCall
    """

    prompt_tokens: str | Growth | None = None
    answer_tokens: str | Growth | None = None
    prompt_tokens_per_second: float | None = None
    answer_tokens_per_second: float | None = None
    seconds_per_call: float | None = None
    price_per_million_prompt_tokens: float | None = None
    price_per_million_answer_tokens: float | None = None
    currency: str = "USD"
    joules_per_prompt_token: float | None = None
    joules_per_answer_token: float | None = None
    pue: float = 1.0
    grams_co2_per_kwh: float | None = None
    extra: tuple[ExtraCall, ...] = ()

    def __post_init__(self) -> None:
        for kind in ("prompt", "answer"):
            named = (f"{kind}_tokens_per_second", f"price_per_million_{kind}_tokens", f"joules_per_{kind}_token")
            stated = [name for name in named if getattr(self, name) is not None]
            if stated and getattr(self, f"{kind}_tokens") is None:
                raise StudyError(f"costs.{stated[0]} needs costs.{kind}_tokens: a column, or a base and per_round")
        if self.grams_co2_per_kwh is not None and not self._has_energy:
            raise StudyError("costs.grams_co2_per_kwh needs costs.joules_per_prompt_token or joules_per_answer_token")

    @classmethod
    def from_dict(cls, entry: Mapping[str, Any]) -> Self:
        """The model of a `to_dict`."""
        given = dict(entry)
        for name in ("prompt_tokens", "answer_tokens"):
            if isinstance(given.get(name), Mapping):
                given[name] = Growth(**given[name])
        given["extra"] = tuple(
            ExtraCall(**{**extra, "signals": tuple(extra["signals"])}) for extra in given.get("extra", ())
        )
        return cls(**given)

    def to_dict(self) -> dict[str, Any]:
        """The entry of the lock."""
        return asdict(self)

    @property
    def measures(self) -> tuple[str, ...]:
        """The columns that it reads."""
        named = (self.prompt_tokens, self.answer_tokens)
        return tuple(dict.fromkeys(name for name in named if isinstance(name, str)))

    @property
    def units(self) -> Mapping[str, str]:
        """What can be derived, and its unit: each figure is a mean over questions."""
        stated = {
            "tokens": self.prompt_tokens is not None or self.answer_tokens is not None,
            "seconds": self._has(("prompt_tokens_per_second", "answer_tokens_per_second", "seconds_per_call")),
            "money": self._has(("price_per_million_prompt_tokens", "price_per_million_answer_tokens")),
            "energy": self._has_energy,
            "co2": self._has_energy and self.grams_co2_per_kwh is not None,
        }
        units = {"tokens": "tokens", "seconds": "s", "money": self.currency, "energy": "Wh", "co2": "g"}
        return {name: units[name] for name, is_stated in stated.items() if is_stated}

    @property
    def _has_energy(self) -> bool:
        return self._has(("joules_per_prompt_token", "joules_per_answer_token"))

    def _has(self, names: Sequence[str]) -> bool:
        return any(getattr(self, name) is not None for name in names)

    def spent(self, t: Trajectories, stop_round: Floats | Any, reads: Collection[str]) -> dict[str, Floats]:
        """What a rule spends on every trajectory, (N,) by the name of the figure.

        Parameters
        ----------
        t : Trajectories
            With the measures that the model names.
        stop_round : (N,) int64
        reads : collection of str
            The signals that the rule reads, and those that these were calibrated from.
        """
        here = np.arange(len(t)), np.asarray(stop_round) - 1
        calls = np.asarray(stop_round, np.float64)
        prompt, answer = (_so_far(t, source)[here] for source in (self.prompt_tokens, self.answer_tokens))
        seconds, money, joules = calls * (self.seconds_per_call or 0.0), np.zeros(len(t)), np.zeros(len(t))
        for extra in self.extra:
            if not set(extra.signals).isdisjoint(reads):
                prompt, answer = prompt + calls * extra.prompt_tokens, answer + calls * extra.answer_tokens
                seconds, money, joules = (
                    total + calls * each
                    for total, each in ((seconds, extra.seconds), (money, extra.price), (joules, extra.joules))
                )
        for tokens, speed in ((prompt, self.prompt_tokens_per_second), (answer, self.answer_tokens_per_second)):
            seconds = seconds + (0.0 if speed is None else tokens / speed)
        money = money + prompt * (self.price_per_million_prompt_tokens or 0.0) / MILLION
        money = money + answer * (self.price_per_million_answer_tokens or 0.0) / MILLION
        joules = (
            joules + prompt * (self.joules_per_prompt_token or 0.0) + answer * (self.joules_per_answer_token or 0.0)
        )
        energy = joules * self.pue / JOULES_PER_WH
        every = {
            "tokens": prompt + answer,
            "seconds": seconds,
            "money": money,
            "energy": energy,
            "co2": energy / 1000 * (self.grams_co2_per_kwh or 0.0),
        }
        return {name: every[name] for name in self.units}


def _so_far(t: Trajectories, source: str | Growth | None) -> Floats:
    """(N, R) tokens up to and including each round."""
    if source is None:
        return np.zeros((len(t), t.rounds))
    if isinstance(source, Growth):
        each = np.broadcast_to(source.base + source.per_round * np.arange(1, t.rounds + 1), (len(t), t.rounds))
    else:
        each = t.measures[source]
        if (each[t.recorded] < 0).any():
            raise StudyError(f"costs: {source!r} has a negative number of tokens; mend the column")
    return np.cumsum(each, axis=1)


@dataclass(frozen=True, kw_only=True)
class CostFigures:
    """One derived figure of the rule and its baselines.

    Attributes
    ----------
    name, unit : str
    value : Estimate
        Macro mean over questions, of the rule.
    baselines, differences, ratios : name -> Estimate
        Of each baseline; of the rule minus it, and over it.
    """

    name: str
    unit: str
    value: Estimate
    baselines: Mapping[str, Estimate]
    differences: Mapping[str, Estimate]
    ratios: Mapping[str, Estimate]

    def sentence(self, reference: str) -> str:
        """The figure, and what it is against the reference."""
        ratio, unit = self.ratios[reference], "" if self.unit == self.name else f" {self.unit}"
        against = (
            f"no ratio to {reference} ({ratio.reason})"
            if ratio.reason
            else f"{_interval(100 * ratio.value, 100 * ratio.low, 100 * ratio.high)}% of {reference}"
        )
        return (
            f"{self.name} a question: {_interval(self.value.value, self.value.low, self.value.high)}{unit}, {against}"
        )

    def to_dict(self) -> dict[str, Any]:
        """The figure for JSON."""
        return {
            "unit": self.unit,
            "value": self.value.to_dict(),
            "baselines": {
                name: {
                    "value": one.to_dict(),
                    "difference": self.differences[name].to_dict(),
                    "ratio": self.ratios[name].to_dict(),
                }
                for name, one in self.baselines.items()
            },
        }


def _interval(value: float, low: float, high: float) -> str:
    return f"{value:.4g} [{low:.4g}, {high:.4g}]"


def cost_figures(
    t: Trajectories,
    model: CostModel,
    rule: tuple[Rule, Stops],
    others: Sequence[tuple[Rule, Stops]],
    *,
    calibrated: Mapping[str, str],
    draws: int,
    seed: int,
    interval: Method,
) -> tuple[CostFigures, ...]:
    """Everything that a cost model derives, of a rule and of what it is compared with, with intervals.

    Parameters
    ----------
    t : Trajectories
        The final split.
    model : CostModel
    rule, others : (Rule, Stops)
    calibrated : name -> signal
        What each calibrated signal was made of.
    draws, seed, interval
        As `paired_bootstrap`.
    """
    columns: dict[Any, Floats] = {}
    for one, stop in (rule, *others):
        reads = set(one.signals) | {calibrated[name] for name in one.signals if name in calibrated}
        columns |= {(stop.name, name): values for name, values in model.spent(t, stop.stop_round, reads).items()}
    drawn = paired_bootstrap(strata(t.cell, t.group), columns, draws=draws, seed=seed, interval=interval)
    names = [stop.name for _, stop in others]
    return tuple(_figures(figure, unit, rule[1].name, names, drawn) for figure, unit in model.units.items())


def _figures(figure: str, unit: str, rule: str, others: Sequence[str], drawn: PairedBootstrap) -> CostFigures:
    return CostFigures(
        name=figure,
        unit=unit,
        value=drawn.mean((rule, figure)),
        baselines={name: drawn.mean((name, figure)) for name in others},
        differences={name: drawn.difference((rule, figure), (name, figure)) for name in others},
        ratios={name: drawn.ratio((rule, figure), (name, figure), of=f"the {figure} of {name}") for name in others},
    )
