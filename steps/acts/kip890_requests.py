"""Acts of KIP-890 in which a request has other values than usual: timeouts, several ids, codecs, internal topics, logs that refuse."""

from collections.abc import Iterator

from .act import Act, ActLine, always
from .kip890_episodes import UNUSED
from .kip890_lines import NEEDS, given, not_grown, quoted, then, unchanged, when
from .kip890_model import GROUPS, HERE, THERE, Kip890Clients
from .kip890_transactions import DONE, ENDS, is_new, may_act, may_show_nothing_new, while_t_is_idle
from .kip890_words import AHEAD, IN_FORCE, NEXT, NOT_IN

_CODECS = ("gzip", "snappy", "lz4", "zstd")
_APPENDS, _LIMITS = NEEDS | {"failed-appends"}, NEEDS | {"known-limits"}
_FAILED = "an append to the transaction log has failed"
_OFFSETS = "the log of groups' offsets"
_TIMEOUTS = ("a longer timeout", "a shorter timeout")


def _initialise_with(model: Kip890Clients, name: str, timeout: str) -> list[ActLine]:
    """The retry of a client that has not read the answer has the usual timeout, which is the latest then."""
    model.producers[name].has_next_epoch("initialised")
    return [
        when(f"{name} initialises again with {timeout}", "029"),
        then(NEXT, "029"),
        then(f"the transaction timeout of {name} is {timeout}", "029"),
        given(f"{name} has initialised again", "017"),
    ]


def _initialise_after_end(model: Kip890Clients, name: str) -> list[ActLine]:
    """A producer that has lost the answer to its EndTxn initialises with the epoch that it had before."""
    model.producers[name].past[-1] = "initialised"
    return [
        when(f"{name} initialises again with its previous epoch", "412"),
        then(IN_FORCE, "412"),
        then(f"the producer id and epoch of {name} are unchanged", "412"),
    ]


def _may_initialise_after_end(model: Kip890Clients, name: str) -> bool:
    """Where ends are polled, each has the present epoch."""
    was_polled = any(what.endswith("is polled") for what in model.shown)
    return may_show_nothing_new(model, name) and model.producers[name].past[-1] in (*ENDS, "aborts nothing") and not was_polled


def _initialise_too_long(model: Kip890Clients, name: str) -> list[ActLine]:
    asked = when(f"{name} initialises again with a millisecond more than is allowed", "403")
    return [asked, then("it is refused with INVALID_TRANSACTION_TIMEOUT", "403"), *unchanged(model, name, "403")]


def _add_for_both(model: Kip890Clients, one: str, other: str, partition: str) -> list[ActLine]:
    """The second id is refused."""
    model.begun(one).added.add(partition)
    asked = when(f"{one} adds {partition} for {one} and for {other} {AHEAD} in one request", "037")
    due = (f"it is done for {partition} of {one}", f"it is refused for {partition} of {other} with PRODUCER_FENCED")
    return [asked, *(then(text, "037") for text in due), *unchanged(model, other, "037")]


def _add_for_the_second(model: Kip890Clients, one: str, other: str, partition: str) -> list[ActLine]:
    """The first id is refused."""
    said = f"{one} adds {partition} for {one} {AHEAD} and for {other} in one request"
    due = (f"it is refused for {partition} of {one} with PRODUCER_FENCED", f"it is done for {partition} of {other}")
    lines = [when(said, "037"), *(then(text, "037") for text in due), *unchanged(model, one, "037")]
    model.begun(other).added.add(partition)
    return lines


def _add_with_a_missing_one(model: Kip890Clients, one: str, other: str, partition: str) -> list[ActLine]:
    said = f"{one} adds {partition} and payments-9 for {one} and adds {partition} for {other} in one request"
    due = (
        f"it is refused for payments-9 of {one} with UNKNOWN_TOPIC_OR_PARTITION",
        f"it is refused for {partition} of {one} with OPERATION_NOT_ATTEMPTED",
        f"it is done for {partition} of {other}",
    )
    lines = [when(said, "037"), *(then(text, "037") for text in due), *unchanged(model, one, "037")]
    model.begun(other).added.add(partition)
    return lines


