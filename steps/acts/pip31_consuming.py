"""Acts of PIP-31 about consumers and readers: who comes, leaves, goes back and asks again; and what befalls topics and the system."""

from collections.abc import Iterator

from fencepost.steps.pulsar.vocabulary import shown

from .act import Act, Line
from .pip31_acknowledging import LATE, NAMESAKE, is_there, used
from .pip31_model import FREE, GONE, INPUTS, KINDS, TAKEN, Pip31, Subscription, Topic, narrowest, rare
from .pip31_writing import BUSY, KEYED, TOPICS, begun, may_write_plain, new_value, takes_part, why_on

READER = "tail"
_EARLY = ("watchers", READER)
"""Who may come to a topic that is empty; before the others, a transaction is committed there."""
_BEFORE = {"followers": "F", "payers": "G"}
_LOOKED, _PERMITS = "input looked at", 2
_CRASH = frozenset({"crash"})
_MOST_LOOKS = 3


def why_for(model: Pip31, one: Subscription) -> str:
    """What is violated where a consumer is given something else than is due, as far as what was done before says it."""
    if one.cumulative:
        return "PIP31-60" if model.crashed_at else "PIP31-54"
    whys = [*one.whys, *(model.topics[one.topic].whys if one.topic in model.topics else ())]
    if whys:
        return narrowest(whys)
    if model.crashed_at and any(state not in (FREE, TAKEN, GONE) for state in one.states.values()):
        return "PIP31-60"
    if one.topic != INPUTS:
        return "PIP31-80"
    return "PIP31-54" if one.kind == "shared" else "PIP31-93"


def received(model: Pip31, one: Subscription, *, unasked: bool = False) -> list[Line]:
    """The line that looks at what the consumer was given since the last look."""
    why, owed = why_for(model, one), shown(one.owed)
    said = f"{owed} and nothing else" if one.owed else "nothing"
    if one.owed and (unasked or one.is_reader) and one.is_exact:
        said = f"{owed} before anybody writes again"
    if not one.is_exact:
        said = f"at least {owed}"
    lines = [Line("Then", f'the consumer of "{one.name}" receives {said}', why)] if one.is_exact or one.owed else []
    one.owed = []
    one.is_attached |= bool(lines)
    if lines and one.topic in model.topics:
        model.topics[one.topic].has_sentinels = True
    elif lines:
        model.done[_LOOKED] += 1
    return lines


def _join(model: Pip31, where: str, topic: str, kind: str, *_: str) -> list[Line]:
    lines = [] if where in _EARLY else _committed_before(model, _BEFORE[where], topic)
    values = model.topics[topic].values()
    batched = tuple(entry.value for entry in model.topics[topic].in_force if entry.is_in_batch)
    model.subscriptions[where] = Subscription(where, kind, topic, values, dict.fromkeys(values, FREE), batched)
    model.subscriptions[where].is_used = True
    by = f', by the name of "{NAMESAKE[where]}"' if where in NAMESAKE else ""
    said = f'the consumer of {kind} subscription "{where}" has received {shown(values)} from {topic}{by}'
    return [*lines, Line("Given", said, "PIP31-131" if by else why_on(model, topic))]


def _committed_before(model: Pip31, name: str, topic: str) -> list[Line]:
    """A transaction of two messages, which is over before somebody comes."""
    values, why = [model.new_value(name), model.new_value(name)], why_on(model, topic)
    lines = [*begun(model, name), Line("Given", f"{name} has written {shown(values)} to {topic}", why)]
    model.write(topic, values, takes_part(model, name, topic))
    model.decide(name, committed=True)
    return [*lines, Line("Given", f"{name} has committed", why)]


def _follow(model: Pip31, where: str, topic: str) -> list[Line]:
    model.subscriptions[where] = Subscription(where, "exclusive", topic, is_reader=True, is_used=True)
    return [Line("Given", f'a reader "{where}" has begun behind all that is in {topic}', BUSY)]


def _take_over(model: Pip31, where: str) -> list[Line]:
    one = used(model, where)
    if one.is_removed:
        values = model.topics[one.topic].values() if one.topic in model.topics else one.received
        one.states, one.is_removed = dict.fromkeys(values, FREE), False
        one.cumulative.clear()
        one.whys.append("PIP31-96")
    one.begin_anew(is_new_consumer=True)
    one.is_attached = True
    return [Line("Given", f'another consumer has taken over "{where}"', why_for(model, one))]


