"""Acts of PIP-31 that write: messages inside and outside of transactions, batches, producers with names, late or unannounced messages."""

from collections.abc import Iterator, Sequence

from fencepost.steps.pulsar.vocabulary import shown

from .act import Act, ActLine, always, given, then, when
from .pip31_model import Pip31, Pip31Producer, Pip31Transaction, narrowest

TRANSACTIONS, OTHER = ("A", "B", "C"), "D"
"""Transactions of one coordinator, and of another one."""
TOPICS, DEDUPLICATED, KEYED = ("orders", "payments", "states"), "payments", "states"
UNKNOWN = "U"
BUSY = "PIP31-148"
"""The requirement that is violated where a client is refused what it may do, and nothing narrower is known."""
_PRODUCERS, _MANY = {"P": TOPICS[:2], "Q": TOPICS[1:2]}, 9


def begun(model: Pip31, name: str) -> list[ActLine]:
    """The line that begins a new transaction."""
    if name in model.transactions:
        return []
    model.begin(name)
    said = f"transaction {name}"
    if name == OTHER:
        said = f"{name} is a transaction of the second coordinator, whose number the first one has passed"
    return [given(said, BUSY)]


def needs_of(name: str, *more: str) -> frozenset[str]:
    """What a system must offer so that a transaction can be used."""
    return frozenset({*more, "more-coordinators"} if name == OTHER else more)


def why_on(model: Pip31, topic: str, name: str | None = None) -> str:
    """The requirement that is violated where a client may not write to a topic, or its readers see something unexpected."""
    if whys := model.topics[topic].whys:
        return narrowest(whys)
    if name in model.transactions and model.has_crashed_in(name):
        return "PIP31-32"
    return BUSY


def takes_part(model: Pip31, name: str, topic: str) -> Pip31Transaction:
    """A transaction to which the topic was added."""
    model.transactions[name].topics.add(topic)
    return model.transactions[name]


def new_value(model: Pip31, name: str, topic: str) -> str:
    """A value that was not written yet; where it has a key, one of two."""
    return model.new_value("x" if topic == KEYED else name)


def _write(model: Pip31, name: str, topic: str) -> list[ActLine]:
    lines, value, why = begun(model, name), new_value(model, name, topic), why_on(model, topic, name)
    model.write(topic, [value], takes_part(model, name, topic))
    asked = when(f'{name} writes "{value}" to {topic}', why, f'{name} has written "{value}" to {topic}')
    return [*lines, asked, then("it is done", why)]


def _write_batch(model: Pip31, name: str, topic: str) -> list[ActLine]:
    lines, why = begun(model, name), why_on(model, topic, name)
    values = [new_value(model, name, topic), new_value(model, name, topic)]
    model.write(topic, values, takes_part(model, name, topic), in_batch=True)
    said = f"a batch of {shown(values)} to {topic}"
    return [*lines, when(f"{name} writes {said}", why, f"{name} has written {said}"), then("it is done", why)]


def _write_many(model: Pip31, name: str, topic: str) -> list[ActLine]:
    lines, values = begun(model, name), [new_value(model, name, topic) for _ in range(_MANY)]
    why = why_on(model, topic, name)
    model.write(topic, values, takes_part(model, name, topic))
    return [*lines, given(f"{name} has written {shown(values)} to {topic} in one go", why)]


def _write_both_keys(model: Pip31, name: str, topic: str) -> list[ActLine]:
    lines, values = begun(model, name), [model.new_value("x"), model.new_value("y")]
    why = why_on(model, topic, name)
    model.write(topic, values, takes_part(model, name, topic))
    return [*lines, given(f"{name} has written {shown(values)} to {topic}", why)]


def _write_plain(model: Pip31, topic: str) -> list[ActLine]:
    value, why = new_value(model, "plain", topic), why_on(model, topic)
    model.write(topic, [value])
    return [given(f'"{value}" has been written to {topic}', why)]


def _write_plain_batch(model: Pip31, topic: str) -> list[ActLine]:
    values, why = [new_value(model, "plain", topic) for _ in range(2)], why_on(model, topic)
    model.write(topic, values, in_batch=True)
    return [given(f"a batch of {shown(values)} has been written to {topic}", why)]


