"""Options that are set once instead of each time: in a file, and by the environment.

* A file: `fencepost.toml` with a table for a command, such as `[run]`, or `pyproject.toml` with `[tool.fencepost.run]`, in the current
  folder; or the one that `fencepost --config FILE` or FENCEPOST_CONFIG names. A key is an option without its dashes, or `system`.
* The environment: FENCEPOST_ with the command and the option, such as FENCEPOST_RUN_SET_SYSTEM; blanks separate the parts of a list.

The command line overrides the environment, which overrides the file. An unknown name is wrong usage: a setting silently without effect
would run something else.

A file that was merely found in the current folder may belong to another person's checkout. It may not name a program to run, or a path
outside of the folder: for these the user must name the file.
"""

import os
import re
import sys
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import NoneType
from typing import Any, get_args, get_origin, get_type_hints

import typer
from typer.core import TyperCommand, TyperGroup

from fencepost.contract.errors import WrongUsage, hint
from fencepost.contract.registration import may_be_secret

from .usage_errors import about, wrong_value

PREFIX = "FENCEPOST"
OWN, PROJECT = "fencepost.toml", "pyproject.toml"
_WORDS = {str: "a text", Path: "a text", int: "a whole number", float: "a number", bool: "true or false", list: "a text or a list of texts"}

_PROGRAM = re.compile(r"command|launcher|program|\bcmd\b", re.IGNORECASE)
_PATH = re.compile(r"FILE|DIR|RESULTS|PATH|LEFT|RIGHT")

_FITTING: dict[type, tuple[type, ...]] = {int: (int,), float: (int, float)}


class ConfiguredCommand(TyperCommand):
    """A command whose options can be set in a file and by the environment, and which reports what came from there."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for parameter in self.params:
            if parameter.name != "help":
                parameter.envvar = variable(self.name or "", key_of(parameter))
                vars(parameter)["show_envvar"] = False  # in the help of each option it would hide what the option is for

    def keys(self) -> dict[str, Any]:
        """The options that can be set, by their keys in a file."""
        return {key_of(parameter): parameter for parameter in self.params if parameter.name != "help"}

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        with about(ctx):
            said, _, order = self.make_parser(ctx).parse_args(args=list(args))  # the parser empties its list
            _refuse_repeated(order)
            for parameter in self.params:
                value, source = parameter.consume_value(ctx, said)
                if _is_empty(value) and not ctx.resilient_parsing:
                    raise WrongUsage(
                        f"{self._place(ctx, parameter, source)} is empty: expected {parameter.metavar}; is a variable not set?"
                    )
        try:
            with about(ctx):
                return super().parse_args(ctx, args)
        except typer.BadParameter as error:
            if error.param is None or hasattr(error, "param_type"):  # the latter is that it is missing
                raise
            value, source = error.param.consume_value(ctx, said)
            raise wrong_value(self._place(ctx, error.param, source), value, self.callback, error.param.name) from error

    def _place(self, ctx: Any, parameter: Any, source: Any) -> str:
        """Where a value was set, as the beginning of a message about it."""
        match source.name:
            case "ENVIRONMENT":
                return f"{parameter.envvar}, in the environment:"
            case "DEFAULT_MAP":
                return f"{ctx.find_root().obj}: {self.name}.{key_of(parameter)} ="
        if parameter.param_type_name == "argument":
            return str(parameter.metavar)
        return str(next((option for option in parameter.opts if option.startswith("--")), parameter.opts[0]))

    def invoke(self, ctx: Any) -> Any:
        reported: dict[str, list[str]] = {}
        for key, parameter in self.keys().items():
            if origin := _origin(ctx, parameter, self.name or ""):
                reported.setdefault(origin, []).append(_shown(key, ctx.params.get(parameter.name)))
        if reported:
            said = "; ".join(f"from {origin}: {', '.join(values)}" for origin, values in reported.items())
            print(f"fencepost: {self.name} {said}", file=sys.stderr)
        return super().invoke(ctx)


def _refuse_repeated(order: Sequence[Any]) -> None:
    """Raises WrongUsage for an option that takes one value and was given two: one of them would have no effect."""
    once = [parameter for parameter in order if parameter.param_type_name == "option" and not parameter.multiple]
    if twice := next((parameter for parameter in once if once.count(parameter) > 1), None):
        names = " or ".join(dict.fromkeys((*twice.opts[:1], *twice.secondary_opts[:1])))
        raise WrongUsage(f"{names} is given {once.count(twice)} times: give it once")


def _is_empty(value: Any) -> bool:
    """Whether an option was given with an empty value: an empty selection would select everything."""
    if isinstance(value, (list, tuple)):
        return any(map(_is_empty, value))
    return isinstance(value, str) and not value.strip(" ,")


def variable(command: str, key: str) -> str:
    """The environment variable that sets an option."""
    return "_".join((PREFIX, command, key)).upper().replace("-", "_")


def key_of(parameter: Any) -> str:
    """The key of an option: its long name, `--set-system` as `set-system`; for an argument or without a long name, the parameter's name."""
    long = next((option[2:] for option in parameter.opts if option.startswith("--")), None)
    return long or str(parameter.name).replace("_", "-")


