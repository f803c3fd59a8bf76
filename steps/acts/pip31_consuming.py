"""Acts of PIP-31 about consumers: they join, leave, seek back, and ask for redelivery."""

from collections.abc import Iterator

from fencepost.steps.pulsar.vocabulary import shown

from .act import Act, ActLine, given, then, when
from .pip31_acknowledging import LATE, NAMESAKE, is_there, used
from .pip31_model import FREE, GONE, INPUTS, KINDS, TAKEN, Pip31, Pip31Subscription, narrowest, rare
from .pip31_writing import BUSY, KEYED, TOPICS, begun, new_value, takes_part, why_on

READER = "tail"
_BEFORE = {"followers": "F", "payers": "G"}
"""The consumers before which a transaction is committed in the topic; the others may join an empty topic."""
_LOOKED, _PERMITS = "input looked at", 2
MOST_LOOKS = 3


def why_for(model: Pip31, one: Pip31Subscription) -> str:
    """The requirement that is violated where a consumer receives something unexpected, as far as earlier acts determine it."""
    if one.cumulative:
        return "PIP31-60" if model.crashed_at else "PIP31-54"
    whys = [*one.whys, *(model.topics[one.topic].whys if one.topic in model.topics else ())]
    if whys:
        return narrowest(whys)
    if model.crashed_at and any(state in model.transactions for state in one.states.values()):
        return "PIP31-60"
    if one.topic != INPUTS:
        return "PIP31-80"
    return "PIP31-54" if one.kind == "shared" else "PIP31-93"


def received(model: Pip31, one: Pip31Subscription, *, unasked: bool = False) -> list[ActLine]:
    """The line that judges what the consumer has received since the last look."""
    why, owed = why_for(model, one), shown(one.owed)
    said = f"{owed} and nothing else" if one.owed else "nothing"
    if one.owed and (unasked or one.is_reader) and one.is_exact:
        said = f"{owed} before any other write"
    if not one.is_exact:
        said = f"{owed} and perhaps others"
    lines = [then(f'the consumer of "{one.name}" receives {said}', why)] if one.is_exact or one.owed else []
    one.owed = []
    one.is_attached |= bool(lines)
    if lines and one.topic in model.topics:
        model.topics[one.topic].has_sentinels = True
    elif lines:
        model.done[_LOOKED] += 1
    return lines


def _join(model: Pip31, where: str, topic: str, kind: str, *_: str) -> list[ActLine]:
    lines = _committed_before(model, _BEFORE[where], topic) if where in _BEFORE else []
    if not model.topics[topic].is_used:  # who has read something is served in another way than who has not
        value = model.new_value("plain")
        model.write(topic, [value])
        lines = [given(f'"{value}" has been written to {topic}', BUSY)]
    values = model.topics[topic].values()
    batched = tuple(entry.value for entry in model.topics[topic].in_force if entry.is_in_batch)
    model.subscriptions[where] = Pip31Subscription(where, kind, topic, values, dict.fromkeys(values, FREE), batched)
    model.subscriptions[where].is_used = True
    by = f', by the name of "{NAMESAKE[where]}"' if where in NAMESAKE else ""
    said = f'the consumer of {kind} subscription "{where}" has received {shown(values)} from {topic}{by}'
    return [*lines, given(said, "PIP31-131" if by else why_on(model, topic))]


def _committed_before(model: Pip31, name: str, topic: str) -> list[ActLine]:
    """A transaction of two messages, which ends before a consumer joins."""
    values, why = [new_value(model, name, topic), new_value(model, name, topic)], why_on(model, topic)
    lines = [*begun(model, name), given(f"{name} has written {shown(values)} to {topic}", why)]
    model.write(topic, values, takes_part(model, name, topic))
    model.decide(name, committed=True)
    return [*lines, given(f"{name} has committed", why)]