def _write_late(model: Pip31, name: str, topic: str) -> list[ActLine]:
    model.topics[topic].whys.append("PIP31-50")
    said = f'{name} writes "{model.new_value("late")}" to {topic}'
    tried = said.replace(" writes ", " has tried to write ")
    return [when(said, "PIP31-49", tried), then("it is refused", "PIP31-49")]


def _write_stray(model: Pip31, name: str, topic: str) -> list[ActLine]:
    lines = begun(model, name)
    model.topics[topic].strays_at = model.tick()
    model.topics[topic].whys.append("PIP31-51")
    value = model.new_value("stray")
    return [*lines, given(f'{name} has tried to write "{value}" to {topic}, which it has not added', "PIP31-51")]


def unknown(model: Pip31) -> list[ActLine]:
    """The line that names an unknown transaction."""
    if model.has_met_trouble:
        return []
    model.has_met_trouble = True
    return [given(f"{UNKNOWN} is an unknown transaction", BUSY)]


def _write_unknown(model: Pip31, topic: str) -> list[ActLine]:
    lines, value = unknown(model), model.new_value("stray")
    model.topics[topic].whys.append("PIP31-110")
    return [*lines, given(f'{UNKNOWN} has tried to write "{value}" to {topic}, which it has not added', "PIP31-110")]


def _send(model: Pip31, producer: str, topic: str, name: str, how: str) -> list[ActLine]:
    lines, count = begun(model, name), 2 if how == "a batch" else 1
    values = tuple(model.new_value(producer) for _ in range(count))
    before, is_repeated = model.producers.get(producer), how == "the same sequence id"
    if is_repeated:
        model.topics[topic].whys.append("PIP31-90")
    model.write(topic, values, takes_part(model, name, topic), in_batch=count > 1)
    had = is_repeated or (before is not None and before.has_repeated)
    used_in = {name} | (before.used_in if is_repeated and before else set())
    model.producers[producer] = Pip31Producer(topic, name, values, used_in, has_repeated=had)
    others = {one.topic for other, one in model.producers.items() if other != producer}
    why = "PIP31-90" if is_repeated else "PIP31-155" if topic in others else why_on(model, topic, name)
    said = f"producer {producer} has written {_plain(values)} to {topic} in {name}"
    return [*lines, given(said + (", with the same sequence id" if is_repeated else ""), why)]


def _plain(values: Sequence[str]) -> str:
    return f"a batch of {shown(values)}" if len(values) > 1 else shown(values)


def _send_again(model: Pip31, producer: str) -> list[ActLine]:
    one = model.producers[producer]
    one.is_connected = True
    model.topics[one.topic].whys.append("PIP31-48")
    said = f"producer {producer} sends {_plain(one.values)} again on a new connection"
    return [when(said, "PIP31-48", said.replace(" sends ", " has sent ")), then("it is done", "PIP31-48")]


def _close(model: Pip31, producer: str) -> list[ActLine]:
    model.producers[producer].is_closed = True
    return [given(f"producer {producer} has closed", BUSY)]


def _come_back(model: Pip31, producer: str, how: str) -> list[ActLine]:
    one = model.producers[producer]
    one.is_closed, one.is_connected = False, True
    lines = [when(f"producer {producer} opens again{how}", "PIP31-143"), then("it is done", "PIP31-143")]
    if one.topic == DEDUPLICATED and not one.has_repeated:
        lines.append(then(f"producer {producer} is answered the last sequence id that it has used", "PIP31-144"))
    return lines


_second = always(when("producer {0} opens again while it is open", "PIP31-143"), then("it is refused with ProducerBusy", "PIP31-143"))


def may_write(model: Pip31, name: str, topic: str, *_: str) -> bool:
    """Whether a transaction may write there; where it has sent something unannounced, it does not add the topic any more."""
    one = model.topics[topic]
    return model.is_open(name) and not one.is_terminated and not one.strays_at and not one.is_contested


def may_write_plain(model: Pip31, topic: str) -> bool:
    """Whether any client may write there, with a known result."""
    return not model.topics[topic].is_terminated and not model.topics[topic].is_contested