def apply(ctx: Any, named: Path | None) -> None:
    """Apply the settings of the file and the environment to all commands. Raises WrongUsage."""
    group = ctx.command
    assert isinstance(group, TyperGroup)
    commands = {name: command for name, command in group.commands.items() if isinstance(command, ConfiguredCommand)}
    _check_environment(commands, os.environ)
    found = find(named, Path())
    if found is None:
        return
    path, tables = found
    ctx.default_map = checked(path, tables, commands)
    if named is None:
        _refuse_reaching_out(path, tables, commands)
    ctx.obj = path


def find(named: Path | None, folder: Path) -> tuple[str, Mapping[str, Any]] | None:
    """The configuration in force, with its path: the named file, or the one in this folder. Raises WrongUsage."""
    if named is not None:
        if not named.is_file():
            raise WrongUsage(f"--config {named}: there is no such file; name a TOML file such as {OWN}")
        return _read(named) or (str(named), {})
    present = [found for name in (OWN, PROJECT) if (folder / name).is_file() and (found := _read(folder / name))]
    if len(present) > 1:
        raise WrongUsage(f"both {OWN} and [tool.fencepost] in {PROJECT} are here: keep one, or name one with --config FILE")
    return present[0] if present else None


def _read(path: Path) -> tuple[str, Mapping[str, Any]] | None:
    """The tables of a file; None if a pyproject.toml has none for Fencepost."""
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        found = re.search(r"\(at line (\d+), column \d+\)", str(error))
        line = found[1] if found else len(path.read_text(encoding="utf-8").splitlines())
        raise WrongUsage(f"{path}:{line}: not TOML: {re.sub(r' [(]at .*[)]$', '', str(error))}") from error
    except (OSError, UnicodeDecodeError) as error:
        raise WrongUsage(f"{path}: cannot be read as a text in UTF-8: {error}") from error
    if path.name != PROJECT:
        return str(path), data
    ours = data.get("tool", {}).get("fencepost")
    if ours is None:
        return None
    if not isinstance(ours, dict):
        raise WrongUsage(f"{path}: tool.fencepost: expected tables of commands, such as [tool.fencepost.run]")
    return str(path), ours


def checked(path: str, tables: Mapping[str, Any], commands: Mapping[str, ConfiguredCommand]) -> dict[str, dict[str, Any]]:
    """The file's settings for each command, by the names of its parameters. Raises WrongUsage with file, key and what is expected."""
    said: dict[str, dict[str, Any]] = {}
    for name, table in tables.items():
        if name not in commands:
            raise WrongUsage(f"{path}: {name}: expected a table with the name of a command{hint(name, commands)}")
        if not isinstance(table, dict):
            raise WrongUsage(f"{path}: {name} = {table!r}: expected a table such as [{name}]")
        keys, hints = commands[name].keys(), get_type_hints(commands[name].callback)
        said[name] = {}
        for key, value in table.items():
            parameter = keys.get(key.replace("_", "-"))
            if parameter is None:
                raise WrongUsage(f"{path}: {name}.{key}: unknown key{hint(key, keys)}")
            said[name][parameter.name] = _fitting(f"{path}: {name}.{key}", value, hints[parameter.name])
    return said


