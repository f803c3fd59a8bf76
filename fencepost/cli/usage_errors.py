"""The error of a command line that cannot be parsed, in one line like every other message, with what was expected.

Typer reports it in a box of several lines, with names of Python types, and without the value.
"""

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, get_type_hints

import typer
from typer.core import TyperGroup

from fencepost.contract.errors import UnknownName, WrongUsage, nearest

from .completion import complete_system

_CLICK: Any = typer.BadParameter.__mro__[2]
"""The base of all errors that typer raises about a command line; typer has its own copy of click, whose names are private."""
_EXTRA = re.compile(r"Got unexpected extra arguments?(?:\(s\))? \((.*)\)")

_MOST_NAMED = 4
"""At most this many commands with an option are named; an option of more commands is a common one."""


class Commands(TyperGroup):
    """The commands; an unknown one is reported with the nearest known one."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        name = args[0]
        if not ctx.resilient_parsing and name not in self.commands and not name.startswith("-"):
            if name.lower() in complete_system(""):
                raise WrongUsage(f"unknown command {name!r}, which is a system: use `fencepost run {name.lower()}`")
            raise UnknownName("command", name, self.commands)
        return super().resolve_command(ctx, args)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if args[:1] == ["--version"] and args[1:]:
            raise WrongUsage(f"unexpected argument {args[1]!r}: expected `fencepost --version` alone")
        with about(ctx):
            return super().parse_args(ctx, args)

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """As in the base class, but what cannot be parsed raises WrongUsage."""
        try:
            return super().main(*args, **kwargs)
        except _CLICK as error:
            raise WrongUsage(_reported(error)) from error


@contextmanager
def about(ctx: Any) -> Iterator[None]:
    """Errors in this context name their command; some of the parser's errors do not."""
    try:
        yield
    except _CLICK as error:
        error.ctx = ctx
        raise


def wrong_value(place: str, value: Any, callback: Any, parameter: str) -> WrongUsage:
    """The error for a value that a parameter of this command cannot accept; `place` is where it was set."""
    hints = get_type_hints(callback, include_extras=True)
    option = hints[parameter].__metadata__[0]
    kinds = str(hints[parameter].__origin__)
    kind = "true or false" if "bool" in kinds else "a whole number" if "int" in kinds else "a number" if "float" in kinds else "a text"
    least, most = option.min, option.max
    bounds = "" if least is None else f" from {least} to {most}" if most is not None else f" of {least} or more"
    return WrongUsage(f"{place} {value}: expected {kind}{bounds}")


def _reported(error: Any) -> str:
    ctx, said = error.ctx, " ".join(error.format_message().split())
    path, params = ctx.command_path, ctx.command.params
    if hasattr(error, "possibilities"):
        return _unknown_option(ctx, error.option_name)
    if hasattr(error, "option_name"):
        param = next(one for one in params if error.option_name in (*one.opts, *one.secondary_opts))
        if param.is_flag:
            return f"{error.option_name} takes no value: use {error.option_name} alone"
        return f"{error.option_name} has no value: expected {error.option_name} {param.metavar}"
    if hasattr(error, "param_type"):
        return f"{error.param.metavar} is missing: expected {_of(ctx)}; see `{path} --help`"
    if found := _EXTRA.fullmatch(said):
        return f"unexpected argument {found[1]!r}: expected {_of(ctx)}; see `{path} --help`"
    if isinstance(ctx.command, TyperGroup):
        return f"a command is missing: expected one of {', '.join(ctx.command.commands)}"
    return f"{said}; see `{path} --help`"


def _of(ctx: Any) -> str:
    """The command with its arguments: `fencepost explain ID`."""
    return f"`{' '.join((ctx.command_path, *(one.metavar for one in ctx.command.params if one.param_type_name == 'argument')))}`"


def _unknown_option(ctx: Any, option: str) -> str:
    """The message, with the commands that have the option, or the nearest known option."""
    path, group = ctx.command_path, ctx.find_root().command
    names = {one.lstrip("-"): one for one in _options(ctx.command.params)}
    near = nearest(option.lstrip("-"), names)
    having = [name for name, command in group.commands.items() if command is not ctx.command and option in _options(command.params)]
    if 0 < len(having) <= _MOST_NAMED:
        *first, last = (f"`fencepost {name}`" for name in having)
        remedy = f"{', '.join(first)} and {last} have it" if first else f"{last} has it"
    else:
        remedy = f"did you mean {names[near]}?" if near else f"see `{path} --help`"
    return f"`{path}` has no option {option}; {remedy}"


def _options(params: Iterable[Any]) -> list[str]:
    return [option for param in params for option in (*param.opts, *param.secondary_opts) if option.startswith("-")]
