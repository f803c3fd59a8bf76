"""Acts of PIP-460 that read the whole topic: stream consumers that join, leave and share segments; queue and checkpoint consumers;
registered subscriptions.
"""

from collections.abc import Iterator

from fencepost.steps.pulsar.vocabulary import shown

from .act import Act, ActLine, joined
from .pip460_lines import given, something_written, then, when
from .pip460_model import GROUPS, SEGMENTS, STREAM, TOPIC, Layouts, Pip460Member

REGISTERED, _QUEUE, _JOBS, _POSTS = '"keepers"', '"helpers"', '"jobs"', '"posts"'
_QUEUER, _CHECKPOINTER, _POSTER = "dan", "erin", "fay"
_TIME = frozenset({"virtual-time"})
_BUT_FOR_ITS_END = " but for its end"


def _join(model: Layouts, name: str) -> list[ActLine]:
    group, before = GROUPS[name], model.members.get(name)
    is_back = before is not None and not before.is_connected
    why = ("39" if model.has_crashed else "37") if is_back else "36" if model.present(group) else "34"
    model.members[name] = Pip460Member()
    model.register(group)
    asked = when(f"{name} joins {group} of {TOPIC}", why, f"{name} has joined {group} of {TOPIC}")
    return [asked, then("it is done", why), *_assigned(model, group, why)]


def _leave(model: Layouts, name: str) -> list[ActLine]:
    model.members[name].is_connected = False
    return [given(f"{name} has been cut off", "37")]


def _lose_and_return(model: Layouts, name: str, other: str) -> list[ActLine]:
    """No client notices: the other consumer learns of a split of its segment next."""
    lines = [given(f"{name} has been cut off", "37"), when(f"{name} joins {STREAM} of {TOPIC}", "37"), then("it is done", "37")]
    model.is_open_ended = True
    return [*lines, then(f"{other} was notified of no other segments", "37")]


def _lose_former(model: Layouts, name: str) -> list[ActLine]:
    """Its first connection ends when it has a second one."""
    model.done["rejoined"] += 1
    group = GROUPS[name]
    said = (f"{name} has joined {group} of {TOPIC}", f"{name} has been cut off from its first connection")
    return [*(given(text, "37") for text in said), *_assigned(model, group, "37")]


def _pass_grace(model: Layouts, how: str) -> list[ActLine]:
    model.pass_time(most=bool(how))
    lines = [when(f"the grace period passes{how}", "38", f"the grace period has passed{how}")]
    return [*lines, *(line for group in dict.fromkeys(GROUPS.values()) for line in _assigned(model, group, "38"))]


def _read_all(model: Layouts, *names: str) -> list[ActLine]:
    """Whatever the consumers of a subscription have not read yet, in the order of each key."""
    group = GROUPS[names[0]]
    one = model.subscriptions[group]
    due = [value for segment in one.consumed for value in model.unread(group, segment)]
    for segment in one.consumed:
        one.consumed[segment].update(model.unread(group, segment))
    model.release()
    keyed = {model.keys.get(value) for value in (*one.received, *due)}
    one.received += sorted(due, key=lambda value: int(value[1:]))
    is_in_order = len(keyed) == 1 and None not in keyed
    why = "21" if is_in_order else "38" if model.has_waited else "39" if model.has_crashed else "36"
    readers = joined([name for name in GROUPS if GROUPS[name] == group and name in names])
    lines = [when(f"the reading of {readers} comes to {shown(due)}", why, f"the reading of {readers} has come to {shown(due)}")]
    lines.append(then(f"the reading of {readers} was {shown(one.received)}{'' if is_in_order else ' in some order'}", why))
    return [*lines, *_assigned(model, group, "45")]


def _look(model: Layouts, *names: str) -> list[ActLine]:
    return _assigned(model, GROUPS[names[0]], "45")