def _refuse_reaching_out(path: str, tables: Mapping[str, Any], commands: Mapping[str, ConfiguredCommand]) -> None:
    """Raises WrongUsage if a file that the user did not name sets a program to run, or a path outside of its folder."""
    instead = f"say it on the command line, or name the file: `fencepost --config {path} ...`"
    for name, table in tables.items():
        keys = commands[name].keys()
        for key, value in table.items():
            parameter = keys[key.replace("_", "-")]
            place = f"{path}: {name}.{key}"
            for text in [value] if isinstance(value, str) else value if isinstance(value, list) else []:
                if _names_a_program(key_of(parameter), str(parameter.metavar), text):
                    raise WrongUsage(f"{place} names a program, which a file that was only found in this folder may not; {instead}")
                if _PATH.search(str(parameter.metavar)) and not Path(text).resolve().is_relative_to(Path().resolve()):
                    raise WrongUsage(
                        f"{place} = {text!r} is outside of this folder, where a file that was only found in it may not lead; {instead}"
                    )


def _names_a_program(key: str, metavar: str, value: str) -> bool:
    said = value.partition("=")[0] if key == "set-system" else key
    return metavar == "CMD" or _PROGRAM.search(said) is not None or value.startswith("stdio:")


def _fitting(place: str, value: Any, hinted: Any) -> Any:
    """The value as the command accepts it; a text is a list of one."""
    kind = _kind(hinted)
    if kind is list:
        texts = [value] if isinstance(value, str) else value
        fits = isinstance(texts, list) and all(isinstance(text, str) for text in texts)
        value = texts
    elif kind is bool or isinstance(value, bool):
        fits = kind is bool and isinstance(value, bool)
    else:
        fits = isinstance(value, _FITTING.get(kind, (str,)))
    if not fits:
        raise WrongUsage(f"{place} = {value!r}: expected {_WORDS[kind]}")
    return value


def _kind(hinted: Any) -> type:
    """`list[str] | None` is list, `float` is float."""
    kinds = [kind for kind in get_args(hinted) if kind is not NoneType] if NoneType in get_args(hinted) else [hinted]
    kind = get_origin(kinds[0]) or kinds[0]
    return kind if kind in _WORDS else str


def _check_environment(commands: Mapping[str, ConfiguredCommand], environment: Mapping[str, str]) -> None:
    """Raises WrongUsage for a variable that begins like those of a command, but is none of them."""
    known = {variable(name, key) for name, command in commands.items() for key in command.keys()}  # noqa: SIM118 it is no mapping
    begins = tuple(f"{variable(name, '')}" for name in commands)
    for name in environment:
        if name.startswith(begins) and name not in known:
            raise WrongUsage(f"{name}, in the environment: there is no such option{hint(name, sorted(known))}")


def _origin(ctx: Any, parameter: Any, command: str) -> str | None:
    """Where a value is from; None for the command line and for a default."""
    source = ctx.get_parameter_source(parameter.name)
    match source.name if source else None:
        case "ENVIRONMENT":
            return "the environment"
        case "DEFAULT_MAP":
            return f"{ctx.find_root().obj} [{command}]"
    return None


def _shown(key: str, value: Any) -> str:
    """The value without what may be secret."""
    reported = ",".join(map(str, value)) if isinstance(value, Sequence) and not isinstance(value, str) else str(value)
    is_secret = key == "set-system" or may_be_secret(key, reported)
    return f"{key} (not shown)" if is_secret else f"{key} {reported}"
