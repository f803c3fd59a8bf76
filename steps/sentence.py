"""Sentences as data: what a step may say, the types of its values, and what it means.

The words of a sentence are a phrase (`phrase`) that can be parsed **and written**. A step that a sentence parses is rendered by it to the
same text, and values that it renders are parsed to the same values.

A sentence is a Given, a When or a Then; an *act* has several forms of the same words, "A has committed" as a Given, which must succeed,
"A has tried to commit" as a Given whose outcome does not matter, and "A commits" as a When, which is judged. Its meaning, in observable
terms, is the docstring of its function, or the `meaning` of an act.

The parameters of a function are the values of its sentence, by their names, and the state of its scenario that a vocabulary declares.
"""

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias, TypeVar

from .phrase import Phrase, Values, parts_of, phrases
from .sentence_types import SentenceError, ValueType, choice, listed, number, quoted, text, unless
from .stage import COMPARISONS, EVIDENCE, SESSION, Compared, Factory

__all__ = [
    "ActSentence",
    "Form",
    "Fulfilled",
    "Kind",
    "Sentence",
    "SentenceError",
    "ValueType",
    "Values",
    "Vocabulary",
    "choice",
    "listed",
    "number",
    "phrases",
    "quoted",
    "text",
    "unless",
]

Step = TypeVar("Step", bound=Callable[..., None])
Made = TypeVar("Made", bound=Factory)
Kind: TypeAlias = Literal["Given", "When", "Then"]


@dataclass(frozen=True)
class Form(Phrase):
    """A sentence as a Given, a When or a Then."""

    kind: Kind


@dataclass(frozen=True)
class Sentence:
    """One sentence of a vocabulary, in one form or several."""

    vocabulary: str
    name: str
    meaning: str
    forms: tuple[Form, ...]
    path: str
    line: int
    """The location of the function that fulfils it."""

    @property
    def where(self) -> str:
        """File and line."""
        return f"{self.path}:{self.line}"

    @property
    def words(self) -> str:
        """The words of its forms."""
        return " | ".join(f"{form.kind} {form.words}" for form in self.forms)

    def parse(self, kind: str, step: str) -> dict[str, Any] | None:
        """The result of `Form.parse` for the form of this kind; None where there is none."""
        return next((values for form in self.forms if form.kind == kind and (values := form.parse(step)) is not None), None)


class Fulfilled(NamedTuple):
    """A form, and the function that fulfils it."""

    form: Form
    function: Callable[..., None]


class Vocabulary:
    """Sentences that belong together, with the types of their values. Raises SentenceError for a sentence that cannot be used."""

    def __init__(self, name: str, types: Iterable[ValueType[Any]]) -> None:
        self.name = name
        self.types = {one.name: one for one in types}
        self._sentences: list[Sentence | ActSentence] = []
        self._fulfilled: list[Fulfilled] = []
        self._found: dict[tuple[str, str], Fulfilled | None] = {}
        self.factories: dict[str, Factory] = {}

    def __iter__(self) -> Iterator[Sentence]:
        for one in self._sentences:
            yield one if isinstance(one, Sentence) else one.sentence()

    def state(self, factory: Made) -> Made:
        """Declare state of a scenario: what this function returns, under its name. Its parameters name other state; see `Stage`."""
        name = factory.__name__
        if name in self.factories or name in (EVIDENCE, SESSION, COMPARISONS):
            raise SentenceError(f"{self.name}: {name!r} is declared twice; expected one function for each state of a scenario")
        self.factories[name] = factory
        return factory

    def given(self, words: str) -> Callable[[Step], Step]:
        """Declare what has happened before the question; if it is refused, the question cannot be put."""
        return self._single("Given", words)

    def when(self, words: str) -> Callable[[Step], Step]:
        """Declare the one request that is judged."""
        return self._single("When", words)

    def then(self, words: str) -> Callable[[Step], Step]:
        """Declare an observation that is judged."""
        return self._single("Then", words)

    def act(self, given: str, when: str, meaning: str, tried: str = "") -> "ActSentence":
        """Declare an action that can have happened before, and can be requested; with `tried`, also a Given of an attempt."""
        act = ActSentence(self, self.form("Given", given), self.form("When", when), meaning, self.form("Given", tried) if tried else None)
        self._sentences.append(act)
        return act

    def find(self, kind: str, step: str) -> Fulfilled | None:
        """The form that parses a step, with its function; the first, where a faulty vocabulary has several."""
        key = kind, step
        if key not in self._found:
            said = (one for one in self._fulfilled if one.form.kind == kind and one.form.pattern.fullmatch(step))
            self._found[key] = next(said, None)
        return self._found[key]

    def fulfil(self, form: Form, function: Callable[..., None]) -> None:
        """Let a function fulfil a form."""
        where = f"{':'.join(map(str, place_of(function)))}: {self.name}: {form.words!r}"
        if inspect.iscoroutinefunction(function):
            raise SentenceError(f"{where} is an async function, which would not be awaited; expected a plain one")
        if missing := {value.name for value in form.placeholders} - inspect.signature(function).parameters.keys():
            raise SentenceError(f"{where}: its function has no parameter for {', '.join(sorted(missing))}; expected one for each value")
        self._fulfilled.append(Fulfilled(form, function))
        self._found.clear()

    def form(self, kind: Kind, words: str) -> Form:
        """The words with the types of this vocabulary."""
        return Form(words, parts_of(words, self.types, self.name), kind)

    def _single(self, kind: Kind, words: str) -> Callable[[Step], Step]:
        form = self.form(kind, words)

        def known(function: Step) -> Step:
            path, line = place_of(function)
            if not (meaning := inspect.getdoc(function)):
                where = f"{path}:{line}: {self.name}: {words!r}"
                raise SentenceError(f"{where} has no meaning; expected a docstring of its function that says it in observable terms")
            self.fulfil(form, function)
            self._sentences.append(Sentence(self.name, function.__name__, " ".join(meaning.split()), (form,), path, line))
            return function

        return known


