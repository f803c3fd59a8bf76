"""Acts of KIP-890 about logs: an operator's markers, deleted records, compaction, and batches that are repeated or leave a gap."""

from collections.abc import Iterator
from dataclasses import replace

from .act import Act, ActLine, always
from .kip890_lines import NEEDS, given, not_grown, quoted, readers, then, when
from .kip890_model import PARTITIONS, Kip890Clients, Kip890Transaction
from .kip890_transactions import is_new, is_open

LEDGER = "ledger-0"
_COMPACTION = NEEDS | {"compaction"}
_REMEMBERED = 5
"""How many batches of a producer a leader recognises."""
_MARKERS = {"ABORT": False, "COMMIT": True}


def _mark(model: Kip890Clients, name: str, partition: str, kind: str) -> list[ActLine]:
    """An operator ends what a transaction has in one partition. Its coordinator does not know, and the transaction goes on."""
    current = model.producers[name].open
    assert current is not None, "what is ended is open"
    values, commit = current.values_in(partition), _MARKERS[kind]
    ended = Kip890Transaction(current.begun_at, committed=commit)
    model.logs[partition] = [replace(one, transaction=ended) if one.transaction is current else one for one in model.logs[partition]]
    current.writes = [one for one in current.writes if one[0] != partition]
    model.marked.add(partition)
    if values and not commit:
        model.aborted[partition].append((name, values[0]))
    marker = f"{'an' if kind == 'ABORT' else 'a'} {kind} marker for {name}"
    asked = when(f"{marker} reaches {partition}", "131", f"{marker} has reached {partition}")
    return [asked, then("it is done", "131"), *_read(model, "131", partition)]


def _may_mark(model: Kip890Clients, name: str, partition: str, _: str) -> bool:
    """A new client's next transaction has another epoch, so that the marker is of this one."""
    current = model.producers[name].open
    is_there = is_open(model, name) and is_new(model, name) and current is not None and bool(current.values_in(partition))
    return is_there and model.is_quiet and partition not in model.unread


def _mark_two(model: Kip890Clients, one: str, other: str, partition: str) -> list[ActLine]:
    """An operator aborts the transaction of one producer and commits that of another with one request."""
    _mark(model, one, partition, "ABORT")
    _mark(model, other, partition, "COMMIT")
    asked = when(f"an ABORT marker for {one} and a COMMIT marker for {other} reach {partition} in one request", "406")
    return [asked, *(then(f"it is done for {partition} of {name}", "406") for name in (one, other)), *_read(model, "406", partition)]


def _may_mark_two(model: Kip890Clients, one: str, other: str, partition: str) -> bool:
    return _may_mark(model, one, partition, "ABORT") and _may_mark(model, other, partition, "COMMIT")


def _mark_everywhere(model: Kip890Clients, name: str, one: str, other: str) -> list[ActLine]:
    """An operator ends what a transaction has in two topics with one request."""
    _mark(model, name, one, "ABORT")
    _mark(model, name, other, "ABORT")
    asked = when(f"an ABORT marker for {name} reaches {one} and {other}", "131")
    return [asked, then(f"it is done for {one} and {other}", "131"), *_read(model, "131", one, other)]


def _read(model: Kip890Clients, why: str, *partitions: str) -> list[ActLine]:
    """What readers see once something was done to these logs."""
    return [then(line.text, why) for partition in partitions for line in readers(model, partition)]


def _may_mark_everywhere(model: Kip890Clients, name: str, one: str, other: str) -> bool:
    return all(_may_mark(model, name, partition, "ABORT") for partition in (one, other))


def _repeat(model: Kip890Clients, name: str, partition: str, which: str) -> list[ActLine]:
    values = _batches(model, name, partition)
    number = len(values) - 1 if which == "newest" else 0
    asked = when(f'{name} writes "again" to {partition} at sequence {number}', "112")
    return [asked, then(f'it is done and answers the offset of "{values[number]}"', "112"), *not_grown(model, partition, "112")]


