"""The commands: arguments in, one table or one JSON object out."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from . import options
from .outlets import speaks_unicode

FAILED = 1  # exit status of an audit with a failed check

# typer brings its own copy of click; its usage errors are the base of this public one
UsageError: Any = typer.BadParameter.__base__

app = typer.Typer(
    name="stoprule",
    help="Search stopping rules for iterative processes and see what they cost.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
recorders = typer.Typer(no_args_is_help=True, help="Record trajectories.")
app.add_typer(recorders, name="record")


@app.command()
def init(file: options.TableFile) -> None:
    """Propose a study: hotpotqa.parquet gives hotpotqa.toml beside it. Never overwrites."""
    from .propose import write_study

    written = write_study(file)
    typer.echo(f"{written}: look it over, then run `stoprule run {written}`")


@app.command()
@options.with_roles
def check(
    file: options.TableFile,
    roles: options.Roles,
    as_json: options.Json = False,
) -> None:
    """Is this a sound trajectory table? Exit status 1 when it is not."""
    from ..analysis.summary import table_summary
    from ..trajectories.errors import RoleError, TrajectoryError
    from ..trajectories.reading import read_trajectories
    from .show import show_table

    try:
        table = read_trajectories(file, **roles)
    except TrajectoryError as error:
        if isinstance(error, RoleError) or not file.is_file():  # the command is wrong, not the table
            raise
        if as_json:
            print_json({"sound": False, "reason": str(error)})
        typer.echo(f"stoprule: {error}", err=True)
        raise typer.Exit(1) from None
    summary = {"sound": True, **table_summary(table)}
    if as_json:
        print_json(summary)
    else:
        show_table(file, summary)


@app.command()
@options.with_roles
def replay(
    rule: Annotated[str, typer.Argument(metavar="RULE", help="For instance 'repeat(answer) & margin > 0.25'.")],
    file: options.TableFile,
    roles: options.Roles,
    as_json: options.Json = False,
) -> None:
    """One rule on recorded trajectories: quality, cost, where it stopped."""
    from ..analysis.summary import replay_summary
    from ..enumerate.replay import replay as replay_rule
    from ..rules.text import parse
    from ..trajectories.reading import read_trajectories
    from .show import show_replay

    parsed = parse(rule)
    table = read_trajectories(file, **roles)
    summary = replay_summary(replay_rule(parsed, table), table)
    if as_json:
        print_json(summary)
    else:
        show_replay(summary, table)


@app.command()
@options.with_roles
def signals(
    file: options.TableFile,
    roles: options.Roles,
    target: options.Target = None,
    above: options.Above = None,
    as_json: options.Json = False,
) -> None:
    """What each signal tells of right and wrong: spread, separation, calibration."""
    from .show_signals import show_signals
    from .signalling import by_strength, profile_file, signals_json

    profiles = profile_file(file, roles, target=target, above=above)
    if as_json:
        print_json(signals_json(profiles))
    else:
        show_signals(file, by_strength(profiles))


@app.command()
def search(
    study: options.StudyFile,
    *,
    out: options.Out = None,
    jobs: options.Jobs,
    backend: options.WhereToRun = options.Backend.threads,
    address: options.Address = None,
    set_: options.Set = None,
    pictures: options.Pictures = True,
    as_json: options.Json = False,
) -> None:
    """Calibrate, enumerate, filter the front, select, lock. Never opens the final split."""
    from .searching import search_study
    from .show import show_search

    found = search_study(
        study, out=out, jobs=jobs, backend=backend, address=address, overrides=set_ or [], pictures=pictures
    )
    if as_json:
        print_json(found.to_dict())
    else:
        show_search(found)


@app.command()
def evaluate(
    folder: options.Folder,
    *,
    data: options.DataFile = None,
    jobs: options.Jobs,
    look_again: options.LookAgain = None,
    allow_calibrated_on_final: options.AllowCalibratedOnFinal = False,
    pictures: options.Pictures = True,
    as_json: options.Json = False,
) -> None:
    """Open the final split for the locked rule, and write the look down."""
    from .evaluating import evaluate_folder
    from .show_evaluation import show_evaluation

    result = evaluate_folder(
        folder,
        data=data,
        jobs=jobs,
        look_again=look_again,
        allow_calibrated_on_final=allow_calibrated_on_final,
        pictures=pictures,
    )
    if as_json:
        print_json(result)
    else:
        show_evaluation(result)


@app.command()
def audit(
    folder: options.FolderUnlessTable = None,
    *,
    data: options.DataFile = None,
    jobs: options.Jobs,
    table: options.RulesTable = None,
    locked: options.LockedRule = None,
    max_cost: options.MaxCost = None,
    aside: options.Aside = None,
    rule_column: options.RuleColumn = None,
    selection_column: options.SelectionColumn = None,
    selection_cost_column: options.SelectionCostColumn = None,
    final_column: options.FinalColumn = None,
    final_cost_column: options.FinalCostColumn = None,
    cell_column: options.CellColumn = None,
    as_json: options.Json = False,
) -> None:
    """The leakage audit of a search's folder, or of a table of rules. Exit status 1 when a check fails."""
    from .show_audit import show_audit

    if folder is not None and table is None:
        from .auditing import audit_folder

        audited = audit_folder(folder, data=data, jobs=jobs)
    elif folder is None and table is not None:
        from .auditing_tables import audit_rules_table

        columns = {
            "rule": rule_column,
            "selection": selection_column,
            "selection_cost": selection_cost_column,
            "final": final_column,
            "final_cost": final_cost_column,
            "cell": cell_column,
        }
        audited = audit_rules_table(table, columns, locked=locked, max_cost=max_cost, aside=aside)
    else:
        raise UsageError("audit takes the folder of a search, or --table FILE")
    if as_json:
        print_json(audited)
    else:
        show_audit(audited)
    if audited["verdict"] == "fail":
        raise typer.Exit(FAILED)


