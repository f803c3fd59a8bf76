"""Acts of PIP-31 about topics and the system: readers, loads and crashes, compaction, and topics that are terminated or made again."""

from collections.abc import Iterator

from fencepost.steps.pulsar.vocabulary import shown

from .act import Act, ActLine, always, given, then, when
from .pip31_consuming import MOST_LOOKS
from .pip31_ending import NUMBERS, end
from .pip31_model import INPUTS, Pip31, Pip31Topic, narrowest, rare
from .pip31_writing import BUSY, KEYED, TOPICS, TRANSACTIONS, may_write_plain, new_value


def _ask_for(model: Pip31, kind: str, topic: str, how_many: str) -> list[ActLine]:
    values = model.topics[topic].values()
    values = values if how_many == "all" else values[:-1]
    why = "PIP31-158" if how_many == "all" else "PIP31-134"
    model.done["asks"] += 1
    name = f"fresh{chr(96 + model.done['asks'])}"
    asked = f'a consumer of {kind} subscription "{name}" of {topic} asks for {len(values)} messages'
    seen = then(f'the consumer of "{name}" receives {shown(values)} and no more unasked', rare(model.topics[topic].whys, why))
    return [when(asked, why), seen]


def _read_behind(model: Pip31, topic: str) -> list[ActLine]:
    values = model.topics[topic].values()
    model.topics[topic].has_sentinels = True
    return [then(f'readers of {topic} from behind "{values[0]}" see {shown(values[1:])}', rare(model.topics[topic].whys, "PIP31-141"))]


def _look_at(model: Pip31, topic: str) -> list[ActLine]:
    model.done["looks"] += 1
    return read(model, topic)


def read(model: Pip31, topic: str) -> list[ActLine]:
    """The line about what readers of a topic see, with its open transactions."""
    one = model.topics[topic]
    one.has_sentinels = True
    order = "" if one.is_in_order else " in some order"
    return [then(f"readers of {topic} see {shown(one.values())}{order}", _why_read(model, one))]


def _why_read(model: Pip31, one: Pip31Topic) -> str:
    if one.whys:
        return narrowest(one.whys)
    if one.has_open:
        return model.why_withheld(one)
    return "PIP31-47" if model.crashed_at else "PIP31-01"


def _crash(model: Pip31) -> list[ActLine]:
    model.go_down()
    return [given("the system has crashed and restarted", "PIP31-32")]


def _unload(model: Pip31, topic: str) -> list[ActLine]:
    model.unload(topic)
    model.unloaded.add(topic)
    return [given(f"{topic} has been unloaded", BUSY)]


def _compact(model: Pip31, topic: str) -> list[ActLine]:
    one = model.topics[topic]
    one.is_compacted = True
    lines = [when(f"{topic} is compacted", "PIP31-149", f"{topic} has been compacted")]
    return [*lines, *compacted(one, topic, just_now=True)]


def compacted(one: Pip31Topic, topic: str, *, just_now: bool = False) -> list[ActLine]:
    """The line about what is seen of a compacted topic, where that is known. Later messages follow it, in the order in which they were
    written.
    """
    if not (one.is_in_order and one.is_plain_to_read) or one.has_more_behind:
        return []
    values = one.last_of_each_key() if just_now else one.values()[-1:]
    one.has_sentinels = True
    why = "PIP31-97" if any(not entry.is_in_force for entry in one.entries) else "PIP31-156"
    is_all = just_now and not one.has_open and bool(values)
    why = "PIP31-149" if is_all and all(entry.is_in_force for entry in one.entries) else why
    seen = f"readers of compacted {topic} see {shown(values)}{'' if is_all else ' last'}"
    return [then(seen, rare(one.whys, why))]


def _commit_newest_first(model: Pip31, one: str, other: str, topic: str) -> list[ActLine]:
    lines = [line for name in (other, one) for line in end(model, name, "commits")]
    where = model.topics[topic]
    where.has_sentinels = True
    values = [entry.value for entry in sorted(where.in_force, key=lambda entry: entry.in_force_at)]
    return [*lines, then(f"readers of {topic} see {shown(values)}", rare(where.whys, "PIP31-53"))]


def _may_commit_newest_first(model: Pip31, one: str, other: str, topic: str) -> bool:
    """Where both have written, and there are no messages outside of transactions: those stay in the order in which they were written."""
    where = model.topics[topic]
    owners = [entry.transaction for entry in where.entries]
    both = [model.transactions.get(name) for name in (one, other)]
    is_settled = all(owner is not None and not owner.is_late and (not owner.is_open or owner in both) for owner in owners)
    return is_settled and where.is_plain_to_read and all(it is not None and it.is_open and it in owners for it in both)


def _terminate(model: Pip31, topic: str) -> list[ActLine]:
    one = model.topics[topic]
    lines = [given(f"{topic} has been terminated", "PIP31-147")]
    values = one.values()
    if len(values) > 1 and one.is_in_order and not one.has_sentinels and not any(entry.is_in_batch for entry in one.entries):
        lines += [
            when(f'a consumer of exclusive subscription "early" of {topic} asks for {len(values) - 1} messages', "PIP31-139"),
            then(f'the consumer of "early" receives {shown(values[:-1])} and no more unasked', rare(one.whys, "PIP31-139")),
            then('the consumer of "early" learns nothing of an end', "PIP31-139"),
        ]
    one.is_terminated = True
    return lines