def _assigned(model: Layouts, group: str, why: str) -> list[ActLine]:
    """What the connected consumers of a subscription may read, where none of them is missing."""
    present = model.present(group)
    if not present or model.is_open_ended or any(one.may_be_gone for one in model.segments.values()):
        return []
    due = model.assigned(group)
    if len(present) == 1:
        return [then(f"{present[0]} is assigned {joined(due)}", "45" if model.sealed and why in ("34", "36") else why)]
    if sorted(due) != sorted(model.active):
        return []
    shared = f"each active segment of {TOPIC} is assigned {{}} to {joined(present)}"
    once = then(shared.format("once"), why)
    if any(one.is_sealed for one in model.segments.values()):  # the turn may count those that are consumed
        return [once]
    return [once, then(shared.format("in turn"), "35")]


def _register(model: Layouts) -> list[ActLine]:
    model.register(REGISTERED)
    return [given(f"subscription {REGISTERED} has been registered for {TOPIC}", "55")]


def waiting(model: Layouts, segment: str) -> list[ActLine]:
    """What waits for the registered subscription in a segment, which nobody has consumed. This may be asked once."""
    one, registered = model.segments[segment], model.subscriptions[REGISTERED]
    why = "18" if len(one.parents) == 2 else "17" if one.parents else "55"
    lines = something_written(model, segment, why)
    values = one.values if segment in registered.consumed else []
    model.show(segment)
    model.done[f"waiting in {segment}"] += 1
    return [*lines, then(f"subscription {REGISTERED} has {shown(values)} waiting in {segment}", "14" if one.is_sealed else why)]


def may_wait(model: Layouts, segment: str) -> bool:
    """Whether it is known what waits there. A reloaded segment may learn only then, when it is used, that a transaction has ended; a
    subscription that is missing there may begin before what that transaction wrote.
    """
    if REGISTERED not in model.subscriptions or segment not in model.segments or model.done[f"waiting in {segment}"]:
        return False
    one = model.segments[segment]
    is_on = segment in model.subscriptions[REGISTERED].consumed
    is_known = one.is_sealed and not (one.is_reloaded and any(transaction for _, transaction in one.entries))
    return one.is_exact and not one.has_open and not one.may_be_gone and (is_on or is_known)


def _queue(model: Layouts) -> list[ActLine]:
    """A queue consumer comes, and receives everything that there is."""
    model.done[_QUEUE] += 1
    due = [value for one in model.segments.values() for value in one.values]
    return [
        given(f"{_QUEUER} has joined {_QUEUE} of {TOPIC} as a queue consumer", "42"),
        when(f"the reading of {_QUEUER} comes to {shown(due)}", "42"),
        then(f"the reading of {_QUEUER} was {shown(due)} in some order", "42"),
    ]


def _take_checkpoints(model: Layouts) -> list[ActLine]:
    due = [value for one in model.segments.values() for value in one.values]
    model.taken = due
    model.done["jobs"] += 1
    return [
        given(f"{_CHECKPOINTER} has joined {_JOBS} of {TOPIC} with checkpoints", "44"),
        when(f"the reading of {_CHECKPOINTER} comes to {shown(due)}", "44", f"the reading of {_CHECKPOINTER} has come to {shown(due)}"),
        then(f"the reading of {_CHECKPOINTER} was {shown(due)} in some order", "44"),
    ]


def _go_back(model: Layouts) -> list[ActLine]:
    """To a checkpoint in the only segment that it had read then, so that it is known what it had taken."""
    model.done["went back"] += 1
    first = model.taken[0]
    due = [value for one in model.segments.values() for value in one.values if value != first]
    return [
        when(f'the reading of {_CHECKPOINTER} from behind "{first}" comes to {shown(due)}', "44"),
        then(f"the reading of {_CHECKPOINTER} was {shown([first, *due])} in some order", "44"),
    ]


def _post(model: Layouts) -> list[ActLine]:
    """A checkpoint consumer that is registered is assigned every segment, also those that are sealed."""
    model.done["posts"] += 1
    asked = when(f"{_POSTER} joins {_POSTS} of {TOPIC} as a checkpoint consumer", "44")
    due = [then(f"{_POSTER} is assigned {name}, perhaps among others", "44") for name in model.segments]
    return [asked, then("it is done", "44"), *due]