def _may_write_late(model: Pip31, name: str, topic: str) -> bool:
    return model.is_over(name) and topic in model.transactions[name].topics and model.topics[topic].is_plain_to_read


def _may_stray(model: Pip31, name: str, topic: str) -> bool:
    one = model.topics[topic]
    is_alone = not one.has_open and one.is_plain_to_read and not any(topic in other.topics for other in model.transactions.values())
    return model.is_open(name) and is_alone and not any(producer.topic == topic for producer in model.producers.values())


def _may_send(model: Pip31, producer: str, topic: str, name: str, how: str) -> bool:
    one = model.producers.get(producer)
    if not may_write(model, name, topic) or (one is not None and one.topic != topic):
        return False
    if how != "the same sequence id":
        return one is None or one.is_closed
    return one is not None and name not in one.used_in and len(one.values) == 1 and not one.is_closed and one.is_connected


def _may_send_again(model: Pip31, producer: str) -> bool:
    one = model.producers.get(producer)
    if one is None or one.topic != DEDUPLICATED or one.is_closed or one.has_repeated:
        return False
    return model.transactions[one.transaction].is_open and not model.topics[one.topic].is_terminated


def _is_there(model: Pip31, producer: str, *_: str) -> bool:
    one = model.producers.get(producer)
    return one is not None and not one.is_closed and not model.topics[one.topic].is_terminated


def _may_come_back(model: Pip31, producer: str, how: str) -> bool:
    """On a new connection if it is open, and on the same one if it has closed."""
    one = model.producers.get(producer)
    return one is not None and one.is_closed is not bool(how) and one.is_connected and not model.topics[one.topic].is_terminated


def acts() -> Iterator[Act[Pip31]]:
    """All acts that write."""
    for x in (*TRANSACTIONS, OTHER):
        needs = needs_of(x)
        yield Act(f"{x} begins", lambda model, name: name not in model.transactions, begun, (x,), needs)
        for topic in TOPICS if x in TRANSACTIONS[:2] else TOPICS[:1]:
            yield Act(f"{x} writes to {topic}", may_write, _write, (x, topic), needs)
    for x in TRANSACTIONS[:2]:
        yield Act(f"{x} writes to both keys of {KEYED}", may_write, _write_both_keys, (x, KEYED))
        for topic in TOPICS[:2]:
            yield Act(f"{x} writes to {topic} late", _may_write_late, _write_late, (x, topic))
        yield Act(f"{x} writes a batch to {TOPICS[0]}", may_write, _write_batch, (x, TOPICS[0]))
        yield Act(f"{x} writes many to {TOPICS[0]}", may_write, _write_many, (x, TOPICS[0]))
        yield Act(f"{x} writes to {TOPICS[1]} unannounced", _may_stray, _write_stray, (x, TOPICS[1]))
    for topic in TOPICS:
        yield Act(f"a plain write to {topic}", may_write_plain, _write_plain, (topic,))
    yield Act(f"a plain batch to {TOPICS[0]}", may_write_plain, _write_plain_batch, (TOPICS[0],))
    yield Act(f"an unknown transaction writes to {TOPICS[0]}", may_write_plain, _write_unknown, (TOPICS[0],))
    for producer, topics in _PRODUCERS.items():
        for x in TRANSACTIONS[:2]:
            for topic in topics:
                for how in ("one", "a batch", *(("the same sequence id",) if (producer, topic) == ("P", DEDUPLICATED) else ())):
                    yield Act(f"{producer} sends {how} to {topic} in {x}", _may_send, _send, (producer, topic, x, how))
        yield Act(f"{producer} sends its last again", _may_send_again, _send_again, (producer,))
        yield Act(f"{producer} closes", _is_there, _close, (producer,))
        for how in ("", " on a new connection"):
            yield Act(f"{producer} comes back{how}", _may_come_back, _come_back, (producer, how))
        yield Act(
            f"a second {producer} opens",
            lambda model, name: _is_there(model, name) and model.producers[name].is_connected,
            _second,
            (producer,),
        )