def _add_and_verify(model: Kip890Clients, one: str, other: str, partition: str) -> list[ActLine]:
    said = f"{one} adds {partition} for {one} and verifies {partition} for {other} in one request"
    due = (f"it is done for {partition} of {one}", f"it is refused for {partition} of {other} with {NOT_IN}")
    model.begun(one).added.add(partition)
    return [when(said, "040"), *(then(text, "040") for text in due), *unchanged(model, other, "040")]


def _verify(model: Kip890Clients, name: str, partition: str) -> list[ActLine]:
    asked = when(f"the leader verifies {partition} for {name}", "040")
    return [asked, then(f"it is done for {partition}", "038"), *unchanged(model, name, "040")]


def _ask_about_several(model: Kip890Clients, request: str, name: str) -> list[ActLine]:
    """The last entry is of a missing partition."""
    asked = when(f"{request} is sent for {HERE} and {THERE} and payments-9 in one request", "410")
    return [asked, then("the last entry alone is refused with UNKNOWN_TOPIC_OR_PARTITION", "410"), *unchanged(model, name, "410")]


_MOVED = frozenset({"the disturbance coordinator-moved"})
"""Then the ids of one request may have different coordinators, as an unused id does not move."""


def _describe_several(model: Kip890Clients, one: str, other: str) -> list[ActLine]:
    model.shown.add(UNUSED)
    asked = when(f"DescribeTransactions is sent for {one} and {other} and {UNUSED}", "410")
    return [asked, then("the last entry alone is refused with TRANSACTIONAL_ID_NOT_FOUND", "410"), *unchanged(model, other, "410")]


def _may_ask_about_several(model: Kip890Clients, _: str, name: str) -> bool:
    return may_act(model, name) and model.is_quiet


def _may_describe_several(model: Kip890Clients, one: str, other: str) -> bool:
    return may_act(model, one) and may_act(model, other) and model.is_quiet and UNUSED not in model.shown


def _are_new(model: Kip890Clients, one: str, other: str, *_: str) -> bool:
    return is_new(model, one) and is_new(model, other) and model.is_quiet


def _may_add_and_verify(model: Kip890Clients, one: str, other: str, partition: str) -> bool:
    current = model.producers[other].open
    return _are_new(model, one, other) and (current is None or partition not in current.added)


def _may_verify(model: Kip890Clients, name: str, partition: str) -> bool:
    current = model.producers[name].open
    return is_new(model, name) and model.is_quiet and current is not None and partition in current.added


_compress = always(given("{0} compresses its batches with {1}", "209"))


def _write_to_an_internal_topic(model: Kip890Clients, name: str, group: str) -> list[ActLine]:
    asked = when(f'{name} writes "{model.new_value("forged")}" to the partition of group {group}', "256")
    current = model.producers[name].open
    is_in_it = current is not None and group in current.groups
    return [asked, then("it is refused with INVALID_TOPIC_EXCEPTION", "256"), *unchanged(model, name, "411" if is_in_it else "273")]


def _add_an_internal_topic(model: Kip890Clients, name: str, group: str) -> list[ActLine]:
    asked = when(f"{name} adds the partition of group {group}", "255")
    due = f"it is refused for the partition of group {group} with TOPIC_AUTHORIZATION_FAILED"
    return [asked, then(due, "255"), *unchanged(model, name, "255")]


def _may_use_an_internal_topic(model: Kip890Clients, name: str, group: str) -> bool:
    is_there = any(where == group for where, _ in model.offsets)
    return is_new(model, name) and model.is_quiet and is_there and group not in model.unclear_groups


def _write_when_the_log_refuses(model: Kip890Clients, name: str, partition: str) -> list[ActLine]:
    """A record is in a log only if the transaction log has its partition; the client retries."""
    value = model.new_value(name)
    model.write(name, partition, value)
    said = ("the next append to the transaction log fails", f'{name} has written "{value}" to {partition}')
    return [*(given(text, "462") for text in said), then(_FAILED, "462")]


