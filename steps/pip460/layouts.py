"""The layout of a scalable topic, as administrators see it."""

import itertools
from collections.abc import Iterable, Iterator, Sequence

from fencepost.adapters.pulsar.pulsar_values import LayoutSegment, ReportedLayout
from fencepost.contract.outcomes import Done, Refused
from fencepost.steps.answers import reported
from fencepost.steps.pulsar.pulsar_context import PulsarContext

from .scalable_context import RequestedChange, ScenarioScalableTopics
from .vocabulary import PIP460

_HASHES = 65_536


@PIP460.then("{topic} has {count} equal segments of its first epoch")
def has_equal_segments(context: PulsarContext, scalable_topics: ScenarioScalableTopics, topic: str, count: int) -> None:
    """Exactly so many, all active, without parents and children, created at epoch 0, which is the layout's; the sizes of their hash ranges
    differ by one at most.
    """
    layout = scalable_topics.layout(topic)
    widths = [one.last_hash - one.first_hash + 1 for one in layout.active]
    wrong = [] if layout.epoch == 0 else [f"epoch {layout.epoch}"]
    wrong += [] if len(layout.active) == count == len(layout.segments) else [f"{len(layout.active)} active of {len(layout.segments)}"]
    wrong += [] if widths and max(widths) - min(widths) <= 1 and sum(widths) == _HASHES else [f"widths {widths}"]
    wrong += [f"{one} has a family" for one in layout.segments if one.parents or one.children]
    wrong += [f"{one} was made at epoch {one.created_at_epoch}" for one in layout.segments if one.created_at_epoch]
    expected = f"{count} equal ones of epoch 0"
    context.evidence.expect(not wrong, expected, "; ".join(wrong) or expected, what=f"segments of {topic}")


@PIP460.then("the hashes of {parents:family} are those of {children:family}[, {halves}]")
def have_taken_over(
    context: PulsarContext,
    scalable_topics: ScenarioScalableTopics,
    children: tuple[str, ...],
    parents: tuple[str, ...],
    halves: str | None,
) -> None:
    """The parents are sealed and the children active; together the children have all the hashes of the parents, each in one of them. Half
    each: the first child ends at half of the sum of both ends, rounded down, and has the lower number.
    """
    layout = scalable_topics.layout(scalable_topics.places[parents[0]].topic)
    old, new = _named(scalable_topics, layout, parents), _named(scalable_topics, layout, children)
    wrong = [f"{name} is not there" for name in (*parents, *children) if name not in {**old, **new}]
    wrong += [f"{name} is active" for name, one in old.items() if not one.is_sealed]
    wrong += [f"{name} is sealed" for name, one in new.items() if one.is_sealed]
    if not wrong and (flaw := _difference(list(old.values()), list(new.values()))):
        wrong.append(flaw)
    if not wrong and halves is not None:
        low, high, (parent,) = new[children[0]], new[children[1]], old.values()
        wrong += [] if low.last_hash == (parent.first_hash + parent.last_hash) // 2 else [f"{low} ends elsewhere"]
        wrong += [] if low.number < high.number else [f"{high} has the lower number"]
    expected = f"all hashes of {' and '.join(parents)}{f', {halves}' if halves else ''}"
    context.evidence.expect(not wrong, expected, "; ".join(wrong) or expected, what=f"hashes of {' and '.join(children)}")


@PIP460.then("{parents:family} and {segments} name each other")
def name_each_other(
    context: PulsarContext, scalable_topics: ScenarioScalableTopics, parents: tuple[str, ...], segments: tuple[str, ...]
) -> None:
    """Each child has exactly these parents, and each parent exactly these children."""
    layout = scalable_topics.layout(scalable_topics.places[parents[0]].topic)
    old, new = _named(scalable_topics, layout, parents), _named(scalable_topics, layout, segments)
    wrong = [f"{name} is not there" for name in (*parents, *segments) if name not in {**old, **new}]
    above, below = _numbers(old.values()), _numbers(new.values())
    wrong += [f"{name} has the parents {one.parents}" for name, one in new.items() if sorted(one.parents) != above]
    wrong += [f"{name} has the children {one.children}" for name, one in old.items() if sorted(one.children) != below]
    expected = f"parents {above} and children {below}"
    context.evidence.expect(not wrong, expected, "; ".join(wrong) or expected, what="edges")


@PIP460.then("{topic} is at epoch {count}[, which created {children:family} and sealed {parents:family}]")
def is_at_epoch(
    context: PulsarContext,
    scalable_topics: ScenarioScalableTopics,
    topic: str,
    count: int,
    children: tuple[str, ...] | None,
    parents: tuple[str, ...] | None,
) -> None:
    """The layout shows this epoch, and so do the records of the segments; those of the parents show that they were created before."""
    layout = scalable_topics.layout(topic)
    new, old = _named(scalable_topics, layout, children or ()), _named(scalable_topics, layout, parents or ())
    wrong = [] if layout.epoch == count else [f"epoch {layout.epoch}"]
    wrong += [f"{name} is not there" for name in (*(parents or ()), *(children or ())) if name not in {**old, **new}]
    wrong += [f"{name} was created at {one.created_at_epoch}" for name, one in new.items() if one.created_at_epoch != count]
    wrong += [f"{name} is sealed since {one.sealed_at_epoch}" for name, one in old.items() if one.sealed_at_epoch != count]
    wrong += [f"{name} was created at {one.created_at_epoch}" for name, one in old.items() if one.created_at_epoch >= count]
    expected = f"epoch {count}"
    context.evidence.expect(not wrong, expected, "; ".join(wrong) or expected, what=f"epoch of {topic}")