@app.command()
def report(folder: options.Folder) -> None:
    """One page, report.html, out of what stands in the folder. Opens no data; needs stoprule[report]."""
    from .reporting import report_folder

    typer.echo(report_folder(folder))


@app.command()
def run(
    study: options.StudyFile,
    *,
    out: options.Out = None,
    jobs: options.Jobs,
    backend: options.WhereToRun = options.Backend.threads,
    address: options.Address = None,
    set_: options.Set = None,
    look_again: options.LookAgain = None,
    allow_calibrated_on_final: options.AllowCalibratedOnFinal = False,
    pictures: options.Pictures = True,
) -> None:
    """All of it: search, lock, evaluate, audit, report. Exit status 1 when a check of the audit fails."""
    from .ahead import chart_library_ahead
    from .auditing import audit_folder
    from .drawing import written_meanwhile
    from .evaluating import evaluate_folder
    from .output import held
    from .reporting import report_folder_or_say
    from .searching import output_folder, search_study
    from .show import show_search
    from .show_audit import show_audit
    from .show_evaluation import show_evaluation

    folder = output_folder(study, out)
    with held(folder), chart_library_ahead(jobs, pictures=pictures) as library:  # no other command comes in between
        with written_meanwhile(folder, jobs) as aside:
            found = search_study(
                study,
                out=out,
                jobs=jobs,
                backend=backend,
                address=address,
                overrides=set_ or [],
                pictures=pictures,
                aside=aside,
            )
            show_search(found)
            evaluated = evaluate_folder(
                folder,
                jobs=jobs,
                look_again=look_again,
                allow_calibrated_on_final=allow_calibrated_on_final,
                pictures=pictures,
                aside=aside,
            )
            show_evaluation(evaluated)
            audited = audit_folder(folder, jobs=jobs)
            show_audit(audited)
        typer.echo(report_folder_or_say(folder, library))
    if audited["verdict"] == "fail":
        raise typer.Exit(FAILED)


@recorders.command("controller")
def record_controller(
    *,
    corpus: Annotated[Path, typer.Option(metavar="FILE", help="JSON Lines, or a folder in the BEIR layout.")],
    queries: Annotated[Path | None, typer.Option(metavar="FILE", help="JSON Lines (default: the folder's).")] = None,
    qrels: Annotated[Path | None, typer.Option(metavar="FILE", help="BEIR or TREC judgements.")] = None,
    out: Annotated[Path, typer.Option(metavar="FILE", help="Where the trajectories go (Parquet).")],
    model: Annotated[
        Path | None, typer.Option(metavar="DIR", help="A sentence-transformers model for the dense search.")
    ] = None,
    text: Annotated[bool, typer.Option("--text", help="Keep the wording of the queries.")] = False,
    as_json: options.Json = False,
) -> None:
    """Run the bounded lexical-then-dense controller over a collection, every query under every policy."""
    from .recording import record_a_controller
    from .show_recording import show_recording

    recording = record_a_controller(corpus, queries, qrels, out=out, model=model, text=text)
    if as_json:
        print_json({"policies": recording.policies.to_dicts()})
    else:
        show_recording(recording)


def print_json(content: dict[str, Any]) -> None:
    """Print one JSON object on standard output."""
    typer.echo(json.dumps(content, ensure_ascii=not speaks_unicode(sys.stdout), allow_nan=False))
