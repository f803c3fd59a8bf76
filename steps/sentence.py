"""Sentences as data: what a step may say, the types of its values, and what it means.

The words of a sentence are a pattern that can be parsed **and written**:

    "the transaction of {producer} is {state}[ in {partitions}]"

`{name}` is a value of the vocabulary's type of that name, and `{first:producer}` one of the type `producer` with a name of its own.
`[...]` is a part that may be left out; its values are then None. A step that a sentence parses is rendered by it to the same text, and
values that it renders are parsed to the same values.

A sentence is a Given, a When or a Then; an *act* has two forms of the same words, "A has committed" as a Given, which must succeed, and
"A commits" as a When, which is judged. Its meaning, in observable terms, is the docstring of its function, or said of an act.
"""

import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, TypeAlias, TypeVar, cast

import pytest_bdd
from pytest_bdd.parsers import StepParser

from fencepost.contract.errors import WrongUsage

T = TypeVar("T")
Step = TypeVar("Step", bound=Callable[..., None])
Kind: TypeAlias = Literal["Given", "When", "Then"]
Values: TypeAlias = Mapping[str, Any]

_PART = re.compile(r"\{(?P<name>\w+)(?::(?P<type>\w+))?\}")
_CALLER = 2
"""How far away from pytest-bdd's decorator the module of a sentence is."""


class SentenceError(WrongUsage):
    """A sentence that cannot be used; the message says which and where, what is wrong and what is expected."""


@dataclass(frozen=True)
class ValueType(Generic[T]):
    """What a placeholder stands for. `render(parse(text)) == text` for every text that matches `pattern`, which has no named groups."""

    name: str
    pattern: str
    meaning: str
    parse: Callable[[str], T]
    render: Callable[[T], str]


def text(name: str, pattern: str, meaning: str) -> ValueType[str]:
    """A value that is its own text."""
    return ValueType(name, pattern, meaning, str, str)


def quoted(name: str, meaning: str) -> ValueType[str]:
    """Text between quotation marks."""
    return ValueType(name, r'"[^"]+"', meaning, lambda written: written[1:-1], lambda value: f'"{value}"')


def number(name: str, meaning: str) -> ValueType[int]:
    """A natural number."""
    return ValueType(name, r"0|[1-9]\d*", meaning, int, str)


def choice(name: str, *words: str, meaning: str) -> ValueType[str]:
    """One of these words."""
    longest_first = sorted(words, key=len, reverse=True)
    return text(name, "|".join(map(re.escape, longest_first)), meaning)


def listed(name: str, of: ValueType[T], meaning: str, separator: str = ", ") -> ValueType[tuple[T, ...]]:
    """One or more values of a type, with the separator between them."""
    return ValueType(
        name,
        f"(?:{of.pattern})(?:{re.escape(separator)}(?:{of.pattern}))*",
        meaning,
        lambda written: tuple(of.parse(found[1]) for found in re.finditer(f"({of.pattern})(?:{re.escape(separator)}|$)", written)),
        lambda values: separator.join(map(of.render, values)),
    )


@dataclass(frozen=True)
class Literally:
    """Words that stand as they are."""

    words: str


@dataclass(frozen=True)
class Placeholder:
    """A value."""

    name: str
    type: ValueType[Any]


@dataclass(frozen=True)
class Optionally:
    """A part that may be left out."""

    parts: tuple[Literally | Placeholder, ...]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(part.name for part in self.parts if isinstance(part, Placeholder))


Part: TypeAlias = Literally | Placeholder | Optionally


@dataclass(frozen=True)
class Form:
    """A sentence as a Given, a When or a Then."""

    kind: Kind
    words: str
    parts: tuple[Part, ...]
    pattern: re.Pattern[str] = field(repr=False)

    @property
    def placeholders(self) -> tuple[Placeholder, ...]:
        """All values, those of optional parts too, in their order."""
        flat = (inner for part in self.parts for inner in (part.parts if isinstance(part, Optionally) else (part,)))
        return tuple(part for part in flat if isinstance(part, Placeholder))

    def parse(self, step: str) -> dict[str, Any] | None:
        """The values that a step names, None for those of a part that is left out; None where the step says something else."""
        match = self.pattern.fullmatch(step)
        if match is None:
            return None
        return {value.name: None if match[value.name] is None else value.type.parse(match[value.name]) for value in self.placeholders}

    def render(self, values: Values) -> str:
        """The step that names these values; an optional part is left out where its values are None."""
        return "".join(_rendered(part, values) for part in self.parts)


@dataclass(frozen=True)
class Sentence:
    """One sentence of a vocabulary, in one form or two."""

    vocabulary: str
    name: str
    meaning: str
    forms: tuple[Form, ...]
    path: str
    line: int
    """Where the function stands that fulfils it."""

    @property
    def where(self) -> str:
        """File and line."""
        return f"{self.path}:{self.line}"

    @property
    def words(self) -> str:
        """The words of its form, or of both."""
        return " | ".join(f"{form.kind} {form.words}" for form in self.forms)

    def parse(self, kind: str, step: str) -> dict[str, Any] | None:
        """What `Form.parse` says of the form of this kind; None where there is none."""
        return next((values for form in self.forms if form.kind == kind and (values := form.parse(step)) is not None), None)


