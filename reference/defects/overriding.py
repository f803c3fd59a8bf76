"""The source text by which a defect overrides one decision: the decision's signature, and the imports that it needs.

A decision is a public method of a part of a broker whose docstring begins with "Decision:". It is named by the part and the method, such
as `coordinator.bumps_epoch`; the parts are the fields of `KafkaParts` and `PulsarParts`.
"""

import ast
import dataclasses
import functools
import inspect
import sys
import textwrap
from collections.abc import Iterable
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from fencepost.contract.errors import UnknownName, WrongUsage

from .decorator import BROKERS, broker_of

PARTS = {parts.protocol: parts for parts in BROKERS}
_DECISION = "Decision:"


@dataclass(frozen=True)
class Overriding:
    """What a module needs to override one decision, as source text.

    `signature` is the `def` line, with what silences ruff about unused arguments left out; `call` is the honest answer. `of` is what
    `@defect` needs as `of`; None where the broker follows from the base class.
    """

    base: str
    of: str | None
    signature: str
    call: str
    imports: tuple[str, ...]


def decision(protocol: str, named: str) -> Overriding:
    """What overrides the decision `PART.METHOD` of a protocol's broker. Raises UnknownName and WrongUsage."""
    parts = PARTS[protocol]
    classes = classes_of(parts)
    part, _, method = named.partition(".")
    if part not in classes:
        if same := [f"{name}.{method or part}" for name, one in classes.items() if (method or part) in decisions_of(one)]:
            raise WrongUsage(f"{named}: expected PART.DECISION; did you mean {' or '.join(same)}?")
        raise UnknownName("part of the reference", part, classes, shown_by="fencepost list --decisions")
    base = classes[part]
    known = decisions_of(base)
    if not method:
        raise WrongUsage(f"{named}: expected PART.DECISION, such as coordinator.bumps_epoch; {part} decides {', '.join(known)}")
    if method not in known:
        raise UnknownName(f"decision of {part}", method, known)
    function = inspect.unwrap(getattr(base, method))
    tree = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
    if not isinstance(tree, ast.FunctionDef):
        raise WrongUsage(f"{named} is no ordinary method: override it by hand")
    home = sys.modules[function.__module__]
    names = {node.id for node in ast.walk(tree.args) if isinstance(node, ast.Name)}
    names |= {node.id for node in ast.walk(tree.returns) if isinstance(node, ast.Name)} if tree.returns else set()
    imports = {
        f"from {base.__module__} import {base.__name__}",
        *(_bound_in(home)[name] for name in names if name in _bound_in(home)),
    }
    of = None if broker_of(base) is parts else parts.__name__
    if of:
        imports.add(f"from {parts.__module__} import {of}")
    returns = f" -> {ast.unparse(tree.returns)}" if tree.returns else ""
    is_plain = ast.unparse(tree.returns) == "None" if tree.returns else False
    call = f"super().{method}({', '.join(_arguments(tree.args))})"
    signature = f"def {method}({ast.unparse(tree.args)}){returns}:"
    return Overriding(base.__name__, of, signature, call if is_plain else f"return {call}", tuple(sorted(imports)))


def classes_of(parts: type[Any]) -> dict[str, type]:
    """The class of each part of a broker, by the part's name."""
    return {one.name: one.default for one in dataclasses.fields(parts) if isinstance(one.default, type)}


def decisions_of(part: type) -> list[str]:
    """The names of the decisions of a part, also of those that it inherits."""
    return [
        name
        for name, member in inspect.getmembers(part, inspect.isfunction)
        if not name.startswith("_") and (inspect.getdoc(member) or "").startswith(_DECISION)
    ]


def what_it_decides(part: type, decision_name: str) -> str:
    """The first sentence about a decision."""
    about = " ".join((inspect.getdoc(getattr(part, decision_name)) or "").partition("\n\n")[0].split())
    return about.removeprefix(_DECISION).strip()


def with_imports(module: str, lines: Iterable[str]) -> str:
    """The module with these imports after its own; the formatter puts them in order."""
    tree = ast.parse(module)
    there = {ast.unparse(node) for node in tree.body if isinstance(node, (ast.Import, ast.ImportFrom))}
    named = {(node.module, alias.name) for node in tree.body if isinstance(node, ast.ImportFrom) for alias in node.names}
    new = [line for line in dict.fromkeys(lines) if line not in there and not _is_imported(line, named)]
    last = max((node.end_lineno or 0 for node in tree.body if isinstance(node, (ast.Import, ast.ImportFrom))), default=0)
    if not last and ast.get_docstring(tree) is not None:
        last = tree.body[0].end_lineno or 0
        new = ["", *sorted(new)]
    text = module.splitlines()
    return "\n".join([*text[:last], *new, *text[last:]]) + "\n"


def _is_imported(line: str, named: set[tuple[str | None, str]]) -> bool:
    node = ast.parse(line).body[0]
    return isinstance(node, ast.ImportFrom) and all((node.module, alias.name) in named for alias in node.names)


@functools.cache
def _bound_in(module: ModuleType) -> dict[str, str]:
    """How another module imports each name that this one has at its top."""
    own = module.__name__
    found: dict[str, str] = {}
    for node in ast.parse(inspect.getsource(module)).body:
        match node:
            case ast.ImportFrom(module=where, level=level, names=aliases):
                package = own.split(".")[:-level] if level else []
                origin = ".".join([*package, *([where] if where else [])])
                found |= {one.asname or one.name: f"from {origin} import {ast.unparse(one)}" for one in aliases}
            case ast.Import(names=aliases):
                found |= {one.asname or one.name: f"import {ast.unparse(one)}" for one in aliases}
            case ast.ClassDef() | ast.FunctionDef():
                found[node.name] = f"from {own} import {node.name}"
            case ast.Assign(targets=[ast.Name(id=target)]) | ast.AnnAssign(target=ast.Name(id=target)):
                found[target] = f"from {own} import {target}"
    return found


def _arguments(arguments: ast.arguments) -> list[str]:
    """The arguments as they are passed on, without self."""
    plain = [one.arg for one in (*arguments.posonlyargs, *arguments.args)][1:]
    return [
        *plain,
        *([f"*{arguments.vararg.arg}"] if arguments.vararg else []),
        *(f"{one.arg}={one.arg}" for one in arguments.kwonlyargs),
        *([f"**{arguments.kwarg.arg}"] if arguments.kwarg else []),
    ]
