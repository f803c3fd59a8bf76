"""Acts of PIP-460 that write: to segments, to the whole topic by a key, in transactions, and to what is sealed."""

from collections.abc import Iterator

from fencepost.steps.pulsar.vocabulary import shown

from .act import Act, ActLine, always
from .pip460_lines import given, readers, refused, then, when
from .pip460_model import FIRST, KEYS, SEGMENTS, TOPIC, Layouts, Pip460Transaction

TRANSACTIONS = ("A", "B")
_WRITTEN = (*FIRST, "low", "high", "whole")
_SEALABLE = (*FIRST, "low", "high", "third")
_GONE_ON = {"left": "low", "low": "whole", "right": "third"}
_TERMINATED = "it is refused with TopicTerminatedError"
_BROKERS = frozenset({"more-brokers"})
_OPENINGS = {"opens a producer of": "13", "subscribes to": "53"}


def _write(model: Layouts, segment: str) -> list[ActLine]:
    value = model.new_value()
    model.write(segment, value)
    said = f'"{value}" has been written to {segment}'
    return [when(f'"{value}" is written to {segment}', "03", said), then("it is done", "03")]


def _write_by_key(model: Layouts, key: str) -> list[ActLine]:
    value = model.new_value()
    model.keys[value] = key
    model.write(next(name for name in KEYS[key] if name in model.active), value)
    return [given(f'"{value}" of key "{key}" have been written to {TOPIC}', "21")]


def _write_in(model: Layouts, name: str, segment: str) -> list[ActLine]:
    lines, value = _begun(model, name), model.new_value()
    model.write(segment, value, model.transactions[name])
    said = f'"{value}" to {segment}'
    return [*lines, when(f"{name} writes {said}", "03", f"{name} has written {said}"), then("it is done", "03")]


def _end(model: Layouts, name: str, how: str) -> list[ActLine]:
    model.transactions[name].committed = how == "commits"
    said = f"{name} has {'committed' if how == 'commits' else 'aborted'}"
    return [when(f"{name} {how}", "14", said), then("it is done", "14")]


def _write_late(model: Layouts, segment: str) -> list[ActLine]:
    """By a producer that was open when the segment was sealed."""
    lines = [when(f'the producer that {segment} had sends "late"', "13"), then("each of its requests is answered", "13")]
    return [*lines, then(_TERMINATED, "13"), *readers(model, segment, "13")]


_open_sealed = always(*refused("a client opens a producer of {0}", "13", _TERMINATED))
_open_gone = always(*refused("a client opens a producer of {0}", "13"))


def _go_on(model: Layouts, segment: str, child: str) -> list[ActLine]:
    value = model.new_value()
    model.write(child, value)
    model.done[f"{segment} gone on"] += 1
    return [when(f'the producer that {segment} had sends "{value}" to {child}', "13"), then("it is done", "13")]


_open_elsewhere = always(*refused("a client {1} {0} at a broker that has it not", "53"))


def _wait_for_the_end(model: Layouts, name: str, segment: str) -> list[ActLine]:
    """A new subscription of a sealed segment to which an open transaction has written."""
    model.transactions[name].committed = True
    quoted = shown(model.segments[segment].values)
    asked = when(f"a client subscribes to {segment}", "14")
    return [asked, then(f"it is not notified of the end of {segment} before {quoted}, which {name} commits now", "14")]


def _begun(model: Layouts, name: str) -> list[ActLine]:
    if name in model.transactions:
        return []
    model.transactions[name] = Pip460Transaction()
    return [given(f"transaction {name}", "03")]


def _may_write_by_key(model: Layouts, key: str) -> bool:
    return not model.is_open_ended and not model.is_writer_behind and any(name in model.active for name in KEYS[key])


def _may_write_in(model: Layouts, name: str, segment: str) -> bool:
    one = model.transactions.get(name)
    return model.is_active(segment) and not model.has_waited and (one is None or one.committed is None)


def _is_open(model: Layouts, name: str, _: str) -> bool:
    return name in model.transactions and model.transactions[name].committed is None


def _has_producer(model: Layouts, segment: str) -> bool:
    """A message was written there by the producer that all use, and both are still there."""
    one = model.segments.get(segment)
    if model.done[f"{segment} gone on"] or model.is_open_ended or one is None:
        return False
    if not one.is_sealed or one.is_reloaded or one.may_be_gone or not one.is_exact:
        return False
    return any(of is None and value not in model.keys for value, of in one.entries)


def _may_go_on(model: Layouts, segment: str, child: str) -> bool:
    return _has_producer(model, segment) and model.is_active(child)


def is_sealed(model: Layouts, segment: str) -> bool:
    """Whether the segment is known to be sealed."""
    return not model.is_open_ended and segment in model.sealed


def _may_open_gone(model: Layouts, segment: str) -> bool:
    return not model.is_open_ended and segment in model.segments and model.segments[segment].may_be_gone


def _may_open_elsewhere(model: Layouts, segment: str, _: str) -> bool:
    one = model.segments.get(segment)
    return not model.is_open_ended and one is not None and not one.may_be_gone and bool(one.entries) and model.is_spread


def _may_wait_for_the_end(model: Layouts, name: str, segment: str) -> bool:
    one = model.transactions.get(name)
    if model.is_open_ended or one is None or one.committed is not None or segment not in model.sealed:
        return False
    there = model.segments[segment]
    others = [of for _, of in there.entries if of is not one]
    return (
        there.is_exact
        and not there.has_sentinel
        and len(others) < len(there.entries)
        and all(of is None or of.committed is not None for of in others)
    )


def acts() -> Iterator[Act[Layouts]]:
    """All acts that write."""
    for segment in SEGMENTS:
        yield Act(f"a write to {segment}", Layouts.is_active, _write, (segment,))
    for key in KEYS:
        yield Act(f"a write by key {key}", _may_write_by_key, _write_by_key, (key,))
    for x in TRANSACTIONS:
        for segment in _WRITTEN:
            yield Act(f"{x} writes to {segment}", _may_write_in, _write_in, (x, segment))
        for how in ("commits", "aborts"):
            yield Act(f"{x} {how}", _is_open, _end, (x, how))
        for segment in (name for name in _SEALABLE if name in _WRITTEN):
            yield Act(f"the end of {segment} behind {x}", _may_wait_for_the_end, _wait_for_the_end, (x, segment))
    for segment in _SEALABLE:
        yield Act(f"a late write to {segment}", _has_producer, _write_late, (segment,))
        yield Act(f"a producer of {segment}, which is sealed", is_sealed, _open_sealed, (segment,))
        yield Act(f"a producer of {segment}, which is gone", _may_open_gone, _open_gone, (segment,))
        for opening in _OPENINGS:
            said = f"a client {opening} {segment} at another broker"
            yield Act(said, _may_open_elsewhere, _open_elsewhere, (segment, opening), _BROKERS)
    for segment, child in _GONE_ON.items():
        yield Act(f"the producer of {segment} goes on at {child}", _may_go_on, _go_on, (segment, child))
