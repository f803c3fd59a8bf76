"""Turns the errors that users can cause into a line and an exit code, for every command."""

import os
import sys
import traceback
from collections.abc import Callable
from typing import NoReturn, TypeVar

import typer

from fencepost.contract.errors import Exit
from fencepost.run import interruption

T = TypeVar("T")


def guarded(act: Callable[[], int], stopped: Exit = Exit.NOT_FINISHED) -> NoReturn:
    """Run a command, and turn errors that users can cause into a line and an exit code; `stopped` is the one of a signal."""
    raise typer.Exit(guarded_value(act, stopped))


def guarded_value(act: Callable[[], T], stopped: Exit = Exit.NOT_FINISHED) -> T:
    from fencepost.contract.datafile import DataFileError
    from fencepost.contract.errors import BrokeOff, Malformed, SystemUnreachable, WrongUsage

    try:
        with interruption.raising():
            return act()
    except (WrongUsage, SystemUnreachable, Malformed) as error:
        fail(str(error))
    except (DataFileError, BrokeOff) as error:
        fail(str(error), Exit.KIT_FAILED)
    except KeyboardInterrupt as signalled:  # Spark handles SIGINT itself, and raises it without a reason
        fail(f"stopped before it was finished ({str(signalled) or 'SIGINT'})", stopped)
    except typer.Exit:
        raise
    except BrokenPipeError:  # the reader of the output has gone, such as `head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # so that Python's own flush at the end prints nothing
        raise typer.Exit(stopped) from None
    except Exception:  # a bug in the kit must not look like a verdict, as Python's own exit code 1 would
        traceback.print_exc()
        fail("Fencepost itself failed, as the lines above show; this says nothing about the system. Please report it", Exit.KIT_FAILED)


def fail(why: str, code: Exit = Exit.USAGE) -> NoReturn:
    print_error(why)
    raise typer.Exit(code)


def print_error(why: str) -> None:
    """Every message about a command that could not do its work is printed here."""
    print(f"fencepost: {why}", file=sys.stderr)
