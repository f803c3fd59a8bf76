"""The pages of the sentences: what a scenario can say, what that means, and who says it."""

from collections.abc import Sequence
from dataclasses import dataclass

from fencepost.contract.gherkin import bundled, requirement_of
from fencepost.steps import vocabularies
from fencepost.steps.sentence import Sentence

from . import addresses
from .page_writer import PageWriter, SearchEntry
from .scenario_steps import anchor


@dataclass(frozen=True)
class SentenceView:
    """A sentence, and the requirements whose scenarios use it."""

    anchor: str
    forms: tuple[tuple[str, str], ...]
    meaning: str
    where: str
    requirements: tuple[tuple[str, str], ...]


def write_all(site: PageWriter, specs: Sequence[str]) -> list[str]:
    """A page for each vocabulary that these proposals speak; answers the names of these."""
    used = _requirements_by_sentence(specs)
    names = sorted({sentence.vocabulary for sentence in used})
    for name in names:
        own = sorted((sentence for sentence in used if sentence.vocabulary == name), key=lambda one: one.forms[-1].words)
        views = [_view(sentence, used[sentence]) for sentence in own]
        types = {value.type.name: value.type for sentence in own for form in sentence.forms for value in form.placeholders}
        site.page(
            addresses.vocabulary(name),
            "sentences",
            f"Sentences: {name}",
            found_by=SearchEntry(f"Sentences: {name}", addresses.vocabulary(name), "sentences"),
            name=name,
            sentences=views,
            types=[types[key] for key in sorted(types)],
        )
    site.page("sentences/index.html", "list", "Sentences", intro=_INTRO, items=[(name, addresses.vocabulary(name), "") for name in names])
    return names


_INTRO = (
    "What a scenario can say: a closed vocabulary, in which each sentence has one meaning in observable terms. "
    "{name} is a value, and a part in [...] may be left out."
)


def _view(sentence: Sentence, requirements: Sequence[str]) -> SentenceView:
    return SentenceView(
        anchor(sentence),
        tuple((form.kind, form.words) for form in sentence.forms),
        sentence.meaning,
        sentence.where,
        tuple((one, addresses.requirement(one)) for one in requirements),
    )


def _requirements_by_sentence(specs: Sequence[str]) -> dict[Sentence, list[str]]:
    """The scenarios that use each sentence, in the order of the features; also sentences that none of these uses."""
    found: dict[Sentence, dict[str, None]] = {sentence: {} for spec in specs for sentence in vocabularies.spoken_by(spec)}
    for feature in bundled():
        for rule in feature.rules if feature.spec in specs else ():
            said = [*feature.background, *rule.background, *(step for scenario in rule.scenarios for step in scenario.said)]
            for step in said:
                if sentence := vocabularies.sentence_of(feature.spec, step.kind, step.text):
                    found[sentence][requirement_of(rule.tags) or ""] = None
    return {sentence: list(names) for sentence, names in found.items()}