def _take_over_and_look(model: Pip31, where: str) -> list[Line]:
    return [*_take_over(model, where), *received(model, model.subscriptions[where])]


def _take_over_with_few_permits(model: Pip31, where: str) -> list[Line]:
    taken = _take_over(model, where)[-1]
    said = f'another consumer takes over "{where}" with {_PERMITS} permits'
    return [taken._replace(kind="When", text=said), *received(model, model.subscriptions[where])]


def _redeliver_counted(model: Pip31, where: str, value: str) -> list[Line]:
    used(model, where).asked_again = True
    seen = Line("Then", f'the consumer of "{where}" receives "{value}" once more', "PIP31-135")
    return [Line("When", f'the consumer of "{where}" asks for redelivery of "{value}"', "PIP31-135"), seen]


def _redeliver(model: Pip31, where: str) -> list[Line]:
    one = used(model, where)
    one.begin_anew(is_new_consumer=False)
    return [Line("When", f'the consumer of "{where}" asks for redelivery', why_for(model, one)), *received(model, one)]


def _redeliver_one(model: Pip31, where: str, value: str) -> list[Line]:
    one = used(model, where)
    if one.states[value] == FREE:
        one.owed.append(value)
    one.asked_again = True
    if not one.whys and one.states[value] in model.transactions:
        one.whys.append("PIP31-62")
    return [Line("When", f'the consumer of "{where}" asks for redelivery of "{value}"', why_for(model, one)), *received(model, one)]


def _look(model: Pip31, where: str) -> list[Line]:
    model.done["looks"] += 1
    return received(model, model.subscriptions[where], unasked=True)


def _go_back(model: Pip31, where: str, value: str) -> list[Line]:
    one = used(model, where)
    one.states |= {other: FREE for other, state in one.states.items() if state in (GONE, TAKEN)}
    one.begin_anew(is_new_consumer=True)
    one.is_odd = True
    one.whys.append("PIP31-95")
    return [Line("When", f'the consumer of "{where}" goes back to "{value}"', "PIP31-95"), *received(model, one)]


def _remove(model: Pip31, where: str) -> list[Line]:
    one = used(model, where)
    one.is_removed, one.is_odd, one.owed = True, True, []
    for name, transaction in model.transactions.items():
        if where in transaction.subscriptions:
            transaction.subscriptions.discard(where)
            one.banned.add(name)
    return [Line("Given", f'subscription "{where}" has been removed', "PIP31-96")]


def _second_comes_and_goes(model: Pip31, where: str) -> list[Line]:
    one, kind = used(model, where), KINDS[where]
    free = shown(one.free)
    one.is_exact, one.owed, one.asked_again = False, [], True
    return [
        Line(
            "Given",
            f'the consumer of {kind} subscription "others" has received nothing from {INPUTS}, by the name of "{where}"',
            "PIP31-137",
        ),
        Line("Given", f'the consumer of "{where}" has asked for redelivery', "PIP31-137"),
        *([Line("Then", f'"{where}" and "others" receive {free} between them', why_for(model, one))] if free != "nothing" else []),
        Line("Given", 'the consumer of "others" has left', BUSY),
    ]


def _try_to_join(model: Pip31, where: str, how: str) -> list[Line]:
    used(model, where)
    asked = Line("When", f'another consumer tries to join "{where}"{how}', "PIP31-138")
    return [asked, Line("Then", "it is refused" if how else "it is refused with ConsumerBusy", "PIP31-138")]


def _ask_for_all(model: Pip31, kind: str, topic: str) -> list[Line]:
    values = model.topics[topic].values()
    model.done["asks"] += 1
    name = f"fresh{chr(96 + model.done['asks'])}"
    asked = f'a consumer of {kind} subscription "{name}" of {topic} asks for {len(values)} messages'
    seen = Line(
        "Then", f'the consumer of "{name}" receives {shown(values)} and no more unasked', rare(model.topics[topic].whys, "PIP31-158")
    )
    return [Line("When", asked, "PIP31-158"), seen]


def _hear_the_last(model: Pip31, where: str) -> list[Line]:
    one = model.subscriptions[where]
    one.owed, one.is_exact = [], False
    values = model.topics[one.topic].values()
    return [
        Line(
            "Then",
            f'the consumer of "{where}" is told that {shown(values[-1:])} is the last message',
            rare(model.topics[one.topic].whys, "PIP31-94"),
        )
    ]


