"""Acts of PIP-471 about the metadata store: looks at its records, writes and events that fail, crashes at named points, the retention."""

from collections.abc import Iterator
from typing import Any

from fencepost.steps.pulsar.vocabulary import shown

from .act import Act, ActLine, always, given, then, when
from .pip31_acknowledging import is_there
from .pip31_ending import END, ENDS, PAST, end, is_open
from .pip31_model import BATCH, FREE, AcknowledgedMessage
from .pip31_writing import begun, may_write, takes_part
from .pip471_adapting import retelling
from .pip471_model import Pip471, is_of, stored

_WRITERS, _TOPICS = ("A", "B"), ("orders", "payments")
_FAILURES = ("and does not write it", "and has written it")
EVENTS = ("lost", "late", "delivered twice")
"""What can become of the event of an end."""
_TROUBLES = {
    "the next change of a header meets another version": ("PIP471-36", None),
    **{f"the store does not answer the next change of a header, {how}": ("PIP471-05", None) for how in _FAILURES},
    **{f"the store does not answer the next write of an operation record, {how}": ("PIP471-36", "operations") for how in _FAILURES},
    **{f"the store does not answer the next note of an abort, {how}": ("PIP471-33", "aborts") for how in _FAILURES},
    **{f"the store does not answer the next event of an end, {how}": ("PIP471-62", "operations") for how in _FAILURES},
    **{f"the next event of an end is {how}": ("PIP471-62", "operations") for how in EVENTS},
}
"""By the fault of the next end, the requirement that is violated where the fault shows, and what the transaction needs for it to occur."""
_UNDECIDED = "before-header-cas"
_POINTS = {
    _UNDECIDED: "PIP471-47",
    "after-header-cas": "PIP471-33",
    "after-event": "PIP471-33",
    "after-cursor-apply": "PIP471-33",
    "before-op-delete": "PIP471-36",
}
_PUBLISHING = ("after-op-record", "after-append")
_STORE, _INDEXES, _FAULTS = frozenset({"metadata-store"}), frozenset({"metadata-indexes"}), frozenset({"store-faults"})
_RETENTION, _CRASHES = frozenset({"short-retention"}), frozenset({"crash-points"})
_STALE = "the next look at a header sees it as it was before its last change"
_MOST_RETENTIONS = 2
_ONE_CUMULATIVE = "heirs"
"""A subscription to which each transaction sends one cumulative acknowledgement at most."""


def _end_in_trouble(model: Pip471, name: str, how: str, trouble: str) -> list[ActLine]:
    one, why = model.transactions[name], _TROUBLES[trouble][0]
    lines = [given(trouble, why), *(line._replace(requirement=why) for line in end(model, name, how))]
    for topic in one.topics:
        model.topics[topic].whys.append(why)
    for where in one.subscriptions:
        model.subscriptions[where].is_exact = False
        model.subscriptions[where].whys.append(why)
    one.is_late = True
    model.done["store failed"] += trouble.startswith("the store does not answer")  # so that time passes before the end is tried again
    return [*lines, then(f"the store soon has no operation records of {name}", why)]


def _write_in_trouble(model: Pip471, name: str, topic: str, how: str) -> list[ActLine]:
    lines = begun(model, name)
    takes_part(model, name, topic)
    model.topics[topic].whys.append("PIP471-13")
    said = f'"{model.new_value("refused")}" to {topic}'
    fails = given(f"the store does not answer the next write of an operation record, {how}", "PIP471-13")
    asked = when(f"{name} writes {said}", "PIP471-13", f"{name} has tried to write {said}")
    return [*lines, fails, asked, then("it is refused", "PIP471-13")]


def _acknowledge_in_trouble(model: Pip471, name: str, where: str, value: str, how: str) -> list[ActLine]:
    lines, one = begun(model, name), model.subscriptions[where]
    one.is_used = True
    one.whys.append("PIP471-30")
    one.is_exact = False
    model.transactions[name].subscriptions.add(where)
    fails = given(f"the store does not answer the next write of an operation record, {how}", "PIP471-30")
    return [*lines, fails, given(f'{name} was refused the acknowledgement of "{value}" for "{where}"', "PIP471-30")]


def _end_otherwise_in_between(model: Pip471, name: str, topic: str) -> list[ActLine]:
    one = model.transactions[name]
    how, why = END["aborts" if one.committed else "commits"], "PIP471-02"
    model.topics[topic].whys.append(why)
    model.done[_STALE] += 1
    one.is_answer_lost = True
    return [given(_STALE, why), given(f"{name} has tried to {how}", why)]


