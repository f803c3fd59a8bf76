"""A finding as a scenario in the closed vocabulary, which a person can read and keep, and `fencepost run --feature` plays."""

import contextlib
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import combinations, pairwise

from fencepost.contract.register import Requirement
from fencepost.steps.acts.act import DISTURBANCE, ActLine
from fencepost.steps.phrase import Placeholder
from fencepost.steps.sentence import Form
from fencepost.steps.vocabularies import Speech

from .reduction import Shows, without_lines
from .trial import REFUSED, ExploredFinding

_END = len(["A", "has", "committed"])
_DONE = "it is done"
"""The words of every vocabulary for a request of the When that was answered with success."""


def reported(finding: ExploredFinding, shows: Shows, speech: Speech, is_met: Shows = lambda _: False) -> tuple[ActLine, ...]:
    """The lines of a finding as a scenario says them: what led to the question as Givens, one When where there is one, and one Then.

    A Given waits until what it did is everywhere, and a When does not; an observation on the way may wait too. So a form with fewer
    lines is only taken where it `shows` the same. Where a set-up was refused, the plain form asks for it, and expects that it is done:
    a scenario without a Then judges nothing, on any system.

    `is_met` says whether a conforming system meets these lines. If it meets the form that was taken, each line is left out without which
    the system shows the same, and the conforming one still meets the rest. In the same way a single When becomes a Given, and two Givens
    one.
    """
    raw = tuple(_without_what_held(finding.lines))
    plain = tuple(_with_givens(raw))
    asked = _as_question(plain, speech) if finding.how == REFUSED else None
    forms = [form for form in (asked, plain, raw) if form is not None]
    said = next((form for form in forms if form == finding.lines or shows(form)), finding.lines)
    if not is_met(said):
        return said

    def is_as_good(lines: Sequence[ActLine]) -> bool:
        return is_met(lines) and shows(lines)

    said = without_lines(said, is_as_good)
    while (simpler := next(filter(is_as_good, _in_other_words(said, speech)), None)) is not None:
        said = simpler
    return said


def feature(finding: ExploredFinding, lines: Iterable[ActLine], row: Requirement, needs: Iterable[str], how_found: str) -> str:
    """The text of a feature file with the one scenario."""
    tags = " ".join(f"@needs:{need}" for need in sorted(needs))
    said = list(lines)
    steps, kind = [], ""
    for line in said:
        if line.kind == DISTURBANCE:
            steps.append(f"      # here, or throughout: the disturbance {line.text}, without which this scenario is met")
            continue
        steps.append(f"      {'And' if line.kind == kind else line.kind} {line.text}")
        kind = line.kind
    return "\n".join(
        [
            "Feature: Found by exploration",
            f"  {how_found}",
            "",
            f"  @{row.id} @{row.level}",
            f"  Rule: {row.statement}",
            f"    {_one_line(str(finding.error))}",
            "",
            *([f"    {tags}"] if tags else []),
            f"    Scenario: [1] {_title(said)}",
            *steps,
            "",
        ]
    )


def _without_what_held(lines: Sequence[ActLine]) -> Iterable[ActLine]:
    """Without the observations on the way: that something was done is no act."""
    yield from (line for line in lines[:-1] if line.kind != "Then")
    yield lines[-1]


def _with_givens(lines: Sequence[ActLine]) -> Iterable[ActLine]:
    """Each When that is not the last is said as what has happened; and the last too, where its answer is not what is judged."""
    for line, after in pairwise(lines):
        is_asked = after.kind == "Then" and line.kind == "When"
        yield line if is_asked or line.given is None else ActLine("Given", line.given, line.requirement)
    yield lines[-1] if lines[-1].kind != "When" or lines[-1].given is None else ActLine("Given", lines[-1].given, lines[-1].requirement)


def _in_other_words(lines: Sequence[ActLine], speech: Speech) -> Iterator[tuple[ActLine, ...]]:
    """These lines with a When that is not the last as a Given, or with two Givens as one, in the place of either."""
    whens = [number for number, line in enumerate(lines) if line.kind == "When"]
    for number in whens[:-1]:
        if (given := lines[number].given) is not None:
            yield (*lines[:number], ActLine("Given", given, lines[number].requirement), *lines[number + 1 :])
    givens = [(number, line) for number, line in enumerate(lines) if line.kind == "Given"]
    for (first, one), (second, other) in combinations(givens, 2):
        for text in filter(partial(speech.parsing, "Given"), _joined(one.text.split(), other.text.split())):
            for place, left_out in ((first, second), (second, first)):
                both = [line._replace(text=text) if number == place else line for number, line in enumerate(lines)]
                yield tuple(line for number, line in enumerate(both) if number != left_out)


def _joined(one: Sequence[str], other: Sequence[str]) -> Iterator[str]:
    """What may say two Givens at once: the words in which they differ as lists, or a write with the end of its transaction."""
    if len(one) == len(other):
        differ = [first != second for first, second in zip(one, other, strict=True)]
        plural = [f"{word}s" if not here and after else word for word, here, after in zip(one, differ, [*differ[1:], False], strict=True)]
        yield " ".join(f"{word} and {second}" if here else word for word, second, here in zip(plural, other, differ, strict=True))
    if one[:2] == other[:2] and len(other) == _END:
        yield " ".join((*other, *one[_END:]))


def _as_question(lines: Sequence[ActLine], speech: Speech) -> tuple[ActLine, ...] | None:
    """The last line, a set-up, as the request that is judged. None where no sentence can request it or expect that it is done."""
    last = lines[-1]
    if last.kind != "Given" or not speech.parsing("Then", _DONE):
        return None
    for sentence in speech.parsing("Given", last.text):
        given, when = (next((form for form in sentence.forms if form.kind == kind), None) for kind in ("Given", "When"))
        text = _in_other_form(last.text, given, when) if given is not None and when is not None else None
        if text is not None:
            return (*lines[:-1], ActLine("When", text, last.requirement, last.text), ActLine("Then", _DONE, last.requirement))
    return None


def _in_other_form(said: str, given: Form, when: Form) -> str | None:
    """A Given in the words of its When, whose optional words are left out where the Given has none; None where it is not certain.

    One value may be in another grammatical form, such as "has committed" and "commits": the same one, or the word in the same place.
    """
    values = given.parse(said)
    if values is None:
        return None
    names = {one.name for one in when.placeholders}
    missing = [one for one in when.parts if isinstance(one, Placeholder) and one.name not in values]
    others = [one for one in given.parts if isinstance(one, Placeholder) and one.name not in names]
    is_more = any(value is not None and name not in names and name not in {one.name for one in others} for name, value in values.items())
    if is_more or len(missing) > 1 or len(missing) != len(others):
        return None
    filled = {name: values.get(name) for name in names}
    for one, other in zip(missing, others, strict=True):
        words, others_words = one.type.written.split(" | "), other.type.written.split(" | ")
        is_choice = len(words) == len(others_words) > 1
        filled[one.name] = words[others_words.index(values[other.name])] if is_choice else values[other.name]
    with contextlib.suppress(LookupError, TypeError, ValueError, AttributeError):
        text = when.render(filled)
        return text if when.parse(text) == filled else None
    return None


def _title(lines: Sequence[ActLine]) -> str:
    """What is requested last, and what is expected then."""
    requested = [line for line in lines if line.kind in ("Given", "When")]
    return ": ".join(dict.fromkeys(line.text for line in (*requested[-1:], lines[-1])))


def _one_line(text: str) -> str:
    return " ".join(text.split())