def _write_behind_the_end(model: Pip31, topic: str) -> list[ActLine]:
    asked = f'"{new_value(model, "late", topic)}" is written to {topic}'
    return [when(asked, "PIP31-147"), then("it is refused with TopicTerminatedError", "PIP31-147")]


def _make_again(model: Pip31, topic: str) -> list[ActLine]:
    model.topics[topic] = Pip31Topic(whys=["PIP31-146"])
    for one in model.transactions.values():
        one.topics.discard(topic)
    return [given(f"{topic} has been deleted and made again", "PIP31-146")]


def _may_ask(model: Pip31, _: str, topic: str, how_many: str) -> bool:
    one = model.topics[topic]
    return _may_read(model, topic) and not one.has_sentinels and model.done["asks"] < 2 and (how_many == "all" or not _has_batches(one))


def _has_batches(one: Pip31Topic) -> bool:
    return any(entry.is_in_batch for entry in one.entries)


_make_requests = always(
    when("a consumer of {0} makes each of its requests", "PIP31-133"), then("each of its requests is answered", "PIP31-133")
)


def _make_partitions(model: Pip31, _: str) -> list[ActLine]:
    model.done["partitions"] += 1
    asked = when("the topic parts is made, with a partition count of 3", "PIP31-145")
    return [asked, then("it is done", "PIP31-145"), then("parts has a partition count of 3", "PIP31-145")]


def _may_read(model: Pip31, topic: str) -> bool:
    one = model.topics[topic]
    return not one.has_open and one.is_plain_to_read and one.is_in_order and len(one.in_force) > 1 and not one.is_compacted


def _may_read_behind(model: Pip31, topic: str) -> bool:
    return _may_read(model, topic) and not model.topics[topic].in_force[0].is_in_batch


def _may_look_at(model: Pip31, topic: str) -> bool:
    """Where no committed message follows an open transaction: such a message may be withheld."""
    one = model.topics[topic]
    is_known = one.is_plain_to_read and not one.has_more_behind
    return one.is_used and is_known and model.done["looks"] < MOST_LOOKS


def _may_look_behind(model: Pip31, topic: str) -> bool:
    one = model.topics[topic]
    is_behind = one.has_more_behind and one.is_clear_while_open
    return is_behind and one.is_plain_to_read and model.done["looks"] < MOST_LOOKS


def _has_begun(model: Pip31) -> bool:
    return model.clock > 0 or any(one.is_used for one in model.subscriptions.values())


def _is_idle(model: Pip31, topic: str) -> bool:
    """Whether no act needs the topic any more."""
    one = model.topics[topic]
    is_part = model.done["pipelined"] or any(
        topic in other.topics and (other.is_open or other.is_held_up) for other in model.transactions.values()
    )
    watched = any(other.topic == topic for other in model.subscriptions.values())
    return (
        bool(one.entries)
        and one.is_plain_to_read
        and not is_part
        and not watched
        and not any(other.topic == topic for other in model.producers.values())
    )


def acts() -> Iterator[Act[Pip31]]:
    """All acts about topics, and a crash."""
    first = TOPICS[0]
    for kind in ("shared", "exclusive"):
        for how_many in ("all", "fewer"):
            yield Act(f"a {kind} consumer asks for {how_many} of {first}", _may_ask, _ask_for, (kind, first, how_many))
    yield Act(f"a consumer of {first} makes each of its requests", _may_read, _make_requests, (first,))
    needs = frozenset({"sidecar-buffer"})
    yield Act("B commits, and then A", _may_commit_newest_first, _commit_newest_first, (*TRANSACTIONS[:2], first), needs)
    yield Act("a topic with partitions is made", lambda model, _: not model.done["partitions"], _make_partitions, (NUMBERS,))
    yield Act(f"a reader behind the first message of {first}", _may_read_behind, _read_behind, (first,))
    for topic in TOPICS:
        yield Act(f"a look at {topic}", _may_look_at, _look_at, (topic,))
        yield Act(f"a look at {topic} behind what is open", _may_look_behind, _look_at, (topic,), frozenset({"sidecar-buffer"}))
        yield Act(f"{topic} is unloaded", lambda model, name: model.topics[name].is_used, _unload, (topic,))
    yield Act(f"{INPUTS} is unloaded", lambda model, _: any(one.is_used for one in model.subscriptions.values()), _unload, (INPUTS,))
    yield Act("a crash", _has_begun, _crash, (), frozenset({"crash"}))
    yield Act(f"{KEYED} is compacted", lambda model, name: model.topics[name].is_used, _compact, (KEYED,))
    yield Act(f"{first} is terminated", lambda model, name: _is_idle(model, name) and may_write_plain(model, name), _terminate, (first,))
    yield Act(
        f"a plain write to {first} behind its end",
        lambda model, name: model.topics[name].is_terminated,
        _write_behind_the_end,
        (first,),
    )
    yield Act(f"{first} is made again", lambda model, name: _is_idle(model, name) and model.topics[name].is_used, _make_again, (first,))