def _read_behind(model: Pip31, topic: str) -> list[Line]:
    values = model.topics[topic].values()
    model.topics[topic].has_sentinels = True
    return [
        Line(
            "Then", f'who begins to read {topic} behind "{values[0]}" sees {shown(values[1:])}', rare(model.topics[topic].whys, "PIP31-141")
        )
    ]


def _look_at(model: Pip31, topic: str) -> list[Line]:
    model.done["looks"] += 1
    return read(model, topic)


def read(model: Pip31, topic: str) -> list[Line]:
    """The line of what readers of a topic see, with what is open there."""
    one = model.topics[topic]
    one.has_sentinels = True
    order = "" if one.is_in_order else " in some order"
    return [Line("Then", f"readers of {topic} see {shown(one.values())}{order}", _why_read(model, one))]


def _why_read(model: Pip31, one: Topic) -> str:
    if one.whys:
        return narrowest(one.whys)
    if one.has_open:
        first = next(at for at, entry in enumerate(one.entries) if entry.is_open)
        return "PIP31-08" if any(entry.is_in_force for entry in one.entries[first:]) else "PIP31-05"
    return "PIP31-47" if model.crashed_at else "PIP31-01"


def _crash(model: Pip31) -> list[Line]:
    model.go_down()
    return [Line("Given", "the system has crashed and come back", "PIP31-32")]


def _unload(model: Pip31, topic: str) -> list[Line]:
    model.unload(topic)
    return [Line("Given", f"{topic} has been unloaded", BUSY)]


def _compact(model: Pip31, topic: str) -> list[Line]:
    one = model.topics[topic]
    one.is_compacted = True
    lines = [Line("When", f"{topic} is compacted", "PIP31-149", f"{topic} has been compacted")]
    return [*lines, *compacted(one, topic)]


def compacted(one: Topic, topic: str) -> list[Line]:
    """The line of what is seen of a compacted topic, where that is known."""
    if not (one.is_in_order and one.is_plain_to_read) or (one.has_open and _has_plain_behind(one)):
        return []
    values = one.last_of_each_key()
    one.has_sentinels = True
    why = "PIP31-97" if any(not entry.is_in_force for entry in one.entries) else "PIP31-156"
    return [Line("Then", f"who reads {topic} compacted sees {shown(values)} last", rare(one.whys, why))]


def _terminate(model: Pip31, topic: str) -> list[Line]:
    model.topics[topic].is_terminated = True
    return [Line("Given", f"{topic} has been terminated", "PIP31-147")]


def _write_behind_the_end(model: Pip31, topic: str) -> list[Line]:
    asked = f'"{new_value(model, "late", topic)}" is written to {topic}'
    return [Line("When", asked, "PIP31-147"), Line("Then", "it is refused with TopicTerminatedError", "PIP31-147")]


def _make_again(model: Pip31, topic: str) -> list[Line]:
    model.topics[topic] = Topic(whys=["PIP31-146"])
    for one in model.transactions.values():
        one.topics.discard(topic)
    return [Line("Given", f"{topic} has been deleted and made again", "PIP31-146")]


def _may_join(model: Pip31, where: str, topic: str, *_: str) -> bool:
    """Where it is known what it receives, in which order, so that the ids of messages can be used later."""
    one = model.topics[topic]
    is_known = not one.has_open and one.is_plain_to_read and one.is_in_order and len(one.entries) < 9
    return where not in model.subscriptions and is_known


def _is_quiet(model: Pip31, where: str, *_: str) -> bool:
    """Whether nothing of it is on its way: no end is held up that it takes part in, and nothing is open on its topic."""
    one = model.subscriptions.get(where)
    if one is None or not is_there(model, where):
        return False
    held = any(other.is_held_up and where in other.subscriptions for other in model.transactions.values())
    return not held and (one.topic == INPUTS or not model.topics[one.topic].has_open) and _is_plain(model, one)


def _is_plain(model: Pip31, one: Subscription) -> bool:
    return one.topic == INPUTS or model.topics[one.topic].is_plain_to_read


def _may_look(model: Pip31, where: str) -> bool:
    one = model.subscriptions.get(where)
    if one is None or one.is_removed or model.done["looks"] >= _MOST_LOOKS or not _is_plain(model, one):
        return False
    return (one.is_reader and one.is_exact and not model.topics[one.topic].has_open) or _is_quiet(model, where)


def _may_redeliver_one(model: Pip31, where: str, value: str) -> bool:
    """What it is not owed already, and somebody holds or nobody has taken."""
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


