"""YAML data files, checked as they are read: an error names the file, the line and the key.

A data file is a list of rows or one mapping; a pydantic model defines what it may hold. Unknown keys are errors everywhere.
"""

from collections.abc import Iterable
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError


class DataFileError(Exception):
    """A data file that cannot be used; the message is `file:line: key: what is wrong`."""


class Row(BaseModel):
    """A mapping in a data file. Undeclared keys are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


T = TypeVar("T")
_MOST_BY_ALIASES = 10_000
"""The most values that a file may have by its aliases alone; a few lines of aliases can stand for more values than fit in memory."""
_MOST_REPORTED = 5
_LONGEST = 80


def load(path: Path | Traversable, kind: type[T]) -> T:
    """Read `path` as `kind`, a Row or a list or dict of them."""
    try:
        node, data = _parse(path)
    except OSError as error:
        raise DataFileError(f"{path}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        byte = f"the byte 0x{error.object[error.start]:02x} at offset {error.start}"
        raise DataFileError(f"{path}: cannot be read as UTF-8, because of {byte}; is it YAML? Save it as UTF-8") from error
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise DataFileError(f"{path}:{line}: not YAML: {error.problem}") from error
    except (yaml.YAMLError, ValueError) as error:  # a character that YAML does not allow, a date that does not exist
        why = str(getattr(error, "reason", error)).partition("\n")[0]
        raise DataFileError(f"{path}: not YAML: {why}") from error
    except RecursionError as error:
        raise DataFileError(f"{path}: its lists and mappings are nested too deeply to be read; expected a few levels") from error
    _refuse_repeated_keys(path, node)
    try:
        return TypeAdapter(kind).validate_python(data)
    except ValidationError as error:
        faults = [f"{path}:{_line_of(node, one['loc'])}: {_key(one['loc'])}: {_explain(one)}" for one in _one_of_each_row(error.errors())]
        more = [f"and {len(faults) - _MOST_REPORTED} more"] if len(faults) > _MOST_REPORTED else []
        raise DataFileError("; ".join(faults[:_MOST_REPORTED] + more)) from error


def _one_of_each_row(errors: Iterable[Any]) -> list[Any]:
    """One error for each row of a list: a misspelt key before the key that is missing because of it."""
    by_row: dict[Any, list[Any]] = {}
    for one in errors:
        by_row.setdefault(one["loc"][0] if one["loc"] and isinstance(one["loc"][0], int) else None, []).append(one)
    return [min(those, key=lambda one: one["type"] != "extra_forbidden") for those in by_row.values()]


def line_of(path: Path | Traversable, *loc: str | int) -> int:
    """The line in which the value at `loc` begins, for errors that only a comparison of files can find."""
    return _line_of(_parse(path)[0], loc)


def lines_of(path: Path | Traversable) -> list[int]:
    """The line in which each row of a file that is a list begins."""
    node = _parse(path)[0]
    return [item.start_mark.line + 1 for item in node.value] if isinstance(node, yaml.SequenceNode) else []


def _parse(path: Path | Traversable) -> tuple[yaml.Node | None, Any]:
    """The file's nodes, which have their lines, and its values."""
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)(path.read_text(encoding="utf-8"))
    try:
        node = loader.get_single_node()
        _refuse_growth(path, node)
        return node, loader.construct_document(node) if node else None
    finally:
        loader.dispose()


def _refuse_growth(path: Path | Traversable, whole: yaml.Node | None) -> None:
    """Raises DataFileError if aliases turn a small file into more values than it has text for, or for a node that contains itself.

    Nodes are shared between their places, so only this count finds how many there are when each place has a separate copy.
    """
    sizes: dict[int, int] = {}
    waiting = [(whole, False)] if whole else []
    while waiting:
        node, is_counted = waiting.pop()
        held = _held(node)
        if is_counted:
            sizes[id(node)] = 1 + sum(sizes[id(one)] for one in held)
        elif id(node) not in sizes:
            sizes[id(node)] = 0  # until it is counted; its contents come first
            waiting.append((node, True))
            waiting += [(one, False) for one in held]
        elif sizes[id(node)] == 0:
            raise DataFileError(f"{path}:{node.start_mark.line + 1}: an alias (*name) stands within what it stands for; write it out")
    if whole and sizes[id(whole)] - len(sizes) > _MOST_BY_ALIASES:
        raise DataFileError(
            f"{path}: its aliases (*name) make {sizes[id(whole)]} values of the {len(sizes)} that stand there; expected at most "
            f"{_MOST_BY_ALIASES} more: write out what they stand for"
        )


def _held(node: yaml.Node) -> list[yaml.Node]:
    match node:
        case yaml.MappingNode(value=pairs):
            return [one for pair in pairs for one in pair]
        case yaml.SequenceNode(value=items):
            return list(items)
    return []


def _refuse_repeated_keys(path: Path | Traversable, node: yaml.Node | None) -> None:
    """YAML lets the last of two equal keys win; a register must not lose a value that way."""
    waiting = [node]
    while waiting:
        match waiting.pop():
            case yaml.MappingNode(value=pairs):
                seen: set[str] = set()
                for key, value in pairs:
                    if key.value in seen:
                        raise DataFileError(f"{path}:{key.start_mark.line + 1}: {key.value}: this key appears twice in one mapping")
                    seen.add(key.value)
                    waiting.append(value)
            case yaml.SequenceNode(value=items):
                waiting.extend(items)


def _line_of(node: yaml.Node | None, loc: tuple[str | int, ...]) -> int:
    """The line of the deepest part of `loc` that the file has."""
    line = 1
    for step in (None, *loc):
        if step is not None:
            node = _child(node, step)
        if node is None:
            break
        line = node.start_mark.line + 1
    return line


def _child(node: yaml.Node | None, step: str | int) -> yaml.Node | None:
    match node:
        case yaml.SequenceNode(value=items) if isinstance(step, int) and step < len(items):
            item: yaml.Node = items[step]
            return item
        case yaml.MappingNode(value=pairs):
            return next((value for key, value in pairs if key.value == step), None)
        case _:
            return None


def _key(loc: tuple[str | int, ...]) -> str:
    return ".".join(str(step + 1) if isinstance(step, int) else step for step in loc) or "the file"


def _explain(error: Any) -> str:
    match error["type"]:
        case "extra_forbidden":
            return "this key is not known here; is it misspelt?"
        case "missing":
            return "this key is missing"
        case _:
            given = "" if isinstance(error["input"], (dict, list)) else f", given: {_shown(error)}"
            return f"{error['msg'].removeprefix('Value error, ').replace('Input should be', 'expected')}{given}"


def _shown(error: Any) -> str:
    """The wrong value, shortened; not a whole file: any text is YAML, and may be unfit for a log."""
    if isinstance(error["input"], str) and not error["loc"]:
        return "a text"
    said = "nothing" if error["input"] is None else repr(error["input"])
    return said if len(said) <= _LONGEST else f"{said[:_LONGEST]}..."