class ActSentence:
    """A sentence with two or three forms, whose functions are given by `given`, `when` and `tried`."""

    def __init__(self, vocabulary: Vocabulary, given: Form, when: Form, meaning: str, tried: Form | None = None) -> None:
        self._vocabulary, self._given, self._when, self._tried, self._meaning = vocabulary, given, when, tried, meaning
        self._functions: dict[Form, Callable[..., None]] = {}

    def given(self, function: Step) -> Step:
        """What the Given does."""
        return self._reported(self._given, function)

    def when(self, function: Step) -> Step:
        """What the When does."""
        return self._reported(self._when, function)

    def tried(self, function: Step) -> Step:
        """What the Given of an attempt does."""
        if self._tried is None:
            raise SentenceError(f"{self._vocabulary.name}: {self._when.words!r} has no words for an attempt; expected `tried`")
        return self._reported(self._tried, function)

    def sentence(self) -> Sentence:
        """The sentence, with the place of its When."""
        forms = tuple(form for form in (self._given, self._tried, self._when) if form is not None)
        if missing := [form.kind for form in forms if form not in self._functions]:
            raise SentenceError(f"{self._vocabulary.name}: {self._when.words!r} has no function for its {' and '.join(missing)}")
        function = self._functions[self._when]
        return Sentence(self._vocabulary.name, function.__name__, self._meaning, forms, *place_of(function))

    def _reported(self, form: Form, function: Step) -> Step:
        if not self._meaning:
            where = f"{':'.join(map(str, place_of(function)))}: {self._vocabulary.name}: {form.words!r}"
            raise SentenceError(f"{where} has no meaning; expected one that says it in observable terms")
        self._vocabulary.fulfil(form, function)
        self._functions[form] = function
        return function


def brings_down(how: str | None = None, **by_value: Mapping[Any, str]) -> Callable[[Step], Step]:
    """Mark the function of a sentence that brings the system down, once, and makes sure that it is restarted.

    `how` is a word for what happens to the system, such as `crash`; where that follows from a value of the sentence, its name has a word
    for each, or for each class of them; with other values the system stays as it is. Scenarios with the same word can share it: they are at
    rest when it happens, or wait for each other (`contract.shared_crashes.gather`) before the action that it must follow at once.
    """

    def reported(values: Values) -> str | None:
        return how or next((words.get(values[name], words.get(type(values[name]))) for name, words in by_value.items()), None)

    def marked(function: Step) -> Step:
        function.brings_down = reported  # type: ignore[attr-defined]  # that is the mark
        return function

    return marked


def unloads(function: Step) -> Step:
    """Mark the function of a sentence that unloads a log; some systems can only unload all logs."""
    function.unloads = True  # type: ignore[attr-defined]  # that is the mark
    return function


def takes_minutes(function: Step) -> Step:
    """Mark the function of a sentence that lets so much time pass that a concurrent scenario might run into its own timeouts."""
    function.takes_minutes = True  # type: ignore[attr-defined]  # that is the mark
    return function


def compares(kind: str, of: str, **only: str) -> Callable[[Step], Step]:
    """Mark the function of a sentence that compares something of this kind with its state before the When, which is asked for if a line
    ahead does so (`stage.Comparisons`).

    The value `of` of the sentence has its name or their names. With `only`, it does so only where another value is this one.
    """

    def names(values: Values) -> frozenset[Compared]:
        if any(values[name] != value for name, value in only.items()):
            return frozenset()
        named = values[of]
        return frozenset(Compared(kind, name) for name in ((named,) if isinstance(named, str) else named))

    def marked(function: Step) -> Step:
        function.compares = names  # type: ignore[attr-defined]  # that is the mark
        return function

    return marked


def compared(found: Fulfilled, step: str) -> frozenset[Compared]:
    """What a step compares with its state before the When, as `compares` has marked its function."""
    reported = getattr(found.function, "compares", None)
    return reported(found.form.parse(step)) if reported else frozenset()


def brought_down(found: Fulfilled, step: str) -> str | None:
    """How a step brings the system down, as `brings_down` has marked its function; None where it stays up."""
    reported = getattr(found.function, "brings_down", None)
    return reported(found.form.parse(step)) if reported else None


def place_of(function: Callable[..., None]) -> tuple[str, int]:
    """The function's file, relative to the folder that has all top packages, and its line."""
    return f"{function.__module__.removeprefix('fencepost.').replace('.', '/')}.py", function.__code__.co_firstlineno
