"""The options that several commands share, each said once."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer


class Normalise(StrEnum):
    """How answers are compared."""

    robust = "robust"
    squad = "squad"
    tasr = "tasr"
    exact = "exact"


class Preset(StrEnum):
    """Known sets of column names."""

    tasr = "tasr"


class Backend(StrEnum):
    """Where a search runs."""

    threads = "threads"
    processes = "processes"
    dask = "dask"


def _processors() -> int:
    from joblib import cpu_count

    return int(cpu_count())


ROLES = "Roles (default: the column of the role's own name)"

TableFile = Annotated[
    Path, typer.Argument(metavar="FILE", help="Trajectories: Parquet, Arrow/Feather, CSV or JSON Lines.")
]
StudyFile = Annotated[Path, typer.Argument(metavar="STUDY.toml", help="The study file.")]
Folder = Annotated[Path, typer.Argument(metavar="DIR", help="The output folder of a search.")]


def _column(name: str) -> Any:
    return Annotated[str | None, typer.Option(f"--{name}", metavar="COLUMN", rich_help_panel=ROLES)]


ROLE_OPTIONS: Mapping[str, Any] = {
    **{
        role: _column(role)
        for role in ("question", "round", "quality", "cell", "group", "answer", "text", "split", "cost")
    },
    "outcomes": Annotated[
        list[str] | None,
        typer.Option("--outcome", metavar="COLUMN", help="Repeat for more.", rich_help_panel=ROLES),
    ],
    "normalise": Annotated[Normalise | None, typer.Option(help="How answers are compared.", rich_help_panel=ROLES)],
    "preset": Annotated[
        Preset | None, typer.Option(help="Column names of a published package.", rich_help_panel=ROLES)
    ],
}
Roles = dict[str, Any]
Result = TypeVar("Result")


def with_roles(command: Callable[..., Result]) -> Callable[..., Result]:
    """Give a command the role options in place of its parameter ``roles``, a dict of those that were given."""

    @functools.wraps(command)
    def wrapped(**given: Any) -> Result:
        roles = {role: given.pop(role) for role in ROLE_OPTIONS}
        return command(**given, roles={role: value for role, value in roles.items() if value is not None})

    shared = [
        inspect.Parameter(role, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=option)
        for role, option in ROLE_OPTIONS.items()
    ]
    signature = inspect.signature(command, eval_str=True)
    own = [
        each.replace(kind=inspect.Parameter.KEYWORD_ONLY)
        for each in signature.parameters.values()
        if each.name != "roles"
    ]
    parameters = [*own, *shared]
    wrapped.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    wrapped.__annotations__ = {each.name: each.annotation for each in parameters}
    return wrapped


Json = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]
Jobs = Annotated[
    int,
    typer.Option(
        "--jobs",
        min=1,
        metavar="N",
        envvar="STOPRULE_JOBS",
        default_factory=_processors,
        show_default="every processor",
        help="Workers; results do not depend on it.",
    ),
]
Pictures = Annotated[bool, typer.Option("--pictures/--no-pictures", help="Draw what applies into figures/.")]
WhereToRun = Annotated[
    Backend,
    typer.Option("--backend", help="Threads or processes here, or a Dask cluster; results do not depend on it."),
]
Address = Annotated[
    str | None, typer.Option("--address", metavar="URL", help="Of the Dask scheduler, as in tcp://host:8786.")
]
Out = Annotated[
    Path | None, typer.Option("--out", metavar="DIR", help="Output folder (default: out beside the study).")
]
Set = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="Override a key of the study, as in select.max_cost=2.5."),
]
Target = Annotated[
    str | None,
    typer.Option(metavar="OUTCOME", help="What is right or wrong (default: the first outcome that is only 0 or 1)."),
]
Above = Annotated[
    float | None, typer.Option(metavar="X", help="Answers with more of the target than X count as right.")
]
LookAgain = Annotated[
    str | None,
    typer.Option("--look-again", metavar="REASON", help="Open a final split that was already opened for another lock."),
]
AllowCalibratedOnFinal = Annotated[
    bool,
    typer.Option(
        "--allow-calibrated-on-final", help="Go on though the calibrators saw the final split; everything is marked."
    ),
]
OF_A_TABLE = "With --table"


def _of_a_table(name: str, metavar: str, said: str) -> Any:
    return typer.Option(f"--{name}", metavar=metavar, help=said, rich_help_panel=OF_A_TABLE)


FolderUnlessTable = Annotated[
    Path | None, typer.Argument(metavar="[DIR]", help="The output folder of a search; none with --table.")
]
RulesTable = Annotated[
    Path | None,
    typer.Option("--table", metavar="FILE", help="Rules with their figures, where there are no trajectories."),
]
LockedRule = Annotated[
    str | None,
    _of_a_table("locked", "RULE", "The rule to judge (default: the best selection figure within the budget)."),
]
MaxCost = Annotated[float | None, _of_a_table("max-cost", "COST", "The budget that the rule was chosen within.")]
Aside = Annotated[
    list[str] | None, _of_a_table("aside", "RULE", "A rule that cannot be deployed (default: oracle). Repeat for more.")
]
RuleColumn = Annotated[str | None, _of_a_table("rule-column", "COLUMN", "The rules.")]
SelectionColumn = Annotated[str | None, _of_a_table("selection-column", "COLUMN", "Figures that rules were chosen by.")]
SelectionCostColumn = Annotated[str | None, _of_a_table("selection-cost-column", "COLUMN", "Costs beside them.")]
FinalColumn = Annotated[str | None, _of_a_table("final-column", "COLUMN", "Figures that are reported.")]
FinalCostColumn = Annotated[str | None, _of_a_table("final-cost-column", "COLUMN", "Costs beside them.")]
CellColumn = Annotated[str | None, _of_a_table("cell-column", "COLUMN", "Configurations; `macro` is their mean.")]
DataFile = Annotated[
    Path | None, typer.Option("--data", metavar="FILE", help="The study's data, when they have moved.")
]
