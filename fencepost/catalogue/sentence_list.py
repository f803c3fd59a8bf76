"""`fencepost sentences`: the sentences of features, for people who write one and for programs that do."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from rich.console import Console, Group
from rich.table import Table
from rich.text import Text

from fencepost.contract import proposals
from fencepost.contract.errors import UnknownName, WrongUsage
from fencepost.steps import vocabularies
from fencepost.steps.sentence import Form, Sentence, ValueType
from fencepost.steps.vocabularies import Use

from . import word_search
from .requirement_list import FORMS
from .word_search import SearchedText


@dataclass(frozen=True)
class SentenceChapter:
    """One vocabulary, with where its sentences are used."""

    name: str
    uses: dict[Sentence, tuple[Use, ...]]

    @property
    def types(self) -> list[ValueType[Any]]:
        """The types of values in its sentences, in the order of their names."""
        found = {value.type.name: value.type for sentence in self.uses for form in sentence.forms for value in form.placeholders}
        return [found[name] for name in sorted(found)]

    @property
    def counts(self) -> dict[str, int]:
        forms = sum(len(sentence.forms) for sentence in self.uses)
        return {"sentences": len(self.uses), "forms": forms, "used_once": sum(len(places) == 1 for places in self.uses.values())}


def show(specs: Sequence[str], form: str, words: str = "") -> int:
    """Print the vocabularies of some proposals, or all; with words, only the sentences that have all of these, or the nearest."""
    if form not in FORMS:
        raise UnknownName("format", form, FORMS)
    chapters = _found(_chapters(specs), words) if words else _chapters(specs)
    match form:
        case "json":
            print(json.dumps(as_json(chapters), indent=1))
        case "markdown":
            print(markdown(chapters), end="")
        case _:
            _print(chapters)
    return 0


def _chapters(specs: Sequence[str]) -> list[SentenceChapter]:
    uses = vocabularies.uses(specs or list(proposals.bundled().by_spec))
    names = sorted({sentence.vocabulary for sentence in uses})
    return [SentenceChapter(name, {one: uses[one] for one in _by_kind(uses) if one.vocabulary == name}) for name in names]


def _found(chapters: Sequence[SentenceChapter], words: str) -> list[SentenceChapter]:
    """The chapters with only what the words find. Raises WrongUsage if they find nothing."""
    texts = {
        f"{chapter.name} {sentence.name}": SearchedText(" ".join(form.words for form in sentence.forms), sentence.meaning)
        for chapter in chapters
        for sentence in chapter.uses
    }
    if not (found := word_search.find(words, texts).names):
        raise WrongUsage(f"none of {len(texts)} sentences has the words {words!r}: try fewer or other words")
    kept = [
        SentenceChapter(chapter.name, {one: uses for one, uses in chapter.uses.items() if f"{chapter.name} {one.name}" in found})
        for chapter in chapters
    ]
    return [chapter for chapter in kept if chapter.uses]


def _by_kind(sentences: Iterable[Sentence]) -> list[Sentence]:
    """Sorted: those that are only a Given, those that are a When too, those that are a Then; each by its words."""
    order = ("Given", "When", "Then")
    return sorted(sentences, key=lambda sentence: (order.index(sentence.forms[-1].kind), sentence.forms[-1].words))


def as_json(chapters: Sequence[SentenceChapter]) -> dict[str, Any]:
    """Counts by vocabulary and in all, the types of values, and each sentence."""
    counts = [chapter.counts for chapter in chapters]
    return {
        "totals": {name: sum(one[name] for one in counts) for name in ("sentences", "forms", "used_once")},
        "vocabularies": [
            {
                "name": chapter.name,
                **chapter.counts,
                "types": [{"name": one.name, "pattern": one.pattern, "meaning": one.meaning} for one in chapter.types],
            }
            for chapter in chapters
        ],
        "sentences": [
            {
                "vocabulary": chapter.name,
                "name": sentence.name,
                "forms": [{"kind": form.kind, "words": form.words} for form in sentence.forms],
                "values": {value.name: value.type.name for form in sentence.forms for value in form.placeholders},
                "meaning": sentence.meaning,
                "where": sentence.where,
                "uses": {"steps": len(places), "features": len({use.feature for use in places})},
            }
            for chapter in chapters
            for sentence, places in chapter.uses.items()
        ],
    }


def markdown(chapters: Sequence[SentenceChapter]) -> str:
    """The page `docs/sentences.md`, by `fencepost sentences --format markdown`."""
    lines = [
        "# What a feature can say",
        "",
        "Made by `make docs` from the vocabularies in `steps/`; do not edit.",
        "`{name}` is a value of the type of that name, `{name:type}` one with another name, and a part in `[...]` may be left out.",
        "As a Given, an act has happened and must have succeeded unless it says otherwise; as a When it is carried out, and judged.",
        "",
    ]
    for chapter in chapters:
        lines += [f"## {chapter.name}: {_counted(chapter)}", "", "| Value | Written as | Meaning |", "| --- | --- | --- |"]
        lines += [f"| {one.name} | `{_in_a_cell(one.written or one.pattern)}` | {one.meaning} |" for one in chapter.types]
        for sentence, places in chapter.uses.items():
            lines += ["", *(f"**{form.kind}** `{form.words}`  " for form in sentence.forms), sentence.meaning, f"({_used(places)})"]
        lines += [""]
    return "\n".join(lines)


def _print(chapters: Sequence[SentenceChapter]) -> None:
    console = Console()
    for chapter in chapters:
        table = Table(
            box=None, pad_edge=False, header_style="bold", title=Text(f"{chapter.name}: {_counted(chapter)}"), title_justify="left"
        )
        table.add_column("sentence", ratio=3)
        table.add_column("meaning", ratio=3)
        table.add_column("used", ratio=1)
        for sentence, places in chapter.uses.items():
            table.add_row(Group(*map(_shown, sentence.forms)), Text(sentence.meaning), Text(_used(places)))
        console.print(table)
        console.print()
        values = Table(box=None, pad_edge=False, header_style="bold")
        for column in ("value", "written as", "meaning"):
            values.add_column(column, overflow="fold")
        for one in chapter.types:
            values.add_row(one.name, Text(one.written or one.pattern), Text(one.meaning))
        console.print(values)
        console.print()


def _shown(form: Form) -> Text:
    return Text.assemble((form.kind, "bold"), " ", form.words)


def _counted(chapter: SentenceChapter) -> str:
    counts = chapter.counts
    return f"{counts['sentences']} sentences in {counts['forms']} forms, {counts['used_once']} used once"


def _used(places: Sequence[Use]) -> str:
    features = len({use.feature for use in places})
    return f"{_number(len(places), 'step')} in {_number(features, 'feature')}"


def _number(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def _in_a_cell(written: str) -> str:
    return written.replace("|", "\\|")
