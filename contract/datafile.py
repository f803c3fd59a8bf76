"""YAML data files, checked as they are read: an error names the file, the line and the key.

A data file is a list of rows or one mapping; a pydantic model says what it may hold. Unknown keys are errors everywhere.
"""

from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError


class DataFileError(Exception):
    """A data file that cannot be used; the message is `file:line: key: what is wrong`."""


class Row(BaseModel):
    """A mapping in a data file. Keys that it does not declare are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


T = TypeVar("T")


def load(path: Path | Traversable, kind: type[T]) -> T:
    """Read `path` as `kind`, a Row or a list or dict of them."""
    try:
        node, data = _parse(path)
    except (OSError, UnicodeDecodeError) as error:
        raise DataFileError(f"{path}: cannot be read: {error}") from error
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise DataFileError(f"{path}:{line}: not YAML: {error.problem}") from error
    _refuse_repeated_keys(path, node)
    try:
        return TypeAdapter(kind).validate_python(data)
    except ValidationError as error:
        first = min(error.errors(), key=lambda one: one["type"] != "extra_forbidden")  # a misspelt key before the key that it misses
        raise DataFileError(f"{path}:{_line_of(node, first['loc'])}: {_key(first['loc'])}: {_explain(first)}") from error


def line_of(path: Path | Traversable, *loc: str | int) -> int:
    """The line in which the value at `loc` begins, for errors that show only when files are compared."""
    return _line_of(_parse(path)[0], loc)


def lines_of(path: Path | Traversable) -> list[int]:
    """The line in which each row of a file that is a list begins."""
    node = _parse(path)[0]
    return [item.start_mark.line + 1 for item in node.value] if isinstance(node, yaml.SequenceNode) else []


def _parse(path: Path | Traversable) -> tuple[yaml.Node | None, Any]:
    """The file's nodes, which know their lines, and its values."""
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)(path.read_text(encoding="utf-8"))
    try:
        node = loader.get_single_node()
        return node, loader.construct_document(node) if node else None
    finally:
        loader.dispose()


def _refuse_repeated_keys(path: Path | Traversable, node: yaml.Node | None) -> None:
    """YAML lets the last of two equal keys win; a register must not lose a value that way."""
    waiting = [node]
    while waiting:
        match waiting.pop():
            case yaml.MappingNode(value=pairs):
                seen: set[str] = set()
                for key, value in pairs:
                    if key.value in seen:
                        raise DataFileError(f"{path}:{key.start_mark.line + 1}: {key.value}: this key stands twice in one mapping")
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
            said = "nothing" if error["input"] is None else repr(error["input"])
            given = "" if isinstance(error["input"], (dict, list)) else f", given: {said}"
            return f"{error['msg'].removeprefix('Value error, ').replace('Input should be', 'expected')}{given}"