def _write_in_between(model: Pip471, name: str, topic: str) -> list[ActLine]:
    model.topics[topic].whys.append("PIP471-17")
    model.done[_STALE] += 1
    tried = f'{name} has tried to write "{model.new_value("late")}" to {topic}'
    return [given(_STALE, "PIP471-17"), given(tried, "PIP471-17")]


def _acknowledge_in_between(model: Pip471, name: str, where: str, value: str) -> list[ActLine]:
    one = model.subscriptions[where]
    one.is_exact = False
    one.whys.append("PIP471-29")
    model.done[_STALE] += 1
    return [given(_STALE, "PIP471-29"), given(f'{name} has tried to acknowledge "{value}" for "{where}"', "PIP471-29")]


def _crash_in_end(model: Pip471, name: str, how: str, point: str) -> list[ActLine]:
    one, why = model.transactions[name], _POINTS[point]
    is_decided = point != _UNDECIDED
    if is_decided:
        model.decide(name, how == "commits")
    one.is_answer_lost = True
    model.go_down()
    for topic in one.topics:
        model.topics[topic].whys.append(why)
    said = (f"the system will crash {point}", f"{name} has tried to {END[how]}", "the system has restarted")
    lines = [given(line, why) for line in said]
    return lines if is_decided else [*lines, *end(model, name, how)]


def _crash_in_write(model: Pip471, name: str, topic: str, point: str) -> list[ActLine]:
    lines, value, why = begun(model, name), model.new_value(name), "PIP471-34"
    takes_part(model, name, topic)
    model.go_down()
    model.topics[topic].whys.append(why)
    said = (f"the system will crash {point}", f'{name} has tried to write "{value}" to {topic}', "the system has restarted")
    lines += [given(line, why) for line in said]
    if not model.topics[topic].has_more_behind and model.topics[topic].is_in_order:
        lines += [then(f"readers of {topic} see {shown(model.topics[topic].values())}", why)]
        model.topics[topic].has_sentinels = True
    return [*lines, *end(model, name, "aborts")]


def retention_passes(model: Pip471) -> None:
    """What ended is collected, and readers see it as before."""
    model.done["retentions"] += 1
    model.collect()
    for topic in model.topics.values():
        topic.whys += _why_collected(topic.entries)


def _pass(model: Pip471, name: str) -> list[ActLine]:
    retention_passes(model)
    return [given(f"the retention of {name} has passed", "PIP471-38")]


def _crash_in_collection(model: Pip471, name: str, how: str) -> list[ActLine]:
    lines = [*end(model, name, how), given("the system will crash during-collection", "PIP471-39"), *_pass(model, name)]
    model.go_down()
    return [*lines, given("the system has restarted", "PIP471-39")]


def _why_collected(entries: list[AcknowledgedMessage]) -> list[str]:
    ended = [entry.transaction for entry in entries if entry.transaction is not None and not entry.transaction.is_open]
    if not ended:
        return []
    return ["PIP471-27" if all(one.committed for one in ended) else "PIP471-26"]


def _end_collected(model: Pip471, name: str) -> list[ActLine]:
    how = "commits" if model.transactions[name].committed else "aborts"
    return [when(f"{name} {how}", "PIP471-38", f"{name} has tried to {END[how]}"), then("it is refused", "PIP471-38")]


_look_at_header = always(then("the store has an open header with the deadline of {0}", "PIP471-01"))
_look_at_partition = always(then("the store has one partition key for all records of {0}", "PIP471-12"))


def _look_at_deadlines(model: Pip471, name: str) -> list[ActLine]:
    is_found = "is" if model.transactions[name].is_open else "is not"
    return [then(f"{name} {is_found} found by its deadline", "PIP471-41")]


def _count_writes(model: Pip471, name: str, topic: str) -> list[ActLine]:
    count = stored([entry for entry in model.topics[topic].entries if is_of(entry, model.transactions[name])])
    return [then(f"the store has {count} writes to {topic} in {name}", "PIP471-07")]


def _look_at_acknowledgements(model: Pip471, name: str, where: str) -> list[ActLine]:
    one = model.subscriptions[where]
    if name in one.cumulative:
        said, why = f'everything up to "{one.received[one.cumulative[name]]}"', "PIP471-09"
    else:
        said, why = shown(one.holds(name)), "PIP471-08"
    return [then(f'the store has acknowledgements of {said} for "{where}" in {name}', why)]


