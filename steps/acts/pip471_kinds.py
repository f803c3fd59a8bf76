"""Acts of PIP-471 that are complete in themselves: both kinds of transactions, unannounced requests, many messages, another broker."""

from collections.abc import Iterator
from typing import Any

from .act import Act, ActLine, always, given, then, when
from .pip31_ending import END, ENDS, PAST, end, is_open, settled
from .pip31_writing import begun, may_write, new_value, takes_part
from .pip471_adapting import retelling
from .pip471_model import Pip471

_WRITERS, _TOPIC, _MANY = ("A", "B"), "orders", 20
_CLASSIC, _BOTH, _MISPLACED, _ADDED = "PIP471-56", "ledger", "PIP471-57", "PIP471-45"
_ONCE = "kinds"


def _write_unannounced(model: Pip471, name: str, topic: str) -> list[ActLine]:
    lines, value, why = begun(model, name), new_value(model, name, topic), "PIP471-46"
    model.topics[topic].whys.append(why)
    model.write(topic, [value], takes_part(model, name, topic))
    return [*lines, given(f'{name} has tried to write "{value}" to {topic}, which it has not added', why)]


_add_late = always(when("{0} adds {1}", _ADDED), then("it is done, or refused with InvalidTxnStatus", _ADDED))


def _end_before_another(model: Pip471, name: str, how: str) -> list[ActLine]:
    why = "PIP471-22"
    model.decide(name, how == "commits")
    return [
        when(f"{name} {how}, and a later transaction behind it", why),
        then("it is done", why),
        *(line._replace(requirement=why) for line in settled(model, name)),
    ]


def _classic(model: Pip471, how: str) -> list[ActLine]:
    model.done[_ONCE] += 1
    seen = '"k1"' if how == "commits" else "nothing"
    return [
        given(f'the classic topic "{_BOTH}"', _CLASSIC),
        given("classic transaction K", _CLASSIC),
        given(f'K has written "k1" to {_BOTH}', _CLASSIC),
        given(f"K has {PAST[how]}", _CLASSIC),
        then(f"readers of {_BOTH} see {seen}", _CLASSIC),
    ]


def _classic_with_the_same_number(model: Pip471, name: str, how: str, added: str) -> list[ActLine]:
    model.done[_ONCE] += 1
    lines = [*begun(model, name), given(f"{name} and K are transactions with the same number, the second one classic", _CLASSIC)]
    if added in model.topics:
        value = new_value(model, name, added)
        model.write(added, [value], takes_part(model, name, added))
        model.topics[added].whys.append(_CLASSIC)
        lines.append(given(f'{name} has written "{value}" to {added}', _CLASSIC))
        said = added
    else:
        one, said = model.subscriptions[added], f'"{added}"'
        one.is_used = True
        one.hold(name, ["i1"])
        one.whys.append(_CLASSIC)
        model.transactions[name].subscriptions.add(added)
        lines.append(given(f'{name} has acknowledged "i1" for {said}', _CLASSIC))
    return [*lines, given(f"K has added {said}", _CLASSIC), given(f"K has {PAST[how]}", _CLASSIC)]


def _write_to_the_other_kind(model: Pip471, name: str) -> list[ActLine]:
    model.done[_ONCE] += 1
    lines = begun(model, name)
    return [
        *lines,
        given(f'the classic topic "{_BOTH}"', _MISPLACED),
        given(f'{name} has tried to write "m1" to {_BOTH}, which it has not added', _MISPLACED),
        *end(model, name, "commits"),
        given(f'"m2" has been written to {_BOTH}', _MISPLACED),
        then(f'readers of {_BOTH} get as far as "m2"', _MISPLACED),
    ]


def messages_in_flight(name: str, count: int, topic: str) -> str:
    """That a transaction has sent so many messages to a topic, whose receipts are not awaited."""
    return f"{name} has {count} messages in flight to {topic}"


def _write_many(model: Pip471, name: str, topic: str) -> list[ActLine]:
    model.begin(name)
    model.done[topic] += 1
    lines = [
        given(f'the topic "{topic}"', "PIP471-10"),
        given(f"transaction {name}", "PIP471-10"),
        given(messages_in_flight(name, _MANY, topic), "PIP471-10"),
    ]
    model.decide(name, committed=True)
    asked = when(f"{name} {ENDS[0]}", "PIP471-10", f"{name} has been asked to {END[ENDS[0]]}")
    return [*lines, asked, then(f"readers of {topic} see exactly what of {name} was receipted", "PIP471-17")]


def _move(model: Pip471) -> list[ActLine]:
    model.go_down()
    return [given("the first coordinator has moved to another broker, since its own had crashed", "PIP471-47")]


def _count_entries(model: Pip471, name: str, how: str) -> list[ActLine]:
    """Both ends between two messages: they add no entry."""
    model.done["entries"] += 1
    model.begin(name)
    topic, why = "numbered", "PIP471-14"
    model.decide(name, how == "commits")
    said = (
        f'the topic "{topic}"',
        f"transaction {name}",
        f'"n1" has been written to {topic}',
        f'{name} has written "n2" to {topic}',
        f"{name} has {PAST[how]}",
        f'"n3" has been written to {topic}',
    )
    return [*(given(line, why) for line in said), then(f'"n3" stands 2 entries behind "n1" in {topic}', why)]


def _may_be_classic(model: Pip471, *_: str) -> bool:
    return not model.done[_ONCE]


def _may_have_the_same_number(model: Pip471, name: str, _: str, added: str) -> bool:
    if model.done[_ONCE] or name in model.transactions:
        return False
    if added in model.topics:
        return may_write(model, name, added)
    one = model.subscriptions[added]
    return not one.is_removed and one.states["i1"] == "free" and "i1" not in one.banned and not one.cumulative


def _may_misplace(model: Pip471, name: str) -> bool:
    return not model.done[_ONCE] and model.is_open(name) and name not in model.collected


def _may_add_late(model: Pip471, name: str, _: str) -> bool:
    """Before a wait after which its header may be collected."""
    return model.is_over(name) and name not in model.collected and not model.has_waited


_WRITES = retelling(_write_unannounced)
_ENDS = retelling(_end_before_another)
_ALIKE = retelling(_classic_with_the_same_number)
_MISPLACES = retelling(_write_to_the_other_kind)


def acts() -> Iterator[Act[Any]]:
    """All acts that are complete in themselves."""
    for x in _WRITERS:
        yield Act(f"{x} writes to {_TOPIC} unannounced", may_write, _WRITES, (x, _TOPIC))
        yield Act(
            f"{x} adds {_TOPIC} late",
            _may_add_late,
            _add_late,
            (x, _TOPIC),
        )
        for how in ENDS:
            yield Act(f"{x} {how} before another", is_open, _ENDS, (x, how))
    for how in ENDS:
        yield Act(f"a classic transaction {how}", _may_be_classic, _classic, (how,))
        for added in (_TOPIC, "workers"):
            said = f"a classic transaction {how} that has the number of A and adds {added}"
            yield Act(said, _may_have_the_same_number, _ALIKE, ("A", how, added))
        yield Act(
            f"one message {how} between two",
            lambda model, *_: not model.done["entries"],
            _count_entries,
            ("N", how),
        )
    yield Act("A writes to a classic topic", _may_misplace, _MISPLACES, ("A",))
    yield Act("many messages are under way", lambda model, _, topic: not model.done[topic], _write_many, ("Z", "bulk"), races=True)
    yield Act(
        "the first coordinator moves to another broker",
        lambda model: bool(model.transactions),
        _move,
        (),
        frozenset({"more-brokers", "crash"}),
    )