def _leave_a_gap(model: Kip890Clients, name: str, partition: str) -> list[ActLine]:
    values = _batches(model, name, partition)
    asked = when(f'{name} writes "gap" to {partition} at sequence {len(values) + 1}', "113")
    return [asked, then("it is refused with OUT_OF_ORDER_SEQUENCE_NUMBER", "113"), *not_grown(model, partition, "113")]


def _begin_too_late(model: Kip890Clients, name: str, partition: str) -> list[ActLine]:
    why = "111" if model.has_crashed else "110"
    asked = when(f'{name} writes "early" to {partition} at sequence 1', why)
    return [asked, then("it is refused with OUT_OF_ORDER_SEQUENCE_NUMBER", why), *not_grown(model, partition, why)]


def _batches(model: Kip890Clients, name: str, partition: str) -> list[str]:
    """The records that a producer has written there under its present epoch, each of which was a batch."""
    current = model.producers[name].open
    return current.values_in(partition) if current else []


def _has_batches(model: Kip890Clients, name: str, partition: str, *_: str) -> bool:
    if name not in model.producers or not is_new(model, name) or not model.is_quiet or partition in model.unread:
        return False
    count = len(_batches(model, name, partition))
    return 0 < count <= _REMEMBERED and count == model.producers[name].written[partition] and partition not in model.cut


def _begins_an_epoch(model: Kip890Clients, name: str, partition: str) -> bool:
    if name not in model.producers or not is_new(model, name) or not model.is_quiet or partition in model.unread:
        return False
    producer = model.producers[name]
    return not producer.written[partition] and partition in producer.written_before and not producer.has_moved


def _delete(model: Kip890Clients, partition: str) -> list[ActLine]:
    model.logs[partition].clear()
    model.cut.add(partition)
    return [given(f"the records of {partition} have been deleted", "233")]


def _may_delete(model: Kip890Clients, partition: str) -> bool:
    return model.is_quiet and partition not in model.unread and bool(model.logs[partition]) and not model.is_open_in(partition)


def _delete_the_first(model: Kip890Clients, partition: str) -> list[ActLine]:
    first, second = model.logs[partition][:2]
    del model.logs[partition][0]
    model.cut.add(partition)
    transaction = first.transaction
    if transaction is not None:
        transaction.writes = [one for one in transaction.writes if one[1] != first.value]
    deleted = given(f'the records of {partition} before "{second.value}" have been deleted', "232")
    return [deleted, *_read(model, "232", partition)]


def _may_delete_the_first(model: Kip890Clients, partition: str) -> bool:
    """What follows is of the same transaction, or the first record is decided."""
    log = model.logs[partition]
    if len(log) < 2 or not model.is_quiet or partition in model.unread or log[1].value == "sentinel":
        return False
    owner = log[0].transaction
    return owner is None or owner.committed is not None or log[1].transaction is owner


def _end_in_the_ledger(model: Kip890Clients, name: str, ends: str, key: str, _: str) -> list[ActLine]:
    value = model.new_value(name)
    model.ledger.append((key, value, ends == "committed"))
    return [given(f'{name} has {ends} "{value}" under key "{key}" to {LEDGER}', "440")]


def _commit_a_batch(model: Kip890Clients, name: str, _: str) -> list[ActLine]:
    first, second = model.new_value(name), model.new_value(name)
    model.ledger += [("x", first, True), ("y", second, True)]
    written = given(f'{name} has written "{first}" under key "x" and "{second}" under key "y" to {LEDGER}', "440")
    return [written, given(f"{name} has committed", "440")]


def _end_across_segments(model: Kip890Clients, name: str, ends: str, _: str) -> list[ActLine]:
    first, second = model.new_value(name), model.new_value(name)
    model.ledger += [("x", first, ends == "committed"), ("y", second, ends == "committed")]
    written, segment = f'{name} has written "{first}" under key "x" to {LEDGER}', f"a new segment of {LEDGER} has begun"
    return [given(text, "445") for text in (written, segment, f'{name} has {ends} "{second}" under key "y" to {LEDGER}')]