def _follow(model: Pip31, where: str, topic: str) -> list[ActLine]:
    model.subscriptions[where] = Pip31Subscription(where, "exclusive", topic, is_reader=True, is_used=True)
    return [given(f'a reader "{where}" has begun behind all that is in {topic}', BUSY)]


def _take_over(model: Pip31, where: str) -> list[ActLine]:
    one = used(model, where)
    if one.is_removed:
        values = model.topics[one.topic].values() if one.topic in model.topics else one.received
        one.states, one.is_removed = dict.fromkeys(values, FREE), False
        one.cumulative.clear()
        one.whys.append("PIP31-96")
    one.begin_anew(is_new_consumer=True)
    one.is_attached = True
    return [given(f'another consumer has taken over "{where}"', why_for(model, one))]


def _take_over_and_look(model: Pip31, where: str) -> list[ActLine]:
    return [*_take_over(model, where), *received(model, model.subscriptions[where])]


def _take_over_with_few_permits(model: Pip31, where: str) -> list[ActLine]:
    taken = _take_over(model, where)[-1]
    said = f'another consumer takes over "{where}" with {_PERMITS} permits'
    return [taken._replace(kind="When", text=said), *received(model, model.subscriptions[where])]


def _redeliver_counted(model: Pip31, where: str, value: str) -> list[ActLine]:
    used(model, where).asked_again = True
    seen = then(f'the consumer of "{where}" receives "{value}" once more', "PIP31-135")
    return [when(f'the consumer of "{where}" asks for redelivery of "{value}"', "PIP31-135"), seen]


def _redeliver(model: Pip31, where: str) -> list[ActLine]:
    one = used(model, where)
    one.begin_anew(is_new_consumer=False)
    return [when(f'the consumer of "{where}" asks for redelivery', why_for(model, one)), *received(model, one)]


def _redeliver_one(model: Pip31, where: str, value: str) -> list[ActLine]:
    one = used(model, where)
    if one.states[value] == FREE:
        one.owed.append(value)
    one.asked_again = True
    if not one.whys and one.states[value] in model.transactions:
        one.whys.append("PIP31-62")
    return [when(f'the consumer of "{where}" asks for redelivery of "{value}"', why_for(model, one)), *received(model, one)]


def _look(model: Pip31, where: str) -> list[ActLine]:
    model.done["looks"] += 1
    return received(model, model.subscriptions[where], unasked=True)


def _go_back(model: Pip31, where: str, value: str) -> list[ActLine]:
    one = used(model, where)
    model.go_back(one)
    one.is_odd = True
    one.whys.append("PIP31-95")
    return [when(f'the consumer of "{where}" goes back to "{value}"', "PIP31-95"), *received(model, one)]


def _remove(model: Pip31, where: str) -> list[ActLine]:
    one = used(model, where)
    one.is_removed, one.is_odd, one.owed = True, True, []
    for name, transaction in model.transactions.items():
        if where in transaction.subscriptions:
            transaction.subscriptions.discard(where)
            one.banned.add(name)
    return [given(f'subscription "{where}" has been removed', "PIP31-96")]


def _second_comes_and_goes(model: Pip31, where: str) -> list[ActLine]:
    one, kind = used(model, where), KINDS[where]
    free = shown(one.free)
    one.is_exact, one.owed, one.asked_again = False, [], True
    return [
        given(f'the consumer of {kind} subscription "others" has received nothing from {INPUTS}, by the name of "{where}"', "PIP31-137"),
        given(f'the consumer of "{where}" has asked for redelivery', "PIP31-137"),
        *([then(f'"{where}" and "others" receive {free} between them', why_for(model, one))] if free != "nothing" else []),
        given('the consumer of "others" has left', BUSY),
    ]


def _two_active(model: Pip31, topic: str, does_one_leave: str) -> list[ActLine]:
    lines = _two(model, topic, "failover")
    seen = then(
        f'the active one of "ones" and "others" receives {shown(model.topics[topic].values())}, and the other one nothing', "PIP31-136"
    )
    leaves = when('the active one of "ones" and "others" leaves', "PIP31-136")
    return [*lines, *([leaves] if does_one_leave else []), seen]


