"""Acts of PIP-460 of a consumer that subscribes to one segment: what it acknowledges before and after the segment is sealed, what its
subscription has in the children, and when it is notified that there is no more.
"""

from collections.abc import Iterator

from fencepost.steps.pulsar.vocabulary import shown

from .act import Act, ActLine
from .pip460_lines import given, something_written, then, when
from .pip460_model import FIRST, SEGMENTS, Layouts, Pip460Subscription

_NAME, _OTHER = '"pickers"', '"packers"'
_PLACES = (*FIRST, "low", "high")


def _subscribe(model: Layouts, segment: str) -> list[ActLine]:
    values = model.segments[segment].values
    model.subscriptions[_NAME] = Pip460Subscription({segment: set()})
    model.done[_NAME] += 1
    del model.done[f"written to {segment}"]
    return [given(f"the consumer of shared subscription {_NAME} has received {shown(values)} from {segment}", "17")]


def _subscribe_too(model: Layouts, segment: str) -> list[ActLine]:
    """A second consumer, which receives nothing of what the first one has received."""
    model.done[_OTHER] += 1
    said = f"the consumer of shared subscription {_OTHER} has received nothing from {segment}, by the name of {_NAME}"
    return [given(said, "14"), *_end(model, segment, _OTHER)]


def _acknowledge(model: Layouts, segment: str, which: str) -> list[ActLine]:
    left = _left(model, segment)
    value = left[0] if which == "first" else left[-1]
    model.subscriptions[_NAME].consumed[segment].add(value)
    model.release()
    said = f'"{value}" is acknowledged for {_NAME} without a transaction'
    lines = [when(said, "16", f'"{value}" has been acknowledged for {_NAME} without a transaction'), then("it is done", "16")]
    if model.segments[segment].may_be_gone:
        return lines
    return [*lines, *_end(model, segment, _NAME), *(_end(model, segment, _OTHER) if model.done[_OTHER] else [])]


def _end(model: Layouts, segment: str, who: str) -> list[ActLine]:
    """A consumer of a sealed segment is notified of its end when its subscription has consumed it, and not before."""
    news = "that there is no more" if model.is_drained(_NAME, segment) else "nothing of an end"
    return [then(f"the consumer of {who} learns {news}", "14" if model.segments[segment].is_sealed else "42")]


def _look_at_end(model: Layouts, segment: str) -> list[ActLine]:
    return _end(model, segment, _NAME)


def _ask_again(model: Layouts, segment: str) -> list[ActLine]:
    value = _left(model, segment)[0]
    asked = f'the consumer of {_NAME} asks for redelivery of "{value}"'
    return [when(asked, "14"), then(f'the consumer of {_NAME} receives "{value}" before any other write', "14")]


def _look_at_left(model: Layouts, segment: str) -> list[ActLine]:
    left = _left(model, segment)
    model.show(segment)
    model.done["left"] += 1
    return [then(f"subscription {_NAME} has {shown(left)} left", "14" if left else "16")]


def _look_at_child(model: Layouts, segment: str) -> list[ActLine]:
    why = "18" if len(model.segments[segment].parents) == 2 else "17"
    lines = something_written(model, segment, why)
    values = model.segments[segment].values
    model.show(segment)
    model.done[f"{_NAME} in {segment}"] += 1
    return [*lines, then(f"subscription {_NAME} has {shown(values)} waiting in {segment}", why)]


def _left(model: Layouts, segment: str) -> list[str]:
    return model.unread(_NAME, segment)


def _place(model: Layouts) -> str | None:
    """The segment to which the consumer has subscribed."""
    return next(iter(model.subscriptions[_NAME].consumed)) if _NAME in model.subscriptions else None


def _is_plain(model: Layouts, segment: str) -> bool:
    one = model.segments.get(segment)
    return (
        not model.is_open_ended and one is not None and one.is_exact and not one.has_sentinel and not one.may_be_gone and not one.has_open
    )


def _is_connected(model: Layouts) -> bool:
    """Whether no broker has crashed, to which the consumer may have been connected."""
    return not model.has_crashed and not model.done["controller"]


def _may_subscribe(model: Layouts, segment: str) -> bool:
    return _is_plain(model, segment) and not model.done[_NAME] and not model.segments[segment].is_sealed and _is_connected(model)


def _has_subscribed(model: Layouts, segment: str, *_: str) -> bool:
    """What it has received is what was there then: the connection is the first one, and nothing was written since."""
    return _is_plain(model, segment) and _place(model) == segment and _is_connected(model) and not model.done["left"]


def _may_subscribe_too(model: Layouts, segment: str) -> bool:
    has_received_all = not model.done[f"written to {segment}"]
    return _has_subscribed(model, segment) and not model.done[_OTHER] and has_received_all and bool(_left(model, segment))


def _may_acknowledge(model: Layouts, segment: str, _: str) -> bool:
    is_received = not model.done[f"written to {segment}"] and not model.done["asked again"]
    return _has_subscribed(model, segment) and is_received and bool(_left(model, segment))


def _may_ask_again(model: Layouts, segment: str) -> bool:
    return _may_acknowledge(model, segment, "first") and not model.done[_OTHER]


def _may_look_at_left(model: Layouts, segment: str) -> bool:
    return _has_subscribed(model, segment) and not model.done[_OTHER]


def _may_look_at_child(model: Layouts, segment: str) -> bool:
    is_on = _NAME in model.subscriptions and segment in model.subscriptions[_NAME].consumed and _place(model) != segment
    return is_on and _is_plain(model, segment) and not model.done["controller"] and not model.done[f"{_NAME} in {segment}"]


def acts() -> Iterator[Act[Layouts]]:
    """All acts of consumers of one segment."""
    for segment in _PLACES:
        yield Act(f"pickers subscribe to {segment}", _may_subscribe, _subscribe, (segment,))
        yield Act(f"another clerk subscribes to {segment}", _may_subscribe_too, _subscribe_too, (segment,))
        for which in ("first", "last"):
            yield Act(f"pickers acknowledge the {which} of {segment}", _may_acknowledge, _acknowledge, (segment, which))
        yield Act(f"pickers ask for the first of {segment} again", _may_ask_again, _ask_again, (segment,))
        yield Act(f"what pickers learn of the end of {segment}", _has_subscribed, _look_at_end, (segment,))
        yield Act(f"a look at what pickers have left in {segment}", _may_look_at_left, _look_at_left, (segment,))
    for segment in SEGMENTS:
        if segment not in FIRST:
            yield Act(f"a look at what pickers have in {segment}", _may_look_at_child, _look_at_child, (segment,))