class Vocabulary:
    """Sentences that belong together, with the types of their values. Raises SentenceError for a sentence that cannot be used."""

    def __init__(self, name: str, types: Iterable[ValueType[Any]]) -> None:
        self.name = name
        self.types = {one.name: one for one in types}
        self._sentences: list[Sentence | Act] = []

    def __iter__(self) -> Iterator[Sentence]:
        for one in self._sentences:
            yield one if isinstance(one, Sentence) else one.sentence()

    def given(self, words: str) -> Callable[[Step], Step]:
        """What has happened before the question; when it is refused, the question cannot be put."""
        return self._single("Given", words)

    def when(self, words: str) -> Callable[[Step], Step]:
        """The one thing that is asked."""
        return self._single("When", words)

    def then(self, words: str) -> Callable[[Step], Step]:
        """An observation that is judged."""
        return self._single("Then", words)

    def act(self, given: str, when: str, meaning: str) -> "Act":
        """Something that can have happened before, and can be asked."""
        act = Act(self, self.form("Given", given), self.form("When", when), meaning)
        self._sentences.append(act)
        return act

    def form(self, kind: Kind, words: str) -> Form:
        """The words with the types of this vocabulary."""
        parts = tuple(self._parts(words))
        names = [value.name for value in Form(kind, words, parts, re.compile("")).placeholders]
        if repeated := {name for name in names if names.count(name) > 1}:
            raise SentenceError(f"{self.name}: {words!r}: {', '.join(sorted(repeated))} stands twice; write {{other:type}}")
        return Form(kind, words, parts, re.compile("".join(map(_pattern, parts))))

    def _parts(self, words: str) -> Iterator[Part]:
        for index, piece in enumerate(re.split(r"\[([^\[\]]*)\]", words)):
            inner = tuple(self._flat(piece, words))
            if index % 2 == 0:
                yield from inner
            elif not any(isinstance(part, Placeholder) for part in inner):
                raise SentenceError(f"{self.name}: {words!r}: the optional part [{piece}] has no value; use a choice instead")
            else:
                yield Optionally(inner)

    def _flat(self, piece: str, words: str) -> Iterator[Literally | Placeholder]:
        end = 0
        for found in _PART.finditer(piece):
            if found.start() > end:
                yield Literally(piece[end : found.start()])
            kind = found["type"] or found["name"]
            if kind not in self.types:
                raise SentenceError(f"{self.name}: {words!r}: no type {kind!r}; there are {', '.join(self.types)}")
            yield Placeholder(found["name"], self.types[kind])
            end = found.end()
        if end < len(piece):
            yield Literally(piece[end:])

    def _single(self, kind: Kind, words: str) -> Callable[[Step], Step]:
        form = self.form(kind, words)

        def known(function: Step) -> Step:
            meaning = inspect.getdoc(function)
            if not meaning:
                raise SentenceError(f"{self.name}: {words!r} has no meaning: expected a docstring that says it in observable terms")
            self._sentences.append(Sentence(self.name, function.__name__, meaning, (form,), *_place(function)))
            return cast(Step, _tell_pytest(form, _CALLER)(function))

        return known


class Act:
    """A sentence with two forms, whose functions are told by `given` and `when`."""

    def __init__(self, vocabulary: Vocabulary, given: Form, when: Form, meaning: str) -> None:
        if not meaning:
            raise SentenceError(f"{vocabulary.name}: {when.words!r} has no meaning: expected one in observable terms")
        self._vocabulary, self._forms, self._meaning = vocabulary.name, {"Given": given, "When": when}, meaning
        self._functions: dict[str, Callable[..., None]] = {}

    def given(self, function: Step) -> Step:
        """What the Given does."""
        self._functions["Given"] = function
        return cast(Step, _tell_pytest(self._forms["Given"], _CALLER)(function))

    def when(self, function: Step) -> Step:
        """What the When does."""
        self._functions["When"] = function
        return cast(Step, _tell_pytest(self._forms["When"], _CALLER)(function))

    def sentence(self) -> Sentence:
        """The sentence, with the place of its When."""
        if missing := self._forms.keys() - self._functions.keys():
            raise SentenceError(f"{self._vocabulary}: {self._forms['When'].words!r} has no function for its {', '.join(missing)}")
        function = self._functions["When"]
        return Sentence(self._vocabulary, function.__name__, self._meaning, tuple(self._forms.values()), *_place(function))


class _Parser(StepParser):
    """A form, as pytest-bdd asks for it."""

    def __init__(self, form: Form) -> None:
        super().__init__(form.words)
        self._form = form

    def is_matching(self, name: str) -> bool:
        return self._form.pattern.fullmatch(name) is not None

    def parse_arguments(self, name: str) -> dict[str, Any] | None:
        return self._form.parse(name)


def _tell_pytest(form: Form, caller: int) -> Callable[[Callable[..., None]], Callable[..., None]]:
    decorator = {"Given": pytest_bdd.given, "When": pytest_bdd.when, "Then": pytest_bdd.then}[form.kind]
    return decorator(_Parser(form), stacklevel=caller)


def _place(function: Callable[..., None]) -> tuple[str, int]:
    """Its file, from the folder that holds all rooms, and its line."""
    return f"{function.__module__.removeprefix('fencepost.').replace('.', '/')}.py", function.__code__.co_firstlineno


def _pattern(part: Part) -> str:
    match part:
        case Literally(words):
            return re.escape(words)
        case Placeholder(name, kind):
            return f"(?P<{name}>{kind.pattern})"
        case Optionally(parts):
            return f"(?:{''.join(map(_pattern, parts))})?"


def _rendered(part: Part, values: Values) -> str:
    match part:
        case Literally(words):
            return words
        case Placeholder(name, kind):
            return kind.render(values[name])
        case Optionally() if all(values.get(name) is None for name in part.names):
            return ""
        case Optionally(parts):
            return "".join(_rendered(inner, values) for inner in parts)