_look_for_what_is_left = always(then("the store soon has no operation records of {0}", "PIP471-36"))
_look_for_what_is_collected = always(then("the store soon has no header of {0}", "PIP471-38"))
_look_for_index_entries = always(then("the store soon has no index entries of {0}", "PIP471-40"))


def _keep(model: Pip471, name: str, how: str) -> list[ActLine]:
    lines = end(model, name, how)
    model.done["retentions"] += 1
    model.collect()
    kept = then(f"the store keeps the header of {name} for the retention", "PIP471-37")
    return [line for line in lines if line.text not in (f"{name} is {PAST[how].upper()}",)] + [kept]


def _may_end_in_trouble(model: Pip471, name: str, _: str, trouble: str) -> bool:
    """Where the fault affects this end and not a later request."""
    if not is_open(model, name) or not model.is_loaded(name):
        return False
    needed = _TROUBLES[trouble][1]
    if needed == "aborts":
        return bool(model.entries_of(name))
    return needed is None or model.has_operations(name)


def _may_crash_in_end(model: Pip471, name: str, _: str, point: str) -> bool:
    """Where it reaches that point."""
    if not is_open(model, name) or not model.is_loaded(name):
        return False
    if point == "after-cursor-apply":
        return any(one.holds(name) for one in model.subscriptions.values() if not one.is_removed)
    return point.endswith("-header-cas") or bool(model.entries_of(name))


def _may_be_collected(model: Pip471, name: str, _: str) -> bool:
    """Where this transaction and no other is collected."""
    return is_open(model, name) and model.is_loaded(name) and not any(not one.is_open for one in model.transactions.values())


def _may_write_in_trouble(model: Pip471, name: str, topic: str, _: str) -> bool:
    is_quiet = not any(not one.is_open for one in model.transactions.values())
    return may_write(model, name, topic) and model.loaded_at == 0 and is_quiet


def _may_acknowledge_in_trouble(model: Pip471, name: str, where: str, value: str, _: str) -> bool:
    one = model.subscriptions[where]
    is_quiet = not any(not other.is_open for other in model.transactions.values())
    return (
        model.is_open(name)
        and is_there(model, where)
        and name not in one.banned
        and is_quiet
        and model.loaded_at == 0
        and one.states[value] == FREE
    )


def _is_over(model: Pip471, name: str, *_: str) -> bool:
    return model.is_over(name) and name not in model.collected


def _may_be_stale(model: Pip471, name: str) -> bool:
    """Where the next look at a header is that of the following request, and there was no such look before."""
    return _is_over(model, name) and not model.transactions[name].timed_out and not model.loaded_at and not model.done[_STALE]


def _may_end_in_between(model: Pip471, name: str, topic: str) -> bool:
    return _may_be_stale(model, name) and topic in model.transactions[name].topics


def _may_write_in_between(model: Pip471, name: str, topic: str) -> bool:
    one = model.transactions.get(name)
    is_aborted = one is not None and _may_be_stale(model, name) and one.committed is False
    return is_aborted and one is not None and topic in one.topics and model.topics[topic].is_plain_to_read


def _may_acknowledge_in_between(model: Pip471, name: str, subscription: str, value: str) -> bool:
    one, where = model.transactions.get(name), model.subscriptions[subscription]
    is_aborted = one is not None and _may_be_stale(model, name) and one.committed is False
    return (
        is_aborted
        and one is not None
        and is_there(model, subscription)
        and subscription in one.subscriptions
        and where.states[value] == FREE
        and model.is_loaded(name)
    )


def _may_pass(model: Pip471, name: str, *_: str) -> bool:
    return _is_over(model, name) and model.done["retentions"] < _MOST_RETENTIONS


def _is_collected(model: Pip471, name: str) -> bool:
    return name in model.collected and not model.transactions[name].is_open and model.is_loaded(name)


def _has_written(model: Pip471, name: str, topic: str) -> bool:
    """A message that was not announced may be stored too, or not."""
    if model.topics[topic].strays_at:
        return False
    return is_open(model, name) and any(is_of(entry, model.transactions[name]) for entry in model.topics[topic].entries)


def _has_acknowledged(model: Pip471, name: str, where: str) -> bool:
    """Individually or cumulatively, and no two messages of one entry."""
    one = model.subscriptions[where]
    held = one.holds(name)
    is_plain = not any(value in BATCH for value in held) and not one.is_removed
    is_plain = is_plain and (where == _ONE_CUMULATIVE or name not in one.cumulative)
    return is_open(model, name) and bool(held) and is_plain and name not in one.banned and not one.whys