def _may_write_when_the_log_refuses(model: Kip890Clients, name: str, partition: str) -> bool:
    current = model.producers[name].open
    return is_new(model, name) and model.is_quiet and (current is None or partition not in current.added)


def _end_when_the_log_refuses(model: Kip890Clients, name: str, ends: str, which: str) -> list[ActLine]:
    """The decision, or the completion, is refused at first."""
    model.end(name, commit=ends == "commits", how=ends, waited=True)
    state = "CompleteCommit" if ends == "commits" else "CompleteAbort"
    said = (f"the {which} append to the transaction log fails", f"{name} has {DONE[ends]}")
    return [*(given(text, "463") for text in said), then(_FAILED, "463"), then(f"the transaction of {name} is {state}", "463")]


def _may_end_a_write(model: Kip890Clients, name: str, *_: str) -> bool:
    current = model.producers[name].open
    return is_new(model, name) and model.is_quiet and current is not None and bool(current.writes)


def _send_when_the_log_refuses(model: Kip890Clients, name: str, group: str, partition: str) -> list[ActLine]:
    current, moment = model.begun(name), model.tick()
    current.groups.add(group)
    current.offsets[group, partition] = (moment, moment)
    said = (f"the next append to {_OFFSETS} fails", f"{name} has sent offset {moment} of {partition} to group {group}")
    return [*(given(text, "465") for text in said), then(f"an append to {_OFFSETS} has failed", "465")]


def _end_when_the_offsets_are_refused(model: Kip890Clients, name: str, ends: str) -> list[ActLine]:
    model.end(name, commit=ends == "commits", how=ends, waited=True)
    said = (f"the next append to {_OFFSETS} fails", f"{name} has {DONE[ends]}")
    return [*(given(text, "465") for text in said), then(f"an append to {_OFFSETS} has failed", "465")]


def _is_new_and_quiet(model: Kip890Clients, name: str, *_: str) -> bool:
    return is_new(model, name) and model.is_quiet


def _may_end_with_offsets(model: Kip890Clients, name: str, _: str) -> bool:
    current = model.producers[name].open
    return _is_new_and_quiet(model, name) and current is not None and bool(current.offsets)


def _read_without_waiting(model: Kip890Clients, partition: str) -> list[ActLine]:
    values = quoted(model.visible(partition))
    return [then(f"a read_committed Fetch of {partition} that does not wait gets {values}", "420")]


def _may_read_without_waiting(model: Kip890Clients, partition: str) -> bool:
    is_known = partition not in model.unread and partition not in model.cut
    return model.is_quiet and is_known and bool(model.visible(partition))


def _end_by_v4(model: Kip890Clients, name: str, ends: str) -> list[ActLine]:
    """The producer keeps its epoch from this transaction to the next, and then asks for another one."""
    producer = model.producers[name]
    model.decide(producer, commit=ends == "commits")
    producer.past[-1] = "used"
    producer.has_next_epoch("initialised")
    return [
        given(f"{name} uses EndTxn v4", "089"),
        when(f"{name} {ends}", "089"),
        then("it is done", "089"),
        then(f"the producer id and epoch of {name} are unchanged", "089"),
        given(f"{name} uses EndTxn v5", "089"),
        given(f"{name} has initialised again", "016"),
    ]


def _write_where_it_is_not(model: Kip890Clients, name: str, one: str, other: str, version: str) -> list[ActLine]:
    """One partition is in the transaction, the other is not."""
    value, stray = model.new_value(name), model.new_value("stray")
    model.write(name, one, value)
    lines = [
        given(f"{name} uses {version}", "098"),
        when(f'{name} writes "{value}" to {one} and "{stray}" to {other} in one request', "098"),
        then(f"it is done for {one}", "098"),
        then(f"it is refused for {other} with {'TRANSACTION_ABORTABLE' if version == 'Produce v11' else 'INVALID_TXN_STATE'}", "098"),
    ]
    return [*lines, *not_grown(model, other, "098"), given(f"{name} uses Produce v12", "098")]


