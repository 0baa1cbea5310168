"""What a study may say: every table and key, and what each may be."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from ..analysis.costs import CostModel, ExtraCall, Growth


class Section(BaseModel):
    """A table of the study: its keys and no others, each of its own TOML type."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class CellFiles(Section):
    """One ``[[data.cells]]``: the files of a cell, and the cell whose calibrators it borrows."""

    name: str
    selection: str | None = None
    final: str | None = None
    calibration_from: str | None = None

    @model_validator(mode="after")
    def _has_rows_to_calibrate_on(self) -> Self:
        if self.selection is None and self.calibration_from is None:
            raise ValueError(f'cell "{self.name}" has neither a selection file nor calibration_from')
        if self.calibration_from == self.name:
            raise ValueError(f'cell "{self.name}" borrows from itself; leave calibration_from out')
        return self


class Data(Section):
    """``[data]``: the files and the role of each column."""

    path: str | None = None
    selection: str | None = None
    final: str | None = None
    calibration: str | None = None
    cells: list[CellFiles] = []
    root: str = "."
    question: str | None = None
    round: str | None = None
    quality: str | None = None
    cell: str | None = None
    group: str | None = None
    answer: str | None = None
    text: str | None = None
    split: str | None = None
    cost: str | None = None
    outcomes: list[str] = []
    signals: list[str] | None = None
    range: list[float] | None = Field(default=None, min_length=2, max_length=2)
    normalise: Literal["robust", "squad", "tasr", "exact"] | None = None
    preset: Literal["tasr"] | None = None

    @model_validator(mode="after")
    def _names_its_files_once(self) -> Self:
        by_split = self.selection is not None or self.final is not None or self.calibration is not None
        ways = [self.path is not None, by_split, bool(self.cells)]
        if sum(ways) != 1:
            raise ValueError("name the data once: path, or selection and final, or [[data.cells]]")
        if by_split and (self.selection is None or self.final is None):
            raise ValueError("data in several files needs both selection and final")
        if self.cells and self.cell is not None:
            raise ValueError("[[data.cells]] names the cells; leave out the key cell")
        names = [cell.name for cell in self.cells]
        for cell in self.cells:
            if names.count(cell.name) > 1:
                raise ValueError(f'[[data.cells]] names "{cell.name}" twice')
            if cell.calibration_from is not None and cell.calibration_from not in names:
                raise ValueError(f'cell "{cell.name}" borrows from "{cell.calibration_from}", which is no cell')
        return self


class Split(Section):
    """``[split]``: by a column, or by hash of the group with these shares."""

    column: str | None = None
    calibration: float | None = None
    selection: float | None = None
    seed: int = 0


class Calibrate(Section):
    """``[calibrate.X]``: signal X is this signal, calibrated to this outcome."""

    signal: str
    target: str
    method: Literal["isotonic", "sigmoid"] = "isotonic"
    by: Literal["round", "pooled"] = "round"
    fit: Literal["calibration", "selection"] = "calibration"
    missing: float | None = None


class Search(Section):
    """``[[search]]``: a preset, a family, or a rule with a ``?`` for each cut."""

    preset: str | None = None
    family: str | None = None
    rule: str | None = None
    cuts: str | list[float] | None = None
    max_cells: int | None = None

    @model_validator(mode="after")
    def _names_one_thing(self) -> Self:
        if sum(part is not None for part in (self.preset, self.family, self.rule)) != 1:
            raise ValueError("each [[search]] names one of preset, family, rule")
        return self


NEEDED_BY_POLICY: Mapping[str, frozenset[str]] = {
    "budget": frozenset({"max_cost"}),
    "retain": frozenset({"share", "of"}),
    "utility": frozenset({"price"}),
    "knee": frozenset(),
    "guarantee": frozenset({"max_loss", "alpha", "of"}),
}
USED_BY_POLICY: Mapping[str, frozenset[str]] = {"guarantee": frozenset({"in_every_cell", "also", "test"})}


class Select(Section):
    """``[select]``: the policy that chooses one rule, with just the keys that it needs."""

    policy: Literal["budget", "retain", "utility", "knee", "guarantee"]
    max_cost: float | None = None
    share: float | None = None
    of: str | None = None
    price: float | None = None
    max_loss: float | None = None
    alpha: float | None = None
    in_every_cell: bool | None = None
    also: dict[str, float] | None = None
    test: Literal["betting", "exact"] | None = None

    @model_validator(mode="after")
    def _fits_its_policy(self) -> Self:
        needed = NEEDED_BY_POLICY[self.policy]
        given = self.model_dump(exclude_none=True, exclude={"policy"}).keys()
        if missing := sorted(needed - given):
            raise ValueError(f'policy "{self.policy}" needs {" and ".join(missing)}')
        if extra := sorted(given - needed - USED_BY_POLICY.get(self.policy, frozenset())):
            raise ValueError(f'policy "{self.policy}" does not use {" or ".join(extra)}')
        return self


