"""Acts of PIP-460 that change the layout: splits and merges, also refused, concurrent and unfinished ones; and looks at the layout."""

from collections.abc import Iterator

from .act import Act, ActLine, joined
from .pip460_lines import change, given, layout, readers, refused, requested, then, when
from .pip460_model import CHILDREN, FIRST, MERGED, SEGMENTS, TOPIC, Layouts
from .pip460_writing import is_sealed

_POINTS = ("after-subscriptions", "after-children", "before-terminate", "after-terminate", "after-layout", "after-told")
_MADE = frozenset({"after-layout", "after-told"})
"""The points of a change after which the layout has it."""
_CRASHES, _FAULTS, _BROKERS = frozenset({"crash-points"}), frozenset({"store-faults"}), frozenset({"more-brokers"})
_TIME = frozenset({"virtual-time"})
_CHANGES: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = (
    *(((parent,), children) for parent, children in CHILDREN.items()),
    *((parents, (child,)) for parents, child in MERGED.items()),
)
_TROUBLES = {
    f"the layout of {TOPIC} meets another version at its next change": "41",
    f"the layout of {TOPIC} is not written at its next change": "51",
    "the store does not answer the next change of a layout, and does not write it": "51",
    "the store does not answer the next change of a layout, and has written it": "51",
}
_NEWS = ("lost", "late", "delivered twice")
_NEW_WATCHES = frozenset({"the disturbance reconnect"})
"""A client that watches again may be sent the layout that its broker knows, which was not notified of the last change."""
_IMPOSSIBLE = "it is refused as something that cannot be done"
_STRANGER = f"stranger is a segment that does not exist of {TOPIC}"
_OUTDATED = f"the layout of {TOPIC} is read as it was before its last change for some seconds"
_ODD = (("left", "right"), ("high", "right"), ("high", "third"), ("first", "second", "high"))
"""Segments that are not of one split: such a merge is made as a whole, or refused."""


_AT_ONCE: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = (
    (("left",), ("right",)),
    (("left",), ("left",)),
    (("low", "high"), ("high",)),
    (("right",), ("low", "high")),
    (("low", "high"), ("low", "high")),
)
"""Changes that two administrators ask for."""


def _change(model: Layouts, parents: tuple[str, ...], children: tuple[str, ...]) -> list[ActLine]:
    """A change, its answer, and what the layout says of it."""
    is_split = len(parents) == 1
    why = "03" if is_split else "10"
    verb = f"{parents[0]} is split into" if is_split else f"{joined(parents)} are merged into"
    model.change(parents, children)
    lines = [when(f"{verb} {joined(children)}", why, change(parents, children)), then("it is done", why)]
    lines.append(then(f"the hashes of {joined(parents)} are those of {joined(children)}{', half each' if is_split else ''}", why))
    if model.has_waited:
        return lines
    return [*lines, then(f"{TOPIC} is at epoch {model.epoch}, which created {joined(children)} and sealed {joined(parents)}", "06")]


def _split(model: Layouts, parent: str, *children: str) -> list[ActLine]:
    return _change(model, (parent,), children)


def _merge(model: Layouts, one: str, other: str, child: str) -> list[ActLine]:
    return _change(model, (one, other), (child,))


def _change_unheard(model: Layouts, parent: str, loss: str, *children: str) -> list[ActLine]:
    """Only the event by which other brokers learn of the change is disturbed."""
    model.done["unheard"] += 1
    return [given(f"the next event of a change of a layout is {loss}", "28"), *_change(model, (parent,), children)]


def _change_in_traffic(model: Layouts, *names: str) -> list[ActLine]:
    parents, children = _parted(names)
    verb = f"{parents[0]} is split into" if len(parents) == 1 else f"{joined(parents)} are merged into"
    model.change(parents, children)
    model.disturb((*parents, *children))
    model.done["traffic"] += 1
    lines = [when(f"{verb} {joined(children)} while it is written to", "15")]
    lines.append(then(f"what was receipted is read exactly once from {TOPIC}, and nothing else twice", "15"))
    for name, one in model.segments.items():
        one.has_sentinel |= name in model.active
    return [*lines, then("no segment took a message when its child had taken one", "19")]


def _split_refused(model: Layouts, segment: str) -> list[ActLine]:
    return [*refused(f"a split of {segment} is asked for", "08", _IMPOSSIBLE), *_unchanged(model)]


def _merge_refused(model: Layouts, *segments: str) -> list[ActLine]:
    return [*refused(f"a merge of {joined(segments)} is asked for", "11", _IMPOSSIBLE), *_unchanged(model)]


def _unknown_refused(model: Layouts, *segments: str) -> list[ActLine]:
    asked, why = (f"a split of {segments[0]}", "08") if len(segments) == 1 else (f"a merge of {joined(segments)}", "11")
    return [given(_STRANGER, why), *refused(f"{asked} is asked for", why, _IMPOSSIBLE), *_unchanged(model)]


