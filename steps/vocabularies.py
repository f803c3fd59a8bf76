"""The sentences that a proposal's features use, and which of them a step is.

A vocabulary is in a folder of its name: those that `features/<proposal>/spec.yaml` names, and the proposal's own, where there is a folder
for it.
"""

import functools
import importlib
import pkgutil
from collections.abc import Collection, Iterable, Iterator
from importlib import resources
from importlib.util import find_spec
from types import ModuleType
from typing import NamedTuple

from fencepost.contract import datafile, gherkin, proposals
from fencepost.contract.errors import WrongUsage

from .sentence import Sentence, SentenceError, Vocabulary
from .stage import Factory

_STEPS = __name__.rpartition(".")[0]
KINDS = ("Given", "When", "Then")
_ACTS = "acts"
"""The one folder among them that is no vocabulary."""
_STEP_DEFINITION = "pytestbdd_stepdef"
"""The prefix of the names of step definitions that pytest-bdd's own decorators create."""


class Use(NamedTuple):
    """A step of a feature, as it is written in its file."""

    feature: str
    line: int


class Speech:
    """The sentences that a proposal's features may use."""

    def __init__(self, sentences: Iterable[Sentence]) -> None:
        self.sentences = tuple(sentences)
        forms = [(form.kind, form.pattern, sentence) for sentence in self.sentences for form in sentence.forms]
        self._by_kind = {kind: [(pattern, one) for each, pattern, one in forms if each == kind] for kind in KINDS}
        self._found: dict[tuple[str, str], tuple[Sentence, ...]] = {}

    def parsing(self, kind: str, step: str) -> tuple[Sentence, ...]:
        """All sentences that parse a step of this kind: Given, When or Then. Exactly one does, unless the vocabularies are faulty."""
        key = kind, step
        if key not in self._found:
            self._found[key] = tuple(sentence for pattern, sentence in self._by_kind[kind] if pattern.fullmatch(step))
        return self._found[key]


def check(specs: Collection[str]) -> None:
    """Raise WrongUsage for a missing vocabulary, and SentenceError for a sentence that cannot be used, or belongs to no vocabulary."""
    for spec in specs:
        speech_of(spec)
        factories(vocabularies_of(spec))
        if any(name.startswith(_STEP_DEFINITION) for module in modules_of(spec) for name in vars(module)):
            raise SentenceError(f"{spec}: a sentence is defined by pytest-bdd's own decorators; expected those of a Vocabulary")


@functools.cache
def speech_of(spec: str) -> Speech:
    """The sentences of a proposal's features: the vocabularies that it shares, then its own."""
    return Speech(sentence for name in _names(spec) for sentence in _sentences(name))


def spoken_by(spec: str) -> tuple[Sentence, ...]:
    """All sentences that a proposal's features may use."""
    return speech_of(spec).sentences


def sentence_of(spec: str, kind: str, step: str) -> Sentence | None:
    """The sentence that parses a step of this kind."""
    return next(iter(speech_of(spec).parsing(kind, step)), None)


def uses(specs: Collection[str]) -> dict[Sentence, tuple[Use, ...]]:
    """Where the features of these proposals use each of their sentences; a step of an outline is one step."""
    found: dict[Sentence, dict[Use, None]] = {sentence: {} for spec in specs for sentence in spoken_by(spec)}
    for feature in gherkin.bundled():
        for step in feature.said if feature.spec in specs else ():
            if sentence := sentence_of(feature.spec, step.kind, step.text):
                found[sentence][Use(feature.path, step.line)] = None
    return {sentence: tuple(places) for sentence, places in found.items()}


def by_spec() -> dict[str, Speech]:
    """The speech of each proposal."""
    return {spec: speech_of(spec) for spec in proposals.bundled().by_spec}


def modules_of(spec: str) -> list[ModuleType]:
    """The modules that hold a proposal's sentences."""
    return [module for name in _names(spec) for module in _modules(name)]


@functools.cache
def vocabularies_of(spec: str) -> tuple[Vocabulary, ...]:
    """The vocabularies of a proposal's features: those that it shares, then its own."""
    return tuple(vocabulary for name in _names(spec) for vocabulary in _vocabularies(name))


def factories(spoken: Iterable[Vocabulary]) -> dict[str, Factory]:
    """The state that these vocabularies declare for a scenario, by name. Raises SentenceError for a name that two of them declare."""
    found: dict[str, Factory] = {}
    for vocabulary in spoken:
        for name, factory in vocabulary.factories.items():
            if name in found:
                raise SentenceError(f"{vocabulary.name}: {name!r} is declared by another vocabulary too; expected one for each state")
            found[name] = factory
    return found


def _vocabularies(name: str) -> list[Vocabulary]:
    """The vocabularies of one folder. A module may hold another folder's vocabulary, whose types it uses."""
    held = {id(value): value for module in _modules(name) for value in vars(module).values() if isinstance(value, Vocabulary)}
    return [vocabulary for vocabulary in held.values() if vocabulary.name == name]


@functools.cache
def _sentences(name: str) -> tuple[Sentence, ...]:
    """The sentences of one folder, by file and line."""
    ours = [sentence for vocabulary in _vocabularies(name) for sentence in vocabulary]
    return tuple(sorted(ours, key=lambda sentence: (sentence.path, sentence.line)))


def _names(spec: str) -> Iterator[str]:
    named = proposals.bundled()[spec].vocabularies
    for place, name in enumerate(named):
        if not _is_there(name):
            path = resources.files("fencepost.features") / spec / "spec.yaml"
            known = ", ".join(_known())
            where = f"{path}:{datafile.line_of(path, 'vocabularies', place)}: vocabularies.{place + 1}"
            raise WrongUsage(f"{where}: there is no vocabulary {name!r}; expected one of {known}")
    yield from dict.fromkeys((*named, *((spec,) if _is_there(spec) else ())))


def _is_there(name: str) -> bool:
    return name != _ACTS and find_spec(f"{_STEPS}.{name}") is not None


def _known() -> list[str]:
    folder = importlib.import_module(_STEPS)
    return sorted(module.name for module in pkgutil.iter_modules(folder.__path__) if module.ispkg and module.name != _ACTS)


def _modules(name: str) -> list[ModuleType]:
    found = importlib.import_module(f"{_STEPS}.{name}")
    return [importlib.import_module(module.name) for module in pkgutil.iter_modules(found.__path__, f"{found.__name__}.")]