def _two_of_one_key(model: Pip31, topic: str) -> list[ActLine]:
    lines = _two(model, topic, "key-shared")
    said = f'one of "ones" and "others" receives {shown(model.topics[topic].values())}, and the other one nothing'
    return [*lines, then(said, "PIP31-137")]


def _two(model: Pip31, topic: str, kind: str) -> list[ActLine]:
    """Two consumers of a new subscription, and a transaction that is committed after they have joined."""
    said = [f'the consumer of {kind} subscription "{name}" has received nothing from {topic}' for name in ("ones", "others")]
    joined = [given(said[0], BUSY), given(f'{said[1]}, by the name of "ones"', BUSY)]
    return [*joined, *_committed_before(model, "H", topic)]


def _try_to_join(model: Pip31, where: str, how: str) -> list[ActLine]:
    used(model, where)
    asked = when(f'another consumer tries to join "{where}"{how}', "PIP31-138")
    return [asked, then("it is refused" if how else "it is refused with ConsumerBusy", "PIP31-138")]


def _hear_the_last(model: Pip31, where: str) -> list[ActLine]:
    one = model.subscriptions[where]
    one.owed, one.is_exact = [], False
    values = model.topics[one.topic].values()
    return [
        then(
            f'the consumer of "{where}" learns that {shown(values[-1:])} is the last message',
            rare(model.topics[one.topic].whys, "PIP31-94"),
        )
    ]


def _may_join(model: Pip31, where: str, topic: str, *_: str) -> bool:
    """Where the messages that it receives, and their order, are known, so that the ids of messages can be used later. A reader begins
    behind what is decided, and a topic may not have heard yet of an end that is held up.
    """
    one = model.topics[topic]
    is_known = not one.has_open and one.is_plain_to_read and one.is_in_order and len(one.entries) < 9
    is_behind = where == READER and any(other.is_held_up and topic in other.topics for other in model.transactions.values())
    return where not in model.subscriptions and is_known and not is_behind


def _is_quiet(model: Pip31, where: str, *_: str) -> bool:
    """Whether none of its messages is in flight: no end is blocked in which it participates, and nothing is open on its topic."""
    one = model.subscriptions.get(where)
    if one is None or not is_there(model, where):
        return False
    held = any(other.is_held_up and where in other.subscriptions for other in model.transactions.values())
    return not held and (one.topic == INPUTS or not model.topics[one.topic].has_more_behind) and is_plain(model, one)


def is_plain(model: Pip31, one: Pip31Subscription) -> bool:
    """Whether the order of what its topic holds is known."""
    return one.topic == INPUTS or model.topics[one.topic].is_plain_to_read


def _may_be_two(model: Pip31, topic: str, *_: str) -> bool:
    return not model.topics[topic].is_used and not model.topics[topic].has_sentinels and "H" not in model.transactions


def _may_look(model: Pip31, where: str) -> bool:
    one = model.subscriptions.get(where)
    if one is None or one.is_removed or model.done["looks"] >= MOST_LOOKS or not is_plain(model, one):
        return False
    return (one.is_reader and one.is_exact and not model.topics[one.topic].has_more_behind) or _is_quiet(model, where)


def _may_redeliver_one(model: Pip31, where: str, value: str) -> bool:
    """A message that is not owed to it already, and that a transaction holds or none has taken."""
    one = model.subscriptions.get(where)
    return one is not None and _is_quiet(model, where) and value not in one.owed and one.states[value] not in (GONE, TAKEN) and one.is_exact


def _may_redeliver_counted(model: Pip31, where: str, value: str) -> bool:
    one = model.subscriptions[where]
    is_idle = one.is_exact and not one.owed and one.is_attached and not model.done[_LOOKED]
    return _is_quiet(model, where) and is_idle and one.states[value] == FREE