class Evaluate(Section):
    """``[evaluate]``: what the locked rule is compared with, and how."""

    baselines: list[str] | None = Field(default=None, min_length=1)
    draws: int = Field(default=10_000, ge=1)
    seed: int = Field(default=42, ge=0)
    interval: Literal["percentile", "bca"] = "percentile"
    by: list[str] = []
    margin: float | None = Field(default=None, ge=0)
    alpha: float = Field(default=0.05, gt=0, lt=1)
    of: str | None = None
    transfer: bool = True
    learned: bool = False


class Extra(Section):
    """``[[costs.extra]]``: a further call every round, charged to the rules that read what it gives."""

    name: str
    signals: list[str] = Field(min_length=1)
    prompt_tokens: float = Field(default=0.0, ge=0)
    answer_tokens: float = Field(default=0.0, ge=0)
    seconds: float = Field(default=0.0, ge=0)
    price: float = Field(default=0.0, ge=0)
    joules: float = Field(default=0.0, ge=0)


class Costs(Section):
    """``[costs]``: tokens by round, and what they take."""

    prompt_tokens: str | None = None
    prompt_base: float | None = Field(default=None, ge=0)
    prompt_per_round: float | None = Field(default=None, ge=0)
    answer_tokens: str | None = None
    answer_base: float | None = Field(default=None, ge=0)
    answer_per_round: float | None = Field(default=None, ge=0)
    prompt_tokens_per_second: float | None = Field(default=None, gt=0)
    answer_tokens_per_second: float | None = Field(default=None, gt=0)
    seconds_per_call: float | None = Field(default=None, ge=0)
    price_per_million_prompt_tokens: float | None = Field(default=None, ge=0)
    price_per_million_answer_tokens: float | None = Field(default=None, ge=0)
    currency: str = "USD"
    joules_per_prompt_token: float | None = Field(default=None, ge=0)
    joules_per_answer_token: float | None = Field(default=None, ge=0)
    pue: float = Field(default=1.0, ge=1)
    grams_co2_per_kwh: float | None = Field(default=None, ge=0)
    extra: list[Extra] = []

    @model_validator(mode="after")
    def _counts_tokens_once(self) -> Self:
        for kind in ("prompt", "answer"):
            growth = [getattr(self, f"{kind}_{part}") is not None for part in ("base", "per_round")]
            if getattr(self, f"{kind}_tokens") is not None and any(growth):
                raise ValueError(f"count {kind} tokens once: {kind}_tokens (a column), or {kind}_base and _per_round")
        return self

    @property
    def model(self) -> CostModel:
        """The cost model that the numbers make."""
        stated = self.model_dump(exclude={"prompt_tokens", "answer_tokens", "extra"})
        growths = {name for name in stated if name.endswith(("_base", "_per_round"))}
        return CostModel(
            **{name: value for name, value in stated.items() if name not in growths},
            prompt_tokens=_tokens(self.prompt_tokens, self.prompt_base, self.prompt_per_round),
            answer_tokens=_tokens(self.answer_tokens, self.answer_base, self.answer_per_round),
            extra=tuple(ExtraCall(**{**one.model_dump(), "signals": tuple(one.signals)}) for one in self.extra),
        )


class Study(Section):
    """A whole study file."""

    data: Data
    split: Split = Split()
    calibrate: dict[str, Calibrate] = {}
    search: list[Search] = [Search(preset="default")]
    select: Select
    evaluate: Evaluate = Evaluate()
    costs: Costs | None = None

    @model_validator(mode="after")
    def _calibrated_names_are_new(self) -> Self:
        for name in self.calibrate:
            if self.data.signals is not None and name in self.data.signals:
                raise ValueError(f'[calibrate.{name}] makes the signal "{name}"; take it off data.signals')
        if len({each.fit for each in self.calibrate.values()}) > 1:
            raise ValueError("every [calibrate.X] of a study has the same fit")
        return self

    @model_validator(mode="after")
    def _guarantee_can_hold(self) -> Self:
        if self.select.policy != "guarantee":
            return self
        if any(each.fit == "selection" for each in self.calibrate.values()):
            raise ValueError(
                'policy "guarantee" tests fixed knots on new questions: fit = "selection" would fit them on these, '
                'so write fit = "calibration"'
            )
        if self.data.range is None:
            raise ValueError(
                'policy "guarantee" needs data.range, the lowest and highest possible quality, as in range = [0, 1]: '
                "the test bets on bounded losses"
            )
        return self

    @property
    def fits_on_calibration(self) -> bool:
        """Whether some calibrator needs a calibration split of its own."""
        return any(each.fit == "calibration" for each in self.calibrate.values())


def _tokens(column: str | None, base: float | None, per_round: float | None) -> str | Growth | None:
    if base is None and per_round is None:
        return column
    return Growth(base=base or 0.0, per_round=per_round or 0.0)
