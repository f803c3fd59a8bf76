"""Acts of the transaction key that are complete in themselves, since they need separate keys, tasks and topics: clients of two keys that
reconnect, two keys of one coordinator, what a successor takes over, what becomes visible, late messages, clients without a key.

Each comes once in a sequence.
"""

from collections.abc import Iterator
from itertools import product

from . import episodes
from .act import Act, ActLine, LinesOf
from .episodes import Episode
from .transaction_key_model import KnownKeys

_LINES = LinesOf("TXKEY")
_KEYED, _CRASH, _FAULTS, _POINTS, _STORE, _MORE = (
    frozenset({needs}) for needs in ("transaction-keys", "crash", "key-topic-faults", "crash-points", "store-faults", "more-coordinators")
)
_KEY, _OTHER = 'key "till"', 'key "vault"'
_DESK, _CRASHED, _COMPACTED = 'the topic "desk" with "d1"', "the system has crashed and restarted", "the key topic has been compacted"
_UNLOADED = "desk has been unloaded"
_OWNS, _BEGUN, _WROTE = f"task base has connected with {_KEY}", "task base has begun transaction X", 'X has written "x1" to desk'
_OPEN = (_DESK, _OWNS, _BEGUN)
_CONNECTS, _CONNECTED = f"task mate connects with {_KEY}", f"task mate has connected with {_KEY}"
_SHARES = f"task mate has connected with {_OTHER} at the coordinator of task base"
_FENCES = {"05": (_CONNECTS, _CONNECTED), "14": ("task base begins transaction Y", "task base has begun transaction Y")}
_DELETION = (f"{_KEY} is deleted", f"{_KEY} has been deleted")
_ENDINGS = (*_FENCES.values(), _DELETION)
_RECEIVED = 'the consumer of {} subscription "{}" has received {} from desk'
_NEEDS = {_CRASHED: _CRASH, _COMPACTED: _FAULTS}


def _episode(givens: tuple[str, ...], asks: str, due: tuple[str, ...], why: str, *needs: frozenset[str], races: bool = False) -> Episode:
    """An episode with the capabilities that its Givens need."""
    own = (_NEEDS[text] for text in givens if text in _NEEDS)
    return Episode(givens, asks, due, why, _KEYED.union(*needs, *own), races)


def _of_reconnects() -> Iterator[Episode]:
    """Either the coordinator keeps both transactions, or it aborts both."""
    both = (_DESK, _OWNS, f"task mate has connected with {_OTHER}", _BEGUN, "task mate has begun transaction Y")
    again = "task base has connected again"
    for wrote, times, between in product(((), (_WROTE,), ('Y has written "y1" to desk',)), (1, 2), ("", _CRASHED, _COMPACTED, _UNLOADED)):
        givens = (*both, *wrote, *(again,) * times, *((between,) if between else ()))
        yield _episode(givens, "task mate connects again", ("it is done", "transactions X and Y stand alike"), "26")


def _of_successors() -> Iterator[Episode]:
    """What is attached to the previous connection is free for the next one."""
    for what in ("producer P of desk", 'the only consumer of desk as "clerks"'):
        near = (_OWNS, 'the topic "desk" next to the coordinator of task base', f"task base has opened {what}")
        yield _episode((*near, _CONNECTED), f"task mate opens {what}", ("it is done",), "04")
        third = f"task heir has connected with {_KEY}"
        yield _episode((*near, _CONNECTED, f"task mate has opened {what}", third), f"task heir opens {what}", ("it is done",), "04")
        yield _episode((*near, _DELETION[1], _CONNECTED), f"task mate opens {what}", ("it is done",), "04")