def _may_join(model: Layouts, name: str) -> bool:
    one = model.members.get(name)
    return not model.is_open_ended and name not in model.left_for_good and (one is None or not one.is_connected)


def _is_connected(model: Layouts, name: str, *_: str) -> bool:
    return not model.is_open_ended and name in model.members and model.members[name].is_connected


def _may_lose_and_return(model: Layouts, name: str, other: str) -> bool:
    is_calm = not model.is_open_ended and not model.sealed and model.has_all_brokers
    return is_calm and {name, other} <= set(model.present(STREAM))


def _may_pass_grace(model: Layouts, how: str) -> bool:
    lost = [one for one in model.members.values() if not one.is_connected]
    return bool(lost) and model.may_pass_time and not (how and any(one.waited for one in lost))


def _may_read_all(model: Layouts, *names: str) -> bool:
    group = GROUPS[names[0]]
    if (
        model.is_open_ended
        or sorted(model.present(group)) != sorted(names)
        or not model.is_plain_to_read
        or model.done["session"]
        or model.done["rejoined"]
    ):
        return False
    return any(model.unread(group, segment) for segment in model.subscriptions[group].consumed)


def _may_look(model: Layouts, *names: str) -> bool:
    return not model.is_open_ended and sorted(model.present(GROUPS[names[0]])) == sorted(names) and bool(model.changes)


def _may_register(model: Layouts) -> bool:
    return not model.is_open_ended and REGISTERED not in model.subscriptions


def _may_wait(model: Layouts, segment: str) -> bool:
    return not model.is_open_ended and may_wait(model, segment)


def _may_queue(model: Layouts) -> bool:
    return not model.is_open_ended and not model.done[_QUEUE] and model.is_plain_to_read and _has_messages(model)


def _may_take_checkpoints(model: Layouts) -> bool:
    there = [one for one in model.segments.values() if one.values]
    return not model.is_open_ended and not model.done["jobs"] and model.is_plain_to_read and len(there) == 1 and _has_messages(model)


def _may_go_back(model: Layouts) -> bool:
    has_more = sum(len(one.values) for one in model.segments.values()) > 1
    return not model.is_open_ended and bool(model.taken) and not model.done["went back"] and model.is_plain_to_read and has_more


def _may_post(model: Layouts) -> bool:
    return not model.is_open_ended and not model.done["posts"] and not any(one.may_be_gone for one in model.segments.values())


def _has_messages(model: Layouts) -> bool:
    return any(one.values for one in model.segments.values())


def acts() -> Iterator[Act[Layouts]]:
    """All acts of those that read the whole topic."""
    for x in GROUPS:
        yield Act(f"{x} joins", _may_join, _join, (x,))
        yield Act(f"{x} is cut off", _is_connected, _leave, (x,))
        yield Act(f"{x} reconnects before its first connection ends", _is_connected, _lose_former, (x,))
        yield Act(f"{x} reads everything", _may_read_all, _read_all, (x,))
        yield Act(f"a look at what {x} is assigned", _may_look, _look, (x,))
    pair = tuple(name for name, group in GROUPS.items() if group == STREAM)
    yield Act(f"{joined(pair)} read everything", _may_read_all, _read_all, pair)
    yield Act(f"a look at what {joined(pair)} are assigned", _may_look, _look, pair)
    for x, other in (pair, pair[::-1]):
        yield Act(f"{x} reconnects, and {other} is not told", _may_lose_and_return, _lose_and_return, (x, other))
    for how in ("", _BUT_FOR_ITS_END):
        yield Act(f"the grace period passes{how}", _may_pass_grace, _pass_grace, (how,), _TIME)
    yield Act("keepers are registered", _may_register, _register)
    for segment in SEGMENTS:
        yield Act(f"a look at what waits in {segment}", _may_wait, waiting, (segment,))
    yield Act("a queue consumer reads everything", _may_queue, _queue)
    yield Act("a checkpoint consumer reads everything", _may_take_checkpoints, _take_checkpoints)
    yield Act("the checkpoint consumer goes back", _may_go_back, _go_back)
    yield Act("a checkpoint consumer registers", _may_post, _post)
