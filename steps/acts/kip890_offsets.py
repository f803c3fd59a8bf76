"""Acts of KIP-890 about the offsets of groups: sent in transactions and outside of them, pending, committed, dropped, and deleted."""

from collections.abc import Iterator

from .act import Act, ActLine, always, joined
from .kip890_lines import NEEDS, given, offsets, then, unchanged, when
from .kip890_model import GROUPS, HERE, THERE, Kip890Clients
from .kip890_transactions import is_new, is_old, may_act

_FETCHES = (("v1", THERE), ("v5", ""), ("v7", ""), ("v7", THERE), ("v8", THERE), ("v8", ""), ("v10", ""), ("v10", THERE))
_METADATA = 'with metadata "half way" and leader epoch 3'


def _note(model: Kip890Clients, name: str, group: str, partitions: tuple[str, ...]) -> int:
    """The offset that a producer sends now."""
    current, moment = model.begun(name), model.tick()
    current.groups.add(group)
    for partition in partitions:
        current.offsets[group, partition] = (moment, moment)
    return moment


def _added_first(model: Kip890Clients, name: str, group: str) -> list[ActLine]:
    """What an old client does before it sends offsets of a group."""
    producer = model.producers[name]
    if not producer.is_old or (producer.open and group in producer.open.groups):
        return []
    return [given(f"{name} has added the offsets of group {group}", "046")]


def _send(model: Kip890Clients, name: str, group: str, *partitions: str) -> list[ActLine]:
    lines = _added_first(model, name, group)
    offset = _note(model, name, group, partitions)
    said = f"offset {offset} of {joined(partitions)} to group {group}"
    asked = when(f"{name} sends {said}", "047", f"{name} has sent {said}")
    return [*lines, asked, then(f"it is done for {joined(partitions)}", "047")]


def _has_sent(model: Kip890Clients, name: str, group: str, *partitions: str) -> list[ActLine]:
    lines = _added_first(model, name, group)
    offset = _note(model, name, group, partitions)
    return [*lines, given(f"{name} has sent offset {offset} of {joined(partitions)} to group {group}", "047")]


def _send_beside_an_unknown_one(model: Kip890Clients, name: str, group: str, partition: str) -> list[ActLine]:
    offset = _note(model, name, group, (partition,))
    return [
        when(f"{name} sends offset {offset} of {partition} and payments-9 to group {group}", "056"),
        then("it is refused for payments-9 with UNKNOWN_TOPIC_OR_PARTITION", "056"),
        then(f"it is done for {partition}", "056"),
    ]


def _send_too_large(model: Kip890Clients, name: str, group: str, *partitions: str) -> list[ActLine]:
    here, there = partitions
    offset = _note(model, name, group, (here,))
    too_large = f"metadata that is too large for {there}"
    return [
        when(f"{name} sends offset {offset} of {here} and {there} to group {group} and {too_large}", "056"),
        then(f"it is refused for {there} with OFFSET_METADATA_TOO_LARGE", "056"),
        then(f"it is done for {here}", "056"),
    ]


def _send_as_a_stranger(model: Kip890Clients, name: str) -> list[ActLine]:
    """A group that a disturbance has used before is there, and one that was never used is not."""
    model.begun(name).groups.add('"strangers"')
    return [
        when(f'{name} sends offset 9 of {HERE} to group "strangers" with an unknown member id', "055"),
        then(f"it is refused for {HERE} with UNKNOWN_MEMBER_ID or ILLEGAL_GENERATION", "055"),
        then(f'group "strangers" has no pending offset of {HERE}', "055"),
    ]


def _may_send_as_a_stranger(model: Kip890Clients, name: str) -> bool:
    return is_new(model, name) and model.producers[name].open is not None


def _add_offsets(model: Kip890Clients, name: str, group: str) -> list[ActLine]:
    model.begun(name).groups.add(group)
    said = f"the offsets of group {group}"
    return [when(f"{name} adds {said}", "046", f"{name} has added {said}"), then("it is done", "046")]


def _commit_outside(model: Kip890Clients, group: str, partition: str) -> list[ActLine]:
    moment = model.tick()
    model.offsets[group, partition] = (moment, moment)
    said = f"offset {moment} of {partition}"
    asked = when(
        f"{said} is committed to group {group} outside of transactions",
        "242",
        f"{said} has been committed to group {group} outside of transactions",
    )
    return [asked, then("it is done", "242")]