def _unchanged(model: Layouts) -> list[ActLine]:
    return [] if model.has_waited else [then(f"{TOPIC} is at epoch {model.epoch}", "08")]


def _ask_for_both(model: Layouts, *names: str) -> list[ActLine]:
    at = names.index("and")
    one, other = names[:at], names[at + 1 :]
    model.is_open_ended = True
    model.changes += 1
    return [when(f"{requested(one)} and {requested(other)} are asked for at the same time", "20"), *_whole(model, "20")]


def _merge_oddly(model: Layouts, *segments: str) -> list[ActLine]:
    model.is_open_ended = True
    model.changes += 1
    return [when(f"a merge of {joined(segments)} is asked for", "12"), *_whole(model, "12")]


def _whole(model: Layouts, why: str) -> list[ActLine]:
    """Whatever was made, was made as a whole, and clients that read or write find all of it."""
    lines = [] if model.has_waited or model.is_recreated else [then(f"the layout of {TOPIC} is what the answers say", why)]
    if not any(one.has_open for one in model.segments.values()):
        lines.append(then(f"soon each active segment of {TOPIC} takes a message", "51" if why not in ("12", "20") else why))
    for name, one in model.segments.items():
        if one.values and one.is_exact and not one.has_open and not one.may_be_gone:
            lines.append(then(f'readers of {name} get as far as "{one.values[-1]}"', "15"))
    return lines


def _end_unfinished(model: Layouts, point: str, *names: str) -> list[ActLine]:
    parents, children = _parted(names)
    lines = [given(f"the system will crash {point}", "51"), given(f"{requested(parents)} has been tried", "51")]
    lines.append(when("the system restarts", "51", "the system has restarted"))
    model.go_down()
    model.done["unfinished"] += 1
    if point in _MADE:
        model.change(parents, children)
        return [*lines, given(f"{joined(children)} came of {joined(parents)}", "51")]
    model.is_open_ended = True
    model.changes += 1
    other = next((name for name in FIRST if name not in parents and name in model.active), None)
    return [*lines, *([then(f"soon a split of {other} is made", "51")] if other else []), *_whole(model, "51")]


def _change_in_trouble(model: Layouts, trouble: str, *parents: str) -> list[ActLine]:
    model.is_open_ended = True
    model.changes += 1
    why = _TROUBLES[trouble]
    return [given(trouble, why), when(f"{requested(parents)} is asked for", why), *_whole(model, why)]


def _change_by_an_outdated_layout(model: Layouts, *parents: str) -> list[ActLine]:
    model.is_open_ended = True
    model.changes += 1
    return [given(_OUTDATED, "41"), when(f"{requested(parents)} is asked for", "41"), *_whole(model, "41")]


def _prune_by_an_outdated_layout(model: Layouts) -> list[ActLine]:
    """Only the layout is known then: who has waited may have lost what was consumed."""
    model.pass_time()
    model.is_open_ended = True
    lines = [given(_OUTDATED, "41"), when("the retention of sealed segments passes", "41")]
    return [*lines, *_whole(model, "41")]


def _lose_the_controller(model: Layouts) -> list[ActLine]:
    model.done["controller"] += 1
    for one in model.segments.values():
        one.is_reloaded = True
    model.lose_watches()
    for member in model.members.values():
        member.is_connected = member.waited = False
    return [
        given(f"the controller of {TOPIC} has crashed", "41"),
        then(f"a lookup of {TOPIC} soon answers who its controller is", "41"),
        then(f"a lookup of {TOPIC} soon answers where its segments are", "30"),
    ]


def _change_the_controller(model: Layouts) -> list[ActLine]:
    model.done["session"] += 1
    for one in model.members.values():
        one.is_connected = one.waited = False
    said = f"the controller of {TOPIC} has been replaced while it lives"
    return [given(said, "41"), then(f"a lookup of {TOPIC} soon answers who its controller is", "41")]


def _return(model: Layouts) -> list[ActLine]:
    model.done["controller"] = 0
    model.go_down()
    return [given("the system has restarted", "41")]


def _crash(model: Layouts) -> list[ActLine]:
    model.go_down()
    return [given("the system has crashed and restarted", "51")]


def _retain(model: Layouts) -> list[ActLine]:
    model.pass_time()
    return [when("the retention of sealed segments passes", "14", "the retention of sealed segments has passed")]