def _may_ask(model: Pip31, _: str, topic: str) -> bool:
    one = model.topics[topic]
    return _may_read(model, topic) and not one.has_sentinels and model.done["asks"] < 2


def _may_read(model: Pip31, topic: str) -> bool:
    one = model.topics[topic]
    return not one.has_open and one.is_plain_to_read and one.is_in_order and len(one.in_force) > 1 and not one.is_compacted


def _may_read_behind(model: Pip31, topic: str) -> bool:
    return _may_read(model, topic) and not model.topics[topic].in_force[0].is_in_batch


def _may_hear(model: Pip31, where: str) -> bool:
    one = model.subscriptions.get(where)
    if one is None or not is_there(model, where) or one.topic == INPUTS:
        return False
    topic = model.topics[one.topic]
    plain_behind = not topic.is_clear_while_open or (topic.has_open and _has_plain_behind(topic))
    is_known = topic.is_plain_to_read and topic.is_in_order and not topic.has_sentinels
    return is_known and not plain_behind and all(state == FREE for state in one.states.values())


def _has_plain_behind(topic: Topic) -> bool:
    first = next(at for at, entry in enumerate(topic.entries) if entry.is_open)
    return any(entry.is_in_force for entry in topic.entries[first:])


def _may_look_at(model: Pip31, topic: str) -> bool:
    """Where nothing is in force behind what is open: that may be withheld."""
    one = model.topics[topic]
    is_known = one.is_plain_to_read and not (one.has_open and _has_plain_behind(one))
    return one.is_used and is_known and model.done["looks"] < _MOST_LOOKS


def _may_look_behind(model: Pip31, topic: str) -> bool:
    one = model.topics[topic]
    is_behind = one.has_open and one.is_clear_while_open and _has_plain_behind(one)
    return is_behind and one.is_plain_to_read and model.done["looks"] < _MOST_LOOKS


def _is_idle(model: Pip31, topic: str) -> bool:
    """Whether nobody has anything to do there any more."""
    one = model.topics[topic]
    is_part = any(topic in other.topics and (other.is_open or other.is_held_up) for other in model.transactions.values())
    watched = any(other.topic == topic for other in model.subscriptions.values())
    return (
        bool(one.entries)
        and one.is_plain_to_read
        and not is_part
        and not watched
        and not any(other.topic == topic for other in model.producers.values())
    )


def acts() -> Iterator[Act[Pip31]]:
    """All that is about consumers, readers and faults."""
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
    for kind in ("shared", "exclusive"):
        yield Act(f"a {kind} consumer asks for all of {TOPICS[0]}", _may_ask, _ask_for_all, (kind, TOPICS[0]))
    yield Act(f"a reader behind the first message of {TOPICS[0]}", _may_read_behind, _read_behind, (TOPICS[0],))
    for topic in TOPICS:
        yield Act(f"a look at {topic}", _may_look_at, _look_at, (topic,))
        yield Act(f"a look at {topic} behind what is open", _may_look_behind, _look_at, (topic,), frozenset({"sidecar-buffer"}))
        yield Act(f"{topic} is unloaded", lambda model, name: model.topics[name].is_used, _unload, (topic,))
    yield Act(f"{INPUTS} is unloaded", lambda model, _: any(one.is_used for one in model.subscriptions.values()), _unload, (INPUTS,))
    yield Act("a crash", lambda model: model.clock > 0, _crash, (), _CRASH)
    yield Act(f"{KEYED} is compacted", lambda model, name: model.topics[name].is_used, _compact, (KEYED,))
    yield Act(
        f"{TOPICS[0]} is terminated", lambda model, name: _is_idle(model, name) and may_write_plain(model, name), _terminate, (TOPICS[0],)
    )
    yield Act(
        f"a plain write to {TOPICS[0]} behind its end",
        lambda model, name: model.topics[name].is_terminated,
        _write_behind_the_end,
        (TOPICS[0],),
    )
    yield Act(
        f"{TOPICS[0]} is made again", lambda model, name: _is_idle(model, name) and model.topics[name].is_used, _make_again, (TOPICS[0],)
    )


def _is_attached(model: Pip31, where: str, *_: str) -> bool:
    one = model.subscriptions.get(where)
    return one is not None and is_there(model, where) and one.is_attached


def _is_quiet_or_removed(model: Pip31, where: str) -> bool:
    one = model.subscriptions.get(where)
    return _is_quiet(model, where) or (one is not None and one.is_removed and one.topic == INPUTS)