def _delete(model: Kip890Clients, group: str) -> list[ActLine]:
    model.forget(group)
    return [given(f"group {group} has been deleted", "357")]


def _may_delete(model: Kip890Clients, group: str) -> bool:
    return any(name == group for name, _ in model.offsets)


_delete_nothing = always(when('group "nobody" is deleted', "357"), then("it is refused with GROUP_ID_NOT_FOUND", "357"))


def _fetch(model: Kip890Clients, name: str, version: str, partition: str) -> list[ActLine]:
    """What a group has committed, with leader epoch and metadata, for all partitions or for one; a group of this name alone."""
    lines: list[ActLine] = []
    if model.once("details"):
        model.shown.add("details")
        lines = [given(f'{name} has sent offset 5 of {HERE} and {THERE} to group "details" {_METADATA}', "047")]
        lines.append(given(f"{name} has committed", "060"))
        model.begun(name)
        model.end(name, commit=True, how="commits", waited=True)
    why = "360" if version == "v10" else "358"
    fetched, where = (partition, partition) if partition else ("all partitions", f"{HERE} and {THERE}")
    due = f'offset 5, leader epoch 3 and metadata "half way" for {where} and for nothing else'
    return [*lines, when(f'OffsetFetch {version} is sent for {fetched} of group "details"', why), then(f"it answers {due}", why)]


def _may_fetch(model: Kip890Clients, name: str, *_: str) -> bool:
    is_there = not model.once("details")
    return is_there or (is_new(model, name) and model.producers[name].open is None and not model.producers[name].is_exhausted)


def _send_as_an_old_client_unannounced(model: Kip890Clients, name: str) -> list[ActLine]:
    return [
        when(f'{name} sends offset 9 of {HERE} to group "unheard"', "048"),
        then(f"it is refused for {HERE} with INVALID_TXN_STATE", "048"),
        then(f'group "unheard" has no pending offset of {HERE}', "048"),
        *unchanged(model, name, "048"),
    ]


def _may_send_unannounced(model: Kip890Clients, name: str) -> bool:
    producer = model.producers.get(name)
    return producer is not None and is_old(model, name) and (producer.open is None or not producer.open.has_offsets)


def acts() -> Iterator[Act[Kip890Clients]]:
    """The acts about offsets."""
    for x in ("A", "B", "C"):
        for group in GROUPS:
            for partitions in ((HERE,), (THERE,), (HERE, THERE)):
                where = joined(partitions)
                yield Act(f"{x} sends an offset of {where} to {group}", may_act, _send, (x, group, *partitions), NEEDS)
                yield Act(f"{x} has sent an offset of {where} to {group}", may_act, _has_sent, (x, group, *partitions), NEEDS)
            yield Act(f"{x} adds the offsets of {group}", may_act, _add_offsets, (x, group), NEEDS)
        yield Act(f"{x} sends an offset of a partition that there is not", is_new, _send_beside_an_unknown_one, (x, GROUPS[0], HERE), NEEDS)
        yield Act(f"{x} sends metadata that is too large", is_new, _send_too_large, (x, GROUPS[0], HERE, THERE), NEEDS)
        yield Act(f"{x} sends an offset as a stranger", _may_send_as_a_stranger, _send_as_a_stranger, (x,), NEEDS)
        if x != "C":
            yield Act(f"{x} sends an offset unannounced", _may_send_unannounced, _send_as_an_old_client_unannounced, (x,), NEEDS)
    for group in GROUPS:
        for partition in (HERE, THERE):
            yield Act(f"an offset of {partition} is committed to {group}", lambda *_: True, _commit_outside, (group, partition), NEEDS)
            yield Act(f"a look at {partition} in {group}", _may_look, offsets, (group, partition), NEEDS)
        yield Act(f"{group} is deleted", _may_delete, _delete, (group,), NEEDS)
    yield Act("a group that there is not is deleted", lambda model: model.is_quiet, _delete_nothing, (), NEEDS)
    for version, partition in _FETCHES:
        name = f"OffsetFetch {version} of {partition or 'all partitions'}"
        yield Act(name, _may_fetch, _fetch, ("A", version, partition), NEEDS)


def _may_look(model: Kip890Clients, group: str, partition: str) -> bool:
    known = {**model.offsets, **model.dropped}
    return group not in model.unclear_groups and ((group, partition) in known or model.pending(group, partition))