def _parted(names: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Parents and children."""
    return next((parents, children) for parents, children in _CHANGES if (*parents, *children) == names)


def _may_split(model: Layouts, parent: str, *children: str) -> bool:
    return model.may_change((parent,), children)


def _may_split_unheard(model: Layouts, parent: str, _: str, *children: str) -> bool:
    return model.may_change((parent,), children)


def _may_merge(model: Layouts, one: str, other: str, *children: str) -> bool:
    return model.may_change((one, other), children)


def _may_change(model: Layouts, *names: str) -> bool:
    return model.may_change(*_parted(names))


def _may_trouble(model: Layouts, _: str, *names: str) -> bool:
    return model.is_active(*names)


def _may_go_wrong(model: Layouts, _: str, *names: str) -> bool:
    return _may_change(model, *names) and model.has_all_brokers and not model.done["unfinished"]


def _may_change_in_traffic(model: Layouts, *names: str) -> bool:
    return _may_change(model, *names) and model.is_plain_to_read and not model.done["traffic"] and _is_calm(model)


def _is_one_sealed(model: Layouts, one: str, other: str) -> bool:
    return not model.is_open_ended and {one, other} <= model.segments.keys() and not {one, other}.isdisjoint(model.sealed)


def _may_be_outdated(model: Layouts, *parents: str) -> bool:
    return model.is_active(*parents) and all(model.segments[name].created_at < model.epoch for name in parents)


def _may_ask_for_both(model: Layouts, *names: str) -> bool:
    return model.is_active(*(name for name in names if name != "and"))


def _may_read(model: Layouts, segment: str) -> bool:
    if model.is_open_ended or segment not in model.segments:
        return False
    one = model.segments[segment]
    return one.is_exact and not one.may_be_gone and not one.has_sentinel


def _may_crash(model: Layouts) -> bool:
    return _is_calm(model) and (bool(model.changes) or any(one.entries for one in model.segments.values()))


def _may_prune(model: Layouts) -> bool:
    return _is_calm(model) and bool(model.sealed) and model.may_pass_time


def _may_lose_the_controller(model: Layouts) -> bool:
    """The broker that clients ask first has not become the controller."""
    return _is_calm(model) and not model.is_recreated and not model.has_crashed and not model.done["episode"]


def _is_calm(model: Layouts) -> bool:
    """No broker is missing or has lost its session, and no change may be half made."""
    return not model.is_open_ended and model.has_all_brokers


def acts() -> Iterator[Act[Layouts]]:
    """All acts that change the layout, and looks at it."""
    for parent, children in CHILDREN.items():
        yield Act(f"{parent} is split", _may_split, _split, (parent, *children))
        yield Act(f"a split of {parent}, which is sealed", is_sealed, _split_refused, (parent,))
        for loss in _NEWS:
            said, whom = f"{parent} is split, of which an event is {loss}", (parent, loss, *children)
            yield Act(said, _may_split_unheard, _change_unheard, whom, _FAULTS, excludes=_NEW_WATCHES if loss == "lost" else frozenset())
    for (one, other), child in MERGED.items():
        yield Act(f"{one} and {other} are merged", _may_merge, _merge, (one, other, child))
        yield Act(f"a merge of {one} and {other}, of which one is sealed", _is_one_sealed, _merge_refused, (one, other))
    for parents, born in _CHANGES:
        said, names = requested(parents), (*parents, *born)
        yield Act(f"{said} in traffic", _may_change_in_traffic, _change_in_traffic, names)
        for point in _POINTS:
            yield Act(f"{said} ends {point}", _may_go_wrong, _end_unfinished, (point, *names), _CRASHES)
        for trouble in _TROUBLES:
            yield Act(f"{said} when {trouble}", _may_trouble, _change_in_trouble, (trouble, *parents), _FAULTS)
        yield Act(f"{said} by an outdated layout", _may_be_outdated, _change_by_an_outdated_layout, parents, _FAULTS)
    for name in ("left", "low", "right"):
        yield Act(f"a merge of {name} and itself", Layouts.is_active, _merge_refused, (name, name))
        yield Act(f"a merge of {name} and one that is missing", _may_split, _unknown_refused, (name, "stranger"))
    yield Act("a split of a segment that is missing", lambda model, *_: not model.is_open_ended, _unknown_refused, ("stranger",))
    yield Act("a merge of low and right, which are apart", _may_merge, _merge_refused, ("low", "right"))
    for odd in _ODD:
        yield Act(f"a merge of {joined(odd)} is tried", Layouts.is_active, _merge_oddly, odd)
    for first, second in _AT_ONCE:
        names = (*first, "and", *second)
        yield Act(f"{requested(first)} and {requested(second)} at once", _may_ask_for_both, _ask_for_both, names, races=True)
    for segment in SEGMENTS:
        yield Act(f"a look at {segment}", _may_read, readers, (segment,))
    yield Act("a look at the layout", lambda model: bool(model.changes or model.has_waited), layout)
    yield Act("the retention passes", lambda model: bool(model.sealed) and model.may_pass_time, _retain, (), _TIME)
    yield Act("the retention passes for an outdated layout", _may_prune, _prune_by_an_outdated_layout, (), _FAULTS | _TIME)
    yield Act("a crash", _may_crash, _crash, (), frozenset({"crash"}))
    yield Act("the controller crashes", _may_lose_the_controller, _lose_the_controller, (), _BROKERS)
    yield Act("all brokers return", lambda model: bool(model.done["controller"]), _return, (), _BROKERS)
    yield Act("another controller takes over", _is_calm, _change_the_controller, (), _BROKERS | _FAULTS)
