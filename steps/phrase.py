"""Phrases that can be parsed and written: the words of a sentence, and values that are one of several phrases.

    "the transaction of {producer} is {state}[ in {partitions}]"

`{name}` is a value of the type of that name, and `{first:producer}` one of the type `producer` with a separate name. `[...]` is a part that
may be left out; its values are then None.
"""

import functools
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from .sentence_types import SentenceError, ValueType, literally

Values: TypeAlias = Mapping[str, Any]

_PLACEHOLDER = re.compile(r"\{(?P<name>\w+)(?::(?P<type>\w+))?\}")
_OPTIONAL = re.compile(r"\[([^\[\]]*)\]")


@dataclass(frozen=True)
class Literally:
    """Words that are matched literally."""

    words: str


@dataclass(frozen=True)
class Placeholder:
    """A value."""

    name: str
    type: ValueType[Any]


@dataclass(frozen=True)
class Optionally:
    """A part that may be omitted."""

    parts: tuple[Literally | Placeholder, ...]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(part.name for part in self.parts if isinstance(part, Placeholder))


Part: TypeAlias = Literally | Placeholder | Optionally


@dataclass(frozen=True)
class Phrase:
    """Words with values in them."""

    words: str
    parts: tuple[Part, ...] = field(repr=False)

    @functools.cached_property
    def placeholders(self) -> tuple[Placeholder, ...]:
        """All values, including those of optional parts, in their order."""
        flat = (inner for part in self.parts for inner in (part.parts if isinstance(part, Optionally) else (part,)))
        return tuple(part for part in flat if isinstance(part, Placeholder))

    @functools.cached_property
    def pattern(self) -> re.Pattern[str]:
        """What the phrase matches, with a group for each value."""
        return re.compile("".join(_pattern(part, "?P<{}>") for part in self.parts))

    def parse(self, written: str) -> dict[str, Any] | None:
        """The values that a text names, None for those of an omitted part; None where the text does not match."""
        match = self.pattern.fullmatch(written)
        if match is None:
            return None
        return {value.name: None if match[value.name] is None else value.type.parse(match[value.name]) for value in self.placeholders}

    def render(self, values: Values) -> str:
        """The text that names these values; an optional part is omitted where its values are None."""
        return "".join(_rendered(part, values) for part in self.parts)


def parts_of(words: str, types: Mapping[str, ValueType[Any]], whose: str) -> tuple[Part, ...]:
    """The parts of a phrase. Raises SentenceError, which begins with `whose`, for an unknown type and for a name that stands twice."""
    parts = tuple(_parts(words, types, whose))
    names = [value.name for value in Phrase(words, parts).placeholders]
    if repeated := {name for name in names if names.count(name) > 1}:
        raise SentenceError(f"{whose}: {words!r}: {', '.join(sorted(repeated))} stands twice; write {{other:type}}")
    return parts


def phrases(name: str, types: Iterable[ValueType[Any]], meaning: str, by_words: Mapping[str, type[Any]]) -> ValueType[Any]:
    """A value that is written as one of several phrases, each with a class that has the values of its phrase as fields."""
    known = {one.name: one for one in types}
    spoken = [(Phrase(words, parts_of(words, known, f"the type {name}")), made) for words, made in by_words.items()]
    phrase_of = {made: phrase for phrase, made in spoken}
    if len(phrase_of) < len(spoken):
        raise SentenceError(f"the type {name}: two phrases have one class; expected a class for each")

    def parse(written: str) -> Any:
        return next(made(**values) for phrase, made in spoken if (values := phrase.parse(written)) is not None)

    pattern = "|".join("".join(_pattern(part, "?:") for part in phrase.parts) for phrase, _ in spoken)
    return ValueType(name, pattern, meaning, parse, lambda value: phrase_of[type(value)].render(vars(value)), " | ".join(by_words))


def _parts(words: str, types: Mapping[str, ValueType[Any]], whose: str) -> Iterator[Part]:
    for index, piece in enumerate(_OPTIONAL.split(words)):
        inner = tuple(_flat(piece, words, types, whose))
        if index % 2 == 0:
            yield from inner
        elif not any(isinstance(part, Placeholder) for part in inner):
            raise SentenceError(f"{whose}: {words!r}: the optional part [{piece}] has no value; expected a choice of one word")
        else:
            yield Optionally(inner)


def _flat(piece: str, words: str, types: Mapping[str, ValueType[Any]], whose: str) -> Iterator[Literally | Placeholder]:
    end = 0
    for found in _PLACEHOLDER.finditer(piece):
        if found.start() > end:
            yield Literally(piece[end : found.start()])
        kind = found["type"] or found["name"]
        if kind not in types:
            raise SentenceError(f"{whose}: {words!r}: no type {kind!r}; expected one of {', '.join(types)}")
        yield Placeholder(found["name"], types[kind])
        end = found.end()
    if end < len(piece):
        yield Literally(piece[end:])


def _pattern(part: Part, group: str) -> str:
    """`group` begins the group of a value, and may have its name."""
    match part:
        case Literally(words):
            return literally(words)
        case Placeholder(name, kind):
            return f"({group.format(name)}{kind.pattern})"
        case Optionally(parts):
            return f"(?:{''.join(_pattern(inner, group) for inner in parts)})?"


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