def _may_write_where_it_is_not(model: Kip890Clients, name: str, one: str, other: str, _: str) -> bool:
    """The leader of the other partition knows nothing of the producer's present epoch there."""
    producer = model.producers[name]
    current = producer.open
    is_in = current is not None and one in current.added and other not in current.added
    return is_new(model, name) and model.is_quiet and is_in and not producer.written[other]


def acts() -> Iterator[Act[Kip890Clients]]:
    """The acts of these requests."""
    for act in _acts():
        yield while_t_is_idle(act) if act.needs == _APPENDS else act


def _acts() -> Iterator[Act[Kip890Clients]]:
    """The acts with other values."""
    for x in ("A", "B"):
        for timeout in _TIMEOUTS:
            yield Act(f"{x} initialises again with {timeout}", may_show_nothing_new, _initialise_with, (x, timeout), NEEDS)
        yield Act(f"{x} initialises after its end", _may_initialise_after_end, _initialise_after_end, (x,), NEEDS)
        yield Act(f"{x} asks for too long a timeout", may_act, _initialise_too_long, (x,), _LIMITS)
        for codec in _CODECS:
            yield Act(f"{x} compresses with {codec}", may_act, _compress, (x, codec), NEEDS)
        for group in GROUPS:
            internal = (x, group)
            yield Act(f"{x} writes to the partition of {group}", _may_use_an_internal_topic, _write_to_an_internal_topic, internal, NEEDS)
            yield Act(f"{x} adds the partition of {group}", _may_use_an_internal_topic, _add_an_internal_topic, internal, NEEDS)
        for ends in ENDS:
            yield Act(f"{x} {ends} by EndTxn v4", _may_end_a_write, _end_by_v4, (x, ends), NEEDS)
            for which in ("next", "second"):
                said = f"{x} {ends}, and the {which} append fails"
                yield Act(said, _may_end_a_write, _end_when_the_log_refuses, (x, ends, which), _APPENDS)
            said = f"{x} {ends}, and an append of offsets fails"
            yield Act(said, _may_end_with_offsets, _end_when_the_offsets_are_refused, (x, ends), _APPENDS)
        for p in (HERE, THERE):
            yield Act(f"{p} is verified for {x}", _may_verify, _verify, (x, p), NEEDS)
            said = f"{x} writes to {p}, and an append fails"
            yield Act(said, _may_write_when_the_log_refuses, _write_when_the_log_refuses, (x, p), _APPENDS)
        said = f"{x} sends an offset, and an append fails"
        yield Act(said, _is_new_and_quiet, _send_when_the_log_refuses, (x, GROUPS[0], HERE), _APPENDS)
        for version in ("Produce v9", "Produce v11"):
            said = f"{x} writes where it is, and where it is not, by {version}"
            yield Act(said, _may_write_where_it_is_not, _write_where_it_is_not, (x, HERE, THERE, version), NEEDS)
    for request in ("DescribeProducers", "ListOffsets"):
        yield Act(f"{request} about several partitions", _may_ask_about_several, _ask_about_several, (request, "A"), NEEDS)
    yield Act("A, B and an unused id are described", _may_describe_several, _describe_several, ("A", "B"), NEEDS, excludes=_MOVED)
    for p in (HERE, THERE):
        yield Act(f"A adds {p} for A, and for B in vain", _are_new, _add_for_both, ("A", "B", p), NEEDS)
        yield Act(f"A adds {p} for A in vain, and for B", _are_new, _add_for_the_second, ("A", "B", p), NEEDS)
        yield Act(f"A adds {p} and a missing one for A, and {p} for B", _are_new, _add_with_a_missing_one, ("A", "B", p), NEEDS)
        yield Act(f"A adds {p} for A, and verifies it for B", _may_add_and_verify, _add_and_verify, ("A", "B", p), NEEDS)
        yield Act(f"{p} is read without waiting", _may_read_without_waiting, _read_without_waiting, (p,), NEEDS)