@PIP460.then("at every epoch {topic} {law}")
def holds_at_every_epoch(context: PulsarContext, scalable_topics: ScenarioScalableTopics, topic: str, law: str) -> None:
    """In the current layout, and in each that was seen in this scenario."""
    scalable_topics.layout(topic)
    layouts = scalable_topics.seen[topic]
    wrong = sorted(set(_overlaps(layouts) if law == "has each hash in one active segment" else _given_twice(layouts)))
    expected = f"that it {law}"
    epochs = ", ".join(map(str, sorted({one.epoch for one in layouts})))
    context.evidence.expect(not wrong, expected, "; ".join(wrong) or f"{expected}, at epochs {epochs}", what=f"layouts of {topic}")


@PIP460.then("the layout of {topic} is what the answers say")
def is_what_the_answers_say(context: PulsarContext, scalable_topics: ScenarioScalableTopics, topic: str) -> None:
    """For the changes that were requested: one that was answered with success is there as a whole, a refused one has left nothing, and one
    without an answer is there or has left nothing. The epoch has grown by one for each that is there.
    """
    asked = [one for one in scalable_topics.asked if one.topic == topic]
    layout = scalable_topics.layout(topic)
    wrong = [*_against_answers(layout, asked), *_unexplained(layout, asked)]
    expected = "; ".join(f"{one.change}: {reported(one.answer)}" for one in asked)
    context.evidence.expect(not wrong, expected, "; ".join(wrong) or str(layout), what=f"layout of {topic}")


def _against_answers(layout: ReportedLayout, asked: Sequence[RequestedChange]) -> Iterator[str]:
    """Changes that were answered with success and are missing, or refused and there. At most one of several equal changes can be made."""
    for one in asked:
        answers = [other.answer for other in asked if (other.change.is_split, other.numbers) == (one.change.is_split, one.numbers)]
        done = sum(isinstance(answer, Done) for answer in answers)
        is_there = bool(_children(layout, one))
        if done > 1:
            yield f"{one.change} was done {done} times"
        if done == 1 and not is_there:
            yield f"{one.change} was done, and is not there"
        if all(isinstance(answer, Refused) for answer in answers) and is_there:
            yield f"{one.change} was refused, and is there"


def _unexplained(layout: ReportedLayout, asked: Sequence[RequestedChange]) -> Iterator[str]:
    """Differences from the layout before that none of the changes explains."""
    before = asked[0].before
    done = {(one.change.is_split, one.numbers): _children(layout, one) for one in asked}
    done = {key: children for key, children in done.items() if children}
    changed = {number for _, numbers in done for number in numbers}
    born = {number for children in done.values() for number in children}
    yield from (f"{one} comes of nothing" for one in layout.segments if before.named(one.number) is None and one.number not in born)
    for one in before.segments:
        now = layout.named(one.number)
        if now is None:
            yield f"{one} is gone"
        elif one.number not in changed and now != one:
            yield f"{one} has become {now}, with the children {now.children}"
    if layout.epoch != before.epoch + len(done):
        yield f"epoch {layout.epoch} after {before.epoch} and {len(done)} changes"


def _children(layout: ReportedLayout, asked: RequestedChange) -> tuple[int, ...]:
    """The segments that a change has created, if the layout has it as a whole: sealed parents, and children with all their hashes."""
    parents = [layout.named(number) for number in asked.numbers]
    old = [one for one in parents if one is not None and one.is_sealed]
    names = sorted({number for one in old for number in one.children})
    new = [one for number in names if (one := layout.named(number)) is not None]
    is_whole = len(old) == len(parents) and len(new) == len(names) == (2 if asked.change.is_split else 1)
    is_whole = is_whole and all(sorted(one.parents) == sorted(asked.numbers) for one in new) and not _difference(old, new)
    return tuple(names) if is_whole else ()


def _difference(old: Sequence[LayoutSegment], new: Sequence[LayoutSegment]) -> str | None:
    """How the hashes of two families differ, if they do. The segments of each family are neighbours."""
    spans = [sorted((one.first_hash, one.last_hash) for one in family) for family in (old, new)]
    for span in spans:
        if any(before[1] + 1 != after[0] for before, after in itertools.pairwise(span)):
            return f"{', '.join(map(str, old))} and {', '.join(map(str, new))}"
    first, second = ((span[0][0], span[-1][1]) for span in spans)
    return None if first == second else f"{', '.join(map(str, old))} and {', '.join(map(str, new))}"


def _overlaps(layouts: Sequence[ReportedLayout]) -> Iterator[str]:
    for layout in layouts:
        due = 0
        for one in layout.active:
            if one.first_hash != due:
                yield f"epoch {layout.epoch}: {one} begins where {due:04x} was due"
            due = one.last_hash + 1
        if due != _HASHES:
            yield f"epoch {layout.epoch}: no segment has the hash {due:04x} and those after it"


def _given_twice(layouts: Sequence[ReportedLayout]) -> Iterator[str]:
    known: dict[int, tuple[int, int, int]] = {}
    for layout in layouts:
        for one in layout.segments:
            identity = (one.first_hash, one.last_hash, one.created_at_epoch)
            if known.setdefault(one.number, identity) != identity:
                yield f"{one} of epoch {one.created_at_epoch} has the number of another one"


def _named(scalable_topics: ScenarioScalableTopics, layout: ReportedLayout, names: Sequence[str]) -> dict[str, LayoutSegment]:
    """The segments that have these names and are there."""
    places = {name: scalable_topics.places[name].number for name in names if name in scalable_topics.places}
    return {name: segment for name, number in places.items() if (segment := layout.named(number)) is not None}


def _numbers(segments: Iterable[LayoutSegment]) -> list[int]:
    return sorted(one.number for one in segments)
