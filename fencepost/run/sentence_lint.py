"""Checks the sentences of features: each step is exactly one sentence of its proposal's vocabulary, and no sentence is there twice.

pytest-bdd silently takes the last of several sentences that parse a step.
"""

from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches

from fencepost.contract.gherkin import Feature, GherkinStep
from fencepost.steps.phrase import Literally, Optionally, Placeholder
from fencepost.steps.sentence import Form, Sentence
from fencepost.steps.vocabularies import Speech


def lint(features: Iterable[Feature], speech: Mapping[str, Speech]) -> list[str]:
    """Every fault, as `file:line: what`. Proposals missing in `speech` are not checked."""
    features = [feature for feature in features if feature.spec in speech]
    faults = [fault for feature in features for fault in (*_of_titles(feature), *_of_steps(feature, speech[feature.spec]))]
    faults += dict.fromkeys(fault for spoken in speech.values() for fault in _repeated(spoken))
    return faults


def unused(features: Iterable[Feature], speech: Mapping[str, Speech]) -> Iterator[str]:
    """Every sentence that no step of these features is, as `file:line: what`."""
    used = {one for feature in features for step in feature.said for one in speech[feature.spec].parsing(step.kind, step.text)}
    for sentence in dict.fromkeys(sentence for spoken in speech.values() for sentence in spoken.sentences):
        if sentence not in used:
            yield f"{sentence.where}: no step uses this sentence of {sentence.vocabulary}: {sentence.words}"


def _of_titles(feature: Feature) -> Iterator[str]:
    lines: dict[str, int] = {}
    for scenario in (scenario for rule in feature.rules for scenario in rule.scenarios):
        if scenario.title in lines:
            yield f"{feature.path}:{scenario.line}: {scenario.title!r} is the title in line {lines[scenario.title]} too; say what differs"
        lines.setdefault(scenario.title, scenario.line)


def _of_steps(feature: Feature, speech: Speech) -> Iterator[str]:
    for step in dict.fromkeys(feature.said):
        match speech.parsing(step.kind, step.text):
            case []:
                yield f"{feature.path}:{step.line}: no sentence parses {step.kind} {step.text!r}{_hint(step, speech)}"
            case [first, second, *_]:
                yield f"{feature.path}:{step.line}: two sentences parse {step.kind} {step.text!r}: {first.where} and {second.where}"


def _hint(step: GherkinStep, speech: Speech) -> str:
    known = [form.words for sentence in speech.sentences for form in sentence.forms if form.kind == step.kind]
    return "".join(f"; the nearest is {nearest!r}" for nearest in get_close_matches(step.text, known, 1, 0))


def _repeated(speech: Speech) -> Iterator[str]:
    """Sentences with the same words and types, whatever the names of their values."""
    known: dict[tuple[str, str], Sentence] = {}
    for sentence in speech.sentences:
        for form in sentence.forms:
            other = known.setdefault((form.kind, _shape(form)), sentence)
            if other is not sentence:
                yield f"{sentence.where}: {form.kind} {form.words!r} says the same as {other.where}"


def _shape(form: Form) -> str:
    return "".join(map(_reported, form.parts))


def _reported(part: Literally | Placeholder | Optionally) -> str:
    match part:
        case Literally(words):
            return words
        case Placeholder(_, kind):
            return f"{{{kind.name}}}"
        case Optionally(parts):
            return f"[{''.join(map(_reported, parts))}]"
