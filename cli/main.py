"""The `stoprule` command from its start to its exit status: mistakes on one line, interrupts in good order."""

from __future__ import annotations

import os
import sys

import typer

from ..trajectories.errors import StopruleError
from .collecting import collect_seldom
from .commands import UsageError, app
from .interrupts import interruptible, terminable
from .outlets import outlets

MISTAKE, INTERRUPTED = 2, 130

# small products: their threads would wait for each other, and for the workers, longer than they work; and sums of a
# product that several threads share differ in the last bits from machine to machine
BLAS = ("OPENBLAS_NUM", "MKL_NUM", "BLIS_NUM", "VECLIB_MAXIMUM")


def main() -> None:
    """Run the command; turn mistakes into one line and an exit status."""
    collect_seldom()
    for library in BLAS:
        os.environ.setdefault(f"{library}_THREADS", "1")
    with outlets(), terminable():
        status = _status()
    sys.exit(status)


def _status() -> int:
    with interruptible() as interrupt:
        try:
            status: int = app(standalone_mode=False) or 0
            sys.stdout.flush()  # a full disk shows here, if not before
            if interrupt.came:  # and was lost on its way
                status = INTERRUPTED
        except (KeyboardInterrupt, typer.Abort):
            status = INTERRUPTED
        except Exception as error:
            # what an interrupt broke off may say anything, such as that a module cannot be imported
            status = INTERRUPTED if interrupt.came else _mistake(error)
    if status == INTERRUPTED:
        _say("interrupted; nothing is half-written")
    return status


def _mistake(error: Exception) -> int:
    """Tell a mistake of the user's in one line; anything else is one of ours and stays an error."""
    match error:
        case StopruleError():
            _say(str(error))
        case OSError():
            _say(f"{error.filename}: {error.strerror or error}" if error.filename else f"{error.strerror or error}")
        case MemoryError():
            _say("memory ran out; search less at once: fewer signals, cuts, max_cells or draws")
        case _ if isinstance(error, UsageError):
            if said := error.format_message():  # empty when the help was asked for
                _say(f"{said} (see stoprule --help)")
        case _:
            raise error
    return MISTAKE


def _say(message: str) -> None:
    typer.echo(f"stoprule: {message}", err=True)