def _of_two_keys() -> Iterator[Episode]:
    """Two keys of one coordinator: of one of them, the connection ends, or the next owner connects, also after crashes."""
    here = (_DESK, _OWNS, _SHARES)
    both = (*here, _BEGUN, "task mate has begun transaction Y")
    asks, given = "task heir connects with {}", "task heir has connected with {}"
    for key, name, left in ((_KEY, "base", "mate"), (_OTHER, "mate", "base")):
        closed = (f"the connection of task {name} is closed", "the connection of task heir is open")
        yield _episode((*here, f"task {left} has left"), asks.format(key), closed, "04")
        greater = f"task heir is given a greater epoch than task {name}"
        lost, kept = ("X", "Y") if name == "base" else ("Y", "X")
        for between in ((), (_CRASHED,), (_CRASHED, _CRASHED), (_COMPACTED, _CRASHED)):
            due = (greater, f"{lost} is ABORTED", f"{kept} is OPEN")
            yield _episode((*both, *between), asks.format(key), due, "21" if between else "15")
            yield _episode((*both, *between, given.format(key)), f"{kept} commits", ("it is done",), "15")
        tried = ("the system will crash after-epoch-persisted", f"task heir has tried to connect with {key}")
        yield _episode((*both, *tried), "the system restarts", (f"{lost} is ABORTED", f"{kept} is OPEN"), "23", _POINTS)
    apart = f"task mate has connected with {_OTHER} at another coordinator next to that of task base"
    second = f"task base has tried to connect with {_OTHER} on its old connection"
    kept_open = ("X is OPEN", "the connection of task base is open")
    spread = ("the system has 5 coordinators", *_OPEN, apart)
    yield _episode((*spread, second), asks.format(_OTHER), kept_open, "15", _MORE)
    elsewhere = "at another coordinator than its own"
    own = f"task base asks for a new transaction {elsewhere} on its old connection"
    yield _episode((spread[0], *_OPEN), own, ("it is refused", *kept_open), "19", _MORE)
    yield _episode((spread[0], *_OPEN), f"{_CONNECTS} {elsewhere}", ("it is refused", *kept_open), "19", _MORE)
    yield _episode((*spread, "task mate has begun 40 transactions, each fencing the one before"), _WRITES, ("it is done",), "15", _MORE)


_WRITES = 'X writes "x2" to desk'


def _of_visibility() -> Iterator[Episode]:
    """What waits for the end of a fenced transaction is there at once, also for consumers that are connected."""
    plain, first = '"p1" has been written to desk', '"p1" before any other write'
    waiting = 'the consumer of shared subscription "clerks" has received "d1" from desk'
    later, committed = "transaction Z", 'Z has committed "z1" to desk'
    one, other = _RECEIVED.format("shared", "clerks", '"d1"'), _RECEIVED.format("shared", "porters", '"d1"')
    for asks, _ in _ENDINGS:
        yield _episode((*_OPEN, waiting, _WROTE, plain), asks, (f'the consumer of "clerks" receives {first}',), "06")
        yield _episode((*_OPEN, _WROTE, later, committed), asks, ('readers of desk see "d1", "z1"',), "06")
        both = ('X has acknowledged "d1" for "clerks"', 'X has acknowledged "d1" for "porters"')
        due = tuple(f'the consumer of "{name}" receives "d1" before any other write' for name in ("clerks", "porters"))
        yield _episode((*_OPEN, one, other, *both), asks, due, "06")
        yield _episode((*_OPEN, "X has added desk"), asks, ("X is ABORTED", 'readers of desk see "d1"'), "05")
        batch = 'X has written a batch of "x1", "x2" to desk'
        yield _episode((*_OPEN, batch, plain), asks, ("X is ABORTED", 'readers of desk see "d1", "p1"'), "05")


def _of_late_messages() -> Iterator[Episode]:
    """A late message blocks no reader, however many there are, whatever the transaction had of the topic."""
    had = {"": ", which it has not added", "X has added desk": "", _WROTE: ""}
    late = ('X has tried to write "late" to desk', 'X has tried to write "later" to desk')
    for (has, new), (_, fenced), between, count in product(had.items(), _ENDINGS, ("", _CRASHED, _UNLOADED), (1, 2)):
        if between and (count == 2 or (between == _UNLOADED and not has)):
            continue
        said = (*_OPEN, *((has,) if has else ()), fenced, *((between,) if between else ()), *(f"{text}{new}" for text in late[:count]))
        yield _episode(said, '"p1" is written to desk', ('readers of desk see "d1", "p1"',), "34")
    refused = ("it is refused with InvalidTxnStatus", 'the refusal begins with "ExpiredTransaction"', 'readers of desk see "d1"')
    for has, (_, fenced) in product(("X has added desk", _WROTE), _FENCES.values()):
        yield _episode((*_OPEN, has, fenced), 'X writes a batch of "late", "later" to desk', refused, "07")
    for twice in ((), (_CRASHED,), (_CRASHED, _CRASHED)):
        for _, fenced in _FENCES.values():
            yield _episode((*_OPEN, fenced, *twice), 'X writes "late" to desk, which it has not added', refused, "07")
        many = f"{_CONNECTED}; task mate has begun 40 transactions, each fencing the one before".split("; ")
        yield _episode((*_OPEN, *many, *twice), 'X writes "late" to desk, which it has not added', refused[:1], "07")