def _may_go_back(model: Pip31, where: str, *_: str) -> bool:
    one = model.subscriptions.get(where)
    return one is not None and _is_quiet(model, where) and not one.cumulative and one.is_clear and one.banned.isdisjoint(one.states)


def _may_remove(model: Pip31, where: str) -> bool:
    one = model.subscriptions.get(where)
    return one is not None and is_there(model, where) and _is_quiet(model, where)


def _may_come_and_go(model: Pip31, where: str) -> bool:
    one = model.subscriptions.get(where)
    return one is not None and _is_quiet(model, where) and one.is_exact and not one.owed and one.is_attached


def _may_hear(model: Pip31, where: str) -> bool:
    one = model.subscriptions.get(where)
    if one is None or not is_there(model, where) or one.topic == INPUTS:
        return False
    topic = model.topics[one.topic]
    is_known = topic.is_plain_to_read and topic.is_in_order and not topic.has_sentinels
    return is_known and not topic.has_more_behind and all(state == FREE for state in one.states.values())


def _is_attached(model: Pip31, where: str, *_: str) -> bool:
    one = model.subscriptions.get(where)
    return one is not None and is_there(model, where) and one.is_attached


def _is_quiet_or_removed(model: Pip31, where: str) -> bool:
    """Whether it is known what a consumer receives then. After an unload a broker may delete what no subscription needs, so a consumer of a
    removed subscription may receive none of it.
    """
    one = model.subscriptions.get(where)
    is_kept = not model.crashed_at and INPUTS not in model.unloaded
    return _is_quiet(model, where) or (one is not None and one.is_removed and one.topic == INPUTS and is_kept)


def acts() -> Iterator[Act[Pip31]]:
    """All acts about consumers."""
    for where, (kind, topic) in LATE.items():
        with_namesake = (NAMESAKE[where],) if where in NAMESAKE else ()
        yield Act(f"{where} join {topic}", _may_join, _join, (where, topic, kind, *with_namesake))
        yield Act(f"{where} hear which message is the last", _may_hear, _hear_the_last, (where,))
    yield Act(f"a reader of {TOPICS[0]}", _may_join, _follow, (READER, TOPICS[0]))
    for where in (*KINDS, *LATE):
        yield Act(f"another consumer takes over {where}", _is_quiet_or_removed, _take_over, (where,))
        yield Act(f"another consumer takes over {where} and is looked at", _is_quiet_or_removed, _take_over_and_look, (where,))
        yield Act(f"redelivery for {where}", _is_quiet, _redeliver, (where,))
        yield Act(f"a look at {where}", _may_look, _look, (where,))
    yield Act(f"a look at {READER}", _may_look, _look, (READER,))
    yield Act("another consumer takes over workers with few permits", _is_quiet, _take_over_with_few_permits, ("workers",))
    yield Act("redelivery of i1 for workers, which is counted", _may_redeliver_counted, _redeliver_counted, ("workers", "i1"))
    for value in ("i1", "i2"):
        yield Act(f"redelivery of {value} for workers", _may_redeliver_one, _redeliver_one, ("workers", value))
    for where in ("workers", "auditors"):
        yield Act(f"{where} go back to i1", _may_go_back, _go_back, (where, "i1"))
        yield Act(f"{where} are removed", _may_remove, _remove, (where,))
    yield Act("a second consumer of workers comes and goes", _may_come_and_go, _second_comes_and_goes, ("workers",))
    for where, how in (("auditors", ""), ("workers", " as failover")):
        yield Act(f"another consumer tries to join {where}", _is_attached, _try_to_join, (where, how))
    for leaving in ("", "leaves"):
        yield Act(f"two consumers, of which one is active{leaving and ' and leaves'}", _may_be_two, _two_active, (TOPICS[0], leaving))
    yield Act("two consumers, and messages of one key", _may_be_two, _two_of_one_key, (KEYED,))
