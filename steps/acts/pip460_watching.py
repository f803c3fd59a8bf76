"""Acts of PIP-460 about clients that watch the layout of a topic or a namespace, and about topics that come and go."""

from collections.abc import Iterator

from .act import Act, ActLine, always
from .pip460_lines import change, given, refused, then, when
from .pip460_model import CHILDREN, FIRST, TOPIC, Layouts, Pip460Watch

WATCHERS = ("V", "W")
_BROKERS, _FAULTS = frozenset({"more-brokers"}), frozenset({"store-faults"})
_ELSEWHERE = " at a broker that has no controller of it"
_NAMES = ("low", "third", "whole")
"""Segments by whose name a client may watch their topic."""
_LOST = "the next event of a change of a layout is lost"


def _watch(model: Layouts, name: str, elsewhere: str) -> list[ActLine]:
    again = name in model.watches or model.done[f"watch {name}"]
    if name in model.watches:
        model.watches[name].is_double = True
    model.watches.setdefault(name, Pip460Watch())
    model.done[f"watch {name}"] += 1
    why = "30" if elsewhere else "33" if again else "27"
    said = f"{TOPIC}{elsewhere}"
    lines = [when(f"client {name} begins to watch {said}", why, f"client {name} has begun to watch {said}"), then("it is done", why)]
    return [*lines, then(f"client {name} is notified how {TOPIC} is now, first of all", why)]


def _watch_oddly(model: Layouts, name: str, what: str) -> list[ActLine]:
    model.watches[name] = Pip460Watch()
    model.done[f"watch {name}"] += 1
    lines = [when(f"client {name} begins to watch {what}", "27"), then("it is done", "27")]
    return [*lines, then(f"client {name} is notified how {TOPIC} is now, first of all", "27")]


def notified(model: Layouts, name: str) -> list[ActLine]:
    """What a client that watches receives: all changes in its watch, and nothing in one that it has closed."""
    lines = [then(f"client {name} is notified how {TOPIC} is now, with parents and children", "28")]
    lines.append(then(f"client {name} is sent growing epochs", "29"))
    return [*lines, *([then(f"client {name} is sent nothing in the watch that it closed", "32")] if model.watches[name].has_closed else [])]


def _close_another(model: Layouts, name: str) -> list[ActLine]:
    """A second watch of a client, so that what it receives in the first one shows when a change is known."""
    model.watches[name].has_closed = True
    return [given(f"client {name} has begun to watch {TOPIC}", "32"), given(f"client {name} has closed its watch", "32")]


def _lose(model: Layouts, name: str) -> list[ActLine]:
    del model.watches[name]
    return [given(f"client {name} has lost its connection", "33")]


_look_up = always(then(f"a lookup of {TOPIC} soon answers where its segments are", "30"))


def _recreate(model: Layouts, is_notified: str) -> list[ActLine]:
    """Clients of the topic are notified; the new topic has nothing of the former one."""
    members, watches, stale = list(model.members), list(model.watches), _stale(model)
    connected = [name for name in members if model.members[name].is_connected]
    model.recreate()
    lines = [*([given(_LOST, "28")] if is_notified else []), given(f"{TOPIC} has been deleted as a whole", "47")]
    lines += [line for name in stale for line in refused(f"a client opens a producer of {name}", "47")]
    lines += refused(f"an administrator looks at the layout of {TOPIC}", "47")
    made = f'the scalable topic "{TOPIC}" of segments "{FIRST[0]}" and "{FIRST[1]}"'
    lines += [when(f"an administrator makes {made}", "47", made), then("it is done", "47")]
    lines += [then(f"{TOPIC} has 2 equal segments of its first epoch", "47")]
    lines += [then(f"client {name} is notified that {TOPIC} was deleted, or how it is now", "28") for name in watches]
    if connected and model.used.isdisjoint(CHILDREN["right"]):
        model.change(("right",), CHILDREN["right"])
        lines.append(given(change(("right",), CHILDREN["right"]), "47"))
    return [*lines, *(then(f"soon {name} is sent away, or notified of {TOPIC} as it is now", "47") for name in connected)]


def _stale(model: Layouts) -> list[str]:
    """Segments of the deleted topic that the new one does not have."""
    return [name for name in model.segments if name not in FIRST][:2]


def _make_again(model: Layouts) -> list[ActLine]:
    """The topic exists, and stays as it is."""
    made = f'the scalable topic "{TOPIC}" of segments "x", "y" and "z"'
    lines = refused(f"an administrator makes {made}", "46")
    return lines if model.has_waited else [*lines, then(f"{TOPIC} is at epoch {model.epoch}", "46")]


def _may_watch(model: Layouts, name: str, elsewhere: str) -> bool:
    """Where another topic was used first, a broker may take a segment only when it is used, and not yet be known for it."""
    one = model.watches.get(name)
    is_there = not elsewhere or model.is_spread
    return not model.is_open_ended and not model.done["episode"] and is_there and (one is None or not (one.is_double or one.has_closed))


def _may_watch_oddly(model: Layouts, name: str, what: str) -> bool:
    segment = what.partition(" ")[0]
    return (
        not model.is_open_ended
        and not model.done["episode"]
        and name not in model.watches
        and (segment == TOPIC or segment in model.segments)
    )


def _is_watching(model: Layouts, name: str) -> bool:
    return not model.is_open_ended and name in model.watches


def _may_close(model: Layouts, name: str) -> bool:
    return _is_watching(model, name) and not model.watches[name].has_closed


def _may_recreate(model: Layouts, _: str) -> bool:
    return not model.is_open_ended and not model.is_recreated and model.has_all_brokers


def acts() -> Iterator[Act[Layouts]]:
    """All acts of clients that watch, and of topics that come and go."""
    for x in WATCHERS:
        yield Act(f"{x} watches", _may_watch, _watch, (x, ""))
        yield Act(f"{x} watches at another broker", _may_watch, _watch, (x, _ELSEWHERE), _BROKERS)
        for what in (*_NAMES, f"{TOPIC} as a persistent topic"):
            yield Act(f"{x} watches {what}", _may_watch_oddly, _watch_oddly, (x, what))
        yield Act(f"a look at what {x} is told", _is_watching, notified, (x,))
        yield Act(f"{x} watches once more, and closes that watch", _may_close, _close_another, (x,))
        yield Act(f"{x} loses its connection", _is_watching, _lose, (x,))
    yield Act("a lookup of the segments", lambda model: not model.is_open_ended, _look_up)
    yield Act("the topic is deleted and created again", _may_recreate, _recreate, ("",))
    yield Act("the same, of which an event is lost", _may_recreate, _recreate, ("lost",), _FAULTS)
    yield Act("the topic is created though it is there", lambda model: not model.is_open_ended, _make_again)