def _of_clients_without_a_key() -> Iterator[Episode]:
    """A client without a key fences no other, and no other fences it."""
    plain = (_DESK, "transaction Z", 'Z has written "z1" to desk', _OWNS)
    for between in ((), (_CRASHED,)):
        yield _episode((*plain, *between), _CONNECTS, ("Z is OPEN",), "30")
        commits, seen = "Z commits", 'readers of desk see "d1", "z1"'
        yield _episode((*plain, _BEGUN, *between), commits, ("it is done", seen, "X is OPEN"), "30")
        for _, fenced in _ENDINGS:
            yield _episode((*plain, _BEGUN, fenced, *between), commits, ("it is done", seen), "30")
    turns = "4 transactions begin at 2 clients in turn"
    alone = f"{_KEY} is at the epoch of task base, with transaction X open"
    yield _episode((*plain, _BEGUN), turns, ("the transaction ids are distinct", "Z is OPEN", "X is OPEN", alone), "30")
    yield _episode((*plain, "task mate has connected with no key"), "task heir connects with no key", ("it is done", "Z is OPEN"), "30")


def _of_trouble() -> Iterator[Episode]:
    """A store that does not answer, records that cannot be read."""
    failure = "the store does not answer the next change of a header, and {}"
    for how, (asks, _) in product(("does not write it", "has written it"), _ENDINGS[1:]):
        yield _episode((*_OPEN, _WROTE, failure.format(how)), asks, ("X is ABORTED", 'readers of desk see "d1"'), "36", _STORE)
    committed = (*_OPEN, "X has committed", "the store does not answer the next look at a header")
    tried = f"task mate has tried to connect with {_KEY}"
    yield _episode((*committed, tried), "X commits", ("it is done, or refused with TransactionNotFound",), "37", _STORE)
    for trouble in ("has an empty record", "has half a record", "has a record of another version"):
        said = (_OWNS, f"the key topic {trouble}", _CONNECTED, _CRASHED)
        due = ("it is done", "task heir is given a greater epoch than task mate", "operators are notified of 1 records that cannot be read")
        yield _episode(said, f"task heir connects with {_KEY}", due, "22", _FAULTS)


def _of_races() -> Iterator[Episode]:
    """A connect concurrently with an end."""
    acknowledged = (_RECEIVED.format("shared", "clerks", '"d1"'), 'X has acknowledged "d1" for "clerks"')
    ready = (*_OPEN, *acknowledged, 'the topic "shelf"', 'X has written "x1" to shelf')
    for order in ("", ", the connect first"):
        due = ("it is done", "shelf agrees with the answers", '"clerks" agrees with the answers')
        yield _episode(ready, f"{_CONNECTS} while X is asked to commit{order}", due, "25", races=True)
    yield _episode(ready, f"{_CONNECTS} while X is asked to abort", ("it is done", "readers of shelf see nothing"), "25", races=True)


def _says(model: KnownKeys, one: Episode) -> list[ActLine]:
    model.done["waits"] += 1
    model.done["coordinators"] += bool(one.needs & _MORE)
    if one.needs & (_CRASH | _POINTS):
        model.done["crash"] += 1
        model.go_down()
    if any("key topic has a" in text or "half a record" in text for text in one.givens):
        model.done["unreadable"] += 1
    return one.lines(_LINES)


def _may_come(model: KnownKeys, one: Episode) -> bool:
    """Not where another act uses these names, participants are notified late, or there is another unreadable record. After a crash one
    broker may have the coordinators, and another one each new topic.
    """
    is_apart = not model.done["waits"] and not model.done["coordinators"]
    is_near = any("next to" in text for text in one.givens)
    return is_apart and not (one.why == "22" and model.done["unreadable"]) and not (is_near and model.done["crash"])


_THEMES = (
    _of_reconnects,
    _of_successors,
    _of_two_keys,
    _of_visibility,
    _of_late_messages,
    _of_clients_without_a_key,
    _of_trouble,
    _of_races,
)


def acts() -> Iterator[Act[KnownKeys]]:
    """One kind for each theme."""
    for theme in _THEMES:
        yield from episodes.acts_of(theme(), _may_come, _says)