_begin_a_segment = always(given(f"a new segment of {LEDGER} has begun", "440"))


def _compact(model: Kip890Clients, times: str, _: str) -> list[ActLine]:
    """The newest committed record of each key is left."""
    newest = {key: value for key, value, is_committed in model.ledger if is_committed}
    model.ledger = [one for one in model.ledger if newest.get(one[0]) == one[1]]
    seen = quoted([value for _, value, _ in model.ledger])
    return [
        when(f"{LEDGER} is compacted{times}", "440"),
        then(f"readers of compacted {LEDGER} see {seen}", "440"),
        then(f"the last stable offset of {LEDGER} is the high watermark", "446"),
        *([then(f"each record that is left in {LEDGER} has its offset from before", "440")] if model.ledger else []),
    ]


def _look_after_a_crash(model: Kip890Clients, times: str, _: str) -> list[ActLine]:
    lines = [line for line in _compact(model, times, LEDGER) if line.kind == "Then"]
    model.go_down()
    has_been = given(f"{LEDGER} has been compacted{times}", "440")
    return [has_been, when("the system crashes and restarts", "445"), *(then(line.text, "445") for line in lines[:2])]


def _has_records(model: Kip890Clients, *_: str) -> bool:
    return bool(model.ledger)


def _may_crash_with_records(model: Kip890Clients, *_: str) -> bool:
    return bool(model.ledger) and model.may_go_down


def acts() -> Iterator[Act[Kip890Clients]]:
    """The acts about logs."""
    for x in ("A", "B"):
        for p in PARTITIONS[:2]:
            for kind in _MARKERS:
                yield Act(f"an operator's {kind} marker for {x} reaches {p}", _may_mark, _mark, (x, p, kind), NEEDS)
            for which in ("newest", "oldest"):
                yield Act(f"{x} repeats its {which} batch in {p}", _has_batches, _repeat, (x, p, which), NEEDS)
            yield Act(f"{x} leaves a gap in {p}", _has_batches, _leave_a_gap, (x, p), NEEDS)
            yield Act(f"{x} begins its epoch in {p} at sequence 1", _begins_an_epoch, _begin_too_late, (x, p), NEEDS)
    for p in PARTITIONS[:2]:
        yield Act(f"an operator's markers for A and B reach {p}", _may_mark_two, _mark_two, ("A", "B", p), NEEDS)
    yield Act("an operator's marker for A reaches two topics", _may_mark_everywhere, _mark_everywhere, ("A", *PARTITIONS[::2]), NEEDS)
    for p in PARTITIONS[:2]:
        yield Act(f"the records of {p} are deleted", _may_delete, _delete, (p,), NEEDS)
        yield Act(f"the first record of {p} is deleted", _may_delete_the_first, _delete_the_first, (p,), NEEDS)
    for x in ("P", "Q"):
        for ends in ("committed", "aborted"):
            for key in ("x", "y"):
                yield Act(f"{x} has {ends} under {key}", lambda *_: True, _end_in_the_ledger, (x, ends, key, LEDGER), _COMPACTION)
        yield Act(f"{x} has committed a batch of two keys", lambda *_: True, _commit_a_batch, (x, LEDGER), _COMPACTION)
        for ends in ("committed", "aborted"):
            yield Act(f"{x} has {ends} across segments", lambda *_: True, _end_across_segments, (x, ends, LEDGER), _COMPACTION)
    yield Act(f"a new segment of {LEDGER}", _has_records, _begin_a_segment, (LEDGER,), _COMPACTION)
    for times in ("", " twice", " 3 times"):
        yield Act(f"{LEDGER} is compacted{times}", _has_records, _compact, (times, LEDGER), _COMPACTION)
        crash = _COMPACTION | {"crash"}
        yield Act(f"{LEDGER} is compacted{times}, and a crash", _may_crash_with_records, _look_after_a_crash, (times, LEDGER), crash)