def _may_have_nothing_left(model: Pip471, name: str) -> bool:
    return _is_over(model, name) and model.is_loaded(name)


def _may_keep(model: Pip471, name: str, _: str) -> bool:
    return is_open(model, name) and model.done["retentions"] < _MOST_RETENTIONS


_ENDS_IN_TROUBLE = retelling(_end_in_trouble)
_CRASHES_IN_END = retelling(_crash_in_end)
_CRASHES_IN_WRITE = retelling(_crash_in_write)
_KEEPS = retelling(_keep)
_COLLECTED = retelling(_crash_in_collection)
_REFUSED = retelling(_write_in_trouble)
_REFUSED_INPUT = retelling(_acknowledge_in_trouble)


def _of(x: str) -> Iterator[Act[Any]]:
    """The acts of one transaction on the store."""
    for how in ENDS:
        for trouble in (one for one, (_, needed) in _TROUBLES.items() if needed in (None, "operations", how)):
            yield Act(f"{x} {how}, and {trouble}", _may_end_in_trouble, _ENDS_IN_TROUBLE, (x, how, trouble), _FAULTS | _STORE)
        for point in _POINTS:
            yield Act(f"{x} {how}, and a crash comes {point}", _may_crash_in_end, _CRASHES_IN_END, (x, how, point), _CRASHES)
        said = f"{x} {how}, and a crash comes during its collection"
        yield Act(said, _may_be_collected, _COLLECTED, (x, how), _RETENTION | _CRASHES)
        yield Act(f"{x} {how}, and its header is kept", _may_keep, _KEEPS, (x, how), _STORE | _RETENTION)
    for how in _FAILURES:
        first = _TOPICS[0]
        yield Act(f"{x} writes to {first}, which the store refuses {how}", _may_write_in_trouble, _REFUSED, (x, first, how), _FAULTS)
        said = f"{x} acknowledges i2, which the store refuses {how}"
        yield Act(said, _may_acknowledge_in_trouble, _REFUSED_INPUT, (x, "workers", "i2", how), _FAULTS)
    for topic in _TOPICS:
        yield Act(f"{x} is ended otherwise in {topic} in between", _may_end_in_between, _end_otherwise_in_between, (x, topic), _FAULTS)
        yield Act(f"{x} writes to {topic} in between", _may_write_in_between, _write_in_between, (x, topic), _FAULTS)
        for point in _PUBLISHING:
            said = f"{x} writes to {topic}, and a crash comes {point}"
            yield Act(said, may_write, _CRASHES_IN_WRITE, (x, topic, point), _CRASHES)
    said = f"{x} acknowledges i1 in between"
    yield Act(said, _may_acknowledge_in_between, _acknowledge_in_between, (x, "workers", "i1"), _FAULTS)
    yield Act(f"the retention of {x}", _may_pass, _pass, (x,), _RETENTION)
    yield Act(f"{x} ends after its retention", _is_collected, _end_collected, (x,), _RETENTION)


def _looks_at(x: str) -> Iterator[Act[Any]]:
    """The store's records of a transaction."""
    for topic in _TOPICS:
        yield Act(f"the writes of {x} to {topic}", _has_written, _count_writes, (x, topic), _STORE)
    for where in ("workers", "auditors", _ONE_CUMULATIVE):
        yield Act(f"the acknowledgements of {x} for {where}", _has_acknowledged, _look_at_acknowledgements, (x, where), _STORE)
    yield Act(f"the header of {x}", is_open, _look_at_header, (x,), _STORE)
    yield Act(f"the partition of {x}", is_open, _look_at_partition, (x,), _INDEXES)
    yield Act(f"the deadline of {x}", lambda model, name: name in model.transactions, _look_at_deadlines, (x,), _INDEXES)
    yield Act(f"what is left of {x}", _may_have_nothing_left, _look_for_what_is_left, (x,), _STORE)
    yield Act(f"{x} is collected", _is_collected, _look_for_what_is_collected, (x,), _RETENTION | _STORE)
    yield Act(f"no index has {x}", _is_collected, _look_for_index_entries, (x,), _RETENTION | _INDEXES)


def acts() -> Iterator[Act[Any]]:
    """All acts about the store."""
    for x in _WRITERS:
        yield from _of(x)
        yield from _looks_at(x)
