"""The code of the reference: its modules in reading order, with each decision linked to its requirement and back.

The order within a package is that in which its docstring names the modules; those that it does not name come after, by name.
"""

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import resources
from importlib.resources.abc import Traversable

from markupsafe import Markup
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

from fencepost.contract.register import Register

from . import addresses
from .page_writer import PageWriter, SearchEntry, trusted

PACKAGES = (
    "reference/kernel",
    "reference/kafka",
    "reference/kafka/api",
    "reference/pulsar",
    "reference/pulsar/api",
    "reference/metadata",
    "reference/metadata_transactions",
    "reference/scalable",
    "reference/pulsar/transaction_key",
    "reference/serving",
)
"""The chapters, in reading order. The defects are no part of the book: they are what the reference is not."""

LIGHT, DARK = "xcode", "monokai"
"""Pygments' styles for light and dark pages: of those whose every colour stands out enough from the background of code."""

_INIT = "__init__.py"
_NAMED = re.compile(r"`(\w+)`")
_RULE = re.compile(r"(&quot;|\")([A-Z0-9]+-\d{2,3})\1")
_PLAIN = re.compile(r'<span class="(?:n|o|p|w)">([^<]*)</span>')
"""Names, operators, punctuation and space, which are most of the markup: they have the colour of the text."""
_MOST_LINES = 60


@dataclass(frozen=True)
class Module:
    """One module; `decides` has the requirements that it names with the lines, `functions` the first and the last line of each."""

    file: str
    text: str
    summary: str
    decides: Mapping[str, int]
    functions: tuple[tuple[int, int], ...]

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """Its code, each line as separate markup."""
        made: str = highlight(self.text, PythonLexer(stripnl=False), HtmlFormatter(nowrap=True))
        return tuple(_PLAIN.sub(r"\1", made).rstrip("\n").split("\n"))

    @property
    def name(self) -> str:
        return self.file.removeprefix("reference/").removesuffix(".py").removesuffix("/__init__").replace("/", ".")


@dataclass(frozen=True)
class Excerpt:
    """A function of the reference in which a requirement is decided; `first` is the number of its first line."""

    file: str
    what: str
    line: int
    first: int
    code: Markup
    address: str


@dataclass(frozen=True)
class Chapter:
    """A package with its modules in reading order."""

    name: str
    modules: tuple[Module, ...]


class Book:
    """The modules of the reference. `requirements` are those that have a page, to which code is linked."""

    def __init__(self, register: Register, requirements: Sequence[str], whole: bool = True) -> None:
        self._register, self._linked = register, frozenset(requirements)
        self.chapters = tuple(chapter for package in PACKAGES if (chapter := self._chapter(package, whole)).modules)
        self._modules = {module.file: module for chapter in self.chapters for module in chapter.modules}

    def links_to(self, requirement: str) -> bool:
        """Whether a requirement has a page."""
        return requirement in self._linked

    def has(self, file: str) -> bool:
        """Whether a module has a page."""
        return file in self._modules

    def excerpt(self, file: str, line: int, what: str, depth: int) -> Excerpt | None:
        """The function around a line, for a page that stands so deep; where it is too long, what stands near.

        None where the module has no page.
        """
        module = self._modules.get(file)
        if module is None:
            return None
        around = [(first, last) for first, last in module.functions if first <= line <= last]
        first, last = max(around, default=(max(1, line - 10), line + 10))
        if last - first >= _MOST_LINES:
            first, last = max(first, line - _MOST_LINES // 2), min(last, line + _MOST_LINES // 2)
        code = self.code(module, first, last, depth)
        return Excerpt(file, what, line, first, code, f"{addresses.module(file)}#L{line}")

    def code(self, module: Module, first: int, last: int, depth: int, *, numbered: bool = False) -> Markup:
        """Lines of a module; ids of requirements are links from a page that stands so deep."""

        def link(match: re.Match[str]) -> str:
            quote, requirement = match.groups()
            if requirement not in self._linked:
                return match[0]
            return f'{quote}<a href="{"../" * depth}{addresses.requirement(requirement)}">{requirement}</a>{quote}'

        lines = (_RULE.sub(link, line) for line in module.lines[first - 1 : last])
        if numbered:
            return trusted("".join(f'<span id="L{number}">{line}\n</span>' for number, line in enumerate(lines, first)))
        return trusted("\n".join(lines))

    def write(self, site: PageWriter) -> None:
        """The table of contents, and the page of each module."""
        modules = [module for chapter in self.chapters for module in chapter.modules]
        site.page("reference/index.html", "book", "The code of the reference", chapters=self.chapters, address_of=addresses.module)
        for place, module in enumerate(modules):
            depth = addresses.module(module.file).count("/")
            decides = [
                (requirement, addresses.requirement(requirement), self._register[requirement].statement, line)
                for requirement, line in module.decides.items()
                if requirement in self._linked
            ]
            site.page(
                addresses.module(module.file),
                "module",
                f"{module.name}: the reference",
                found_by=SearchEntry(f"{module.name}: {module.summary}", addresses.module(module.file), "reference"),
                module=module,
                code=self.code(module, 1, len(module.lines), depth, numbered=True),
                decides=decides,
                before=modules[place - 1] if place else None,
                after=modules[place + 1] if place + 1 < len(modules) else None,
                address_of=addresses.module,
            )

    def _chapter(self, package: str, whole: bool) -> Chapter:
        folder = _folder(package)
        entries = {entry.name: entry for entry in folder.iterdir() if entry.name.endswith(".py")}
        intro = entries[_INIT].read_text(encoding="utf-8")
        named = [f"{name}.py" for name in _NAMED.findall(ast.get_docstring(ast.parse(intro)) or "")]
        order = [_INIT, *dict.fromkeys(name for name in named if name in entries), *sorted(entries)]
        modules = (_module(f"{package}/{name}", entries[name]) for name in dict.fromkeys(order))
        return Chapter(
            package.removeprefix("reference/").replace("/", "."),
            tuple(module for module in modules if module.text.strip() and (whole or not self._linked.isdisjoint(module.decides))),
        )


def style() -> str:
    """The colours of code, for light and dark pages."""
    light = HtmlFormatter(style=LIGHT).get_style_defs(".code")
    dark = HtmlFormatter(style=DARK).get_style_defs(".code")
    return f"{light}\n@media screen and (prefers-color-scheme: dark) {{\n{dark}\n}}\n.code, .code pre {{ background: var(--band); }}\n"


def _folder(package: str) -> Traversable:
    return resources.files(f"fencepost.{package.replace('/', '.')}")


def _module(file: str, entry: Traversable) -> Module:
    text = entry.read_text(encoding="utf-8")
    tree = ast.parse(text)
    summary = (ast.get_docstring(tree) or "").partition("\n")[0]
    return Module(file, text, summary, _decides(tree), tuple(_functions(tree)))


def _decides(tree: ast.AST) -> dict[str, int]:
    """The requirements that calls of `rule` name, each with the line of its first one."""
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "rule"]
    names = [part for call in calls for argument in call.args for part in ast.walk(argument) if isinstance(part, ast.Constant)]
    found: dict[str, int] = {}
    for name in sorted(names, key=lambda name: name.lineno):
        if isinstance(name.value, str):
            found.setdefault(name.value, name.lineno)
    return found


def _functions(tree: ast.AST) -> Iterator[tuple[int, int]]:
    """The first and the last line of each function, its decorators with it."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            yield min([node.lineno, *(one.lineno for one in node.decorator_list)]), node.end_lineno or node.lineno
