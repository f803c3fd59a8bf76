"""Acts of PIP-460 about two stream consumers of which one is away: it is cut off, the controller fails over, time passes, it returns.

Each of the two has a segment, so that an act needs a topic of its own; it comes once in a sequence.
"""

from collections.abc import Iterator

from .episodes import Episode

_BASE = (
    'the scalable topic "payments" of segments "a" and "b"',
    'gil has joined "clerks" of payments',
    'hal has joined "clerks" of payments',
    "mine and yours are those of gil and hal",
)
_OWN = {"gil": "mine", "hal": "yours"}
_NEARLY, _OVER = "the grace period has passed but for its end", "the grace period passes"
_MOST_ASKED = "the grace period passes but for its end"
_CRASHED, _RETENTION = "the system has crashed and restarted", "the retention of sealed segments passes"
_ONCE = "each active segment of payments is assigned once to gil and hal"
_TIME, _CRASH = frozenset({"virtual-time"}), frozenset({"crash"})
_BROKERS, _FAULTS = frozenset({"more-brokers"}), frozenset({"store-faults"})
_TAKEN_OVER = "the controller of payments has been replaced while it lives"


def _join(name: str) -> str:
    return f'{name} joins "clerks" of payments'


def _joined(name: str) -> str:
    return f'{name} has joined "clerks" of payments'


def _cut_off(name: str) -> str:
    return f"{name} has been cut off"


def _keeps(name: str, *, undisturbed: bool = False) -> str:
    return f"{name} is assigned {_OWN[name]}{', and was notified of no others' if undisturbed else ''}"


def episodes() -> Iterator[Episode]:
    """All of them, of either consumer."""
    for x, other in (("gil", "hal"), ("hal", "gil")):
        mine, both = (_OWN[x], _OWN[other]), (_keeps(x), _keeps(other, undisturbed=True))
        written = f'"h1" has been written to {mine[0]}', f'"h2" has been written to {mine[0]}'
        read, split = f'the reading of {x} has come to "h1"', f"{mine[0]} has been split into one and two"
        split_now = f"{mine[0]} is split into one and two"
        yield Episode(_BASE, f"{x} is cut off", (_keeps(other, undisturbed=True),), "37")
        yield Episode((*_BASE, _cut_off(x)), _join(x), ("it is done", *both), "37")
        goes_on = (f'the reading of {x} was "h1", "h2"',)
        yield Episode((*_BASE, *written, read, _cut_off(x), _joined(x)), f'the reading of {x} comes to "h2"', goes_on, "37")
        drained = (written[0], read, _cut_off(x), _joined(x))
        yield Episode((*_BASE, *drained), split_now, (_ONCE,), "37")
        former = f"{x} has been cut off from its first connection"
        yield Episode((*_BASE, _joined(x), former), split_now, (_ONCE,), "37")
        yield Episode((*_BASE, _cut_off(x), split), _join(x), (_ONCE, f"{other} was notified of no other segments"), "37")
        twice = (_cut_off(x), _NEARLY, _joined(x), _cut_off(x))
        yield Episode((*_BASE, *twice), _MOST_ASKED, (_keeps(other, undisturbed=True),), "37", _TIME)
        yield Episode((*_BASE, _cut_off(x), _joined(x)), _OVER, both, "37", _TIME)
        third = ('kim has joined "clerks" of payments', _cut_off(x), _NEARLY, _cut_off(other))
        yield Episode((*_BASE, *third), _MOST_ASKED, ("kim is assigned yours",), "37", _TIME)
        yield Episode((*_BASE, *written, read, _cut_off(x)), _OVER, (f"{other} is assigned a and b",), "38", _TIME)
        after = (written[0], _cut_off(x), "the grace period has passed", f'the reading of {other} has come to "h1"', _CRASHED)
        yield Episode((*_BASE, *after), _join(other), (f"{other} is assigned a and b",), "38", _TIME | _CRASH)
        deep = (split, "one has been split into three and four", _cut_off(x))
        yield Episode((*_BASE, *deep), _RETENTION, (f"{other} is assigned three and four and two and {mine[1]}",), "38", _TIME)
        yield Episode((*_BASE, _CRASHED), _join(x), ("it is done", _keeps(x)), "39", _CRASH)
        yield Episode((*_BASE, _CRASHED, _joined(other)), _join(x), both, "39", _CRASH)
        yield Episode(
            (*_BASE, written[0], _CRASHED, _joined(x)), f'the reading of {x} comes to "h1"', (f'the reading of {x} was "h1"',), "39", _CRASH
        )
        late = (_cut_off(x), _NEARLY, _CRASHED)
        yield Episode((*_BASE, *late, _joined(other)), _MOST_ASKED, (_keeps(other, undisturbed=True),), "52", _TIME | _CRASH)
        yield Episode((*_BASE, *late, _NEARLY), _join(x), (_keeps(x),), "52", _TIME | _CRASH)
        yield Episode((*_BASE, _CRASHED, _joined(other)), _OVER, (f"{other} is assigned a and b",), "52", _TIME | _CRASH)
        interim = (_cut_off(x), _NEARLY, _TAKEN_OVER, _joined(x), _TAKEN_OVER)
        yield Episode((*_BASE, *interim), _MOST_ASKED, (_keeps(other, undisturbed=True),), "52", _TIME | _BROKERS | _FAULTS)
    both_read = 'the reading of gil and hal comes to "h1", "h2"'
    due = ('the reading of gil was "h1"', 'the reading of hal was "h2"')
    messages, gone = ('"h1" has been written to mine', '"h2" has been written to yours'), "the controller of payments has crashed"
    yield Episode((*_BASE, *messages, gone), both_read, due, "40", _BROKERS)
    yield Episode((*_BASE, gone, *messages), both_read, due, "40", _BROKERS)
    alone = (_BASE[0], 'gil has joined "clerks" of payments', _TAKEN_OVER)
    reported = ("soon gil is sent away, or notified of payments as it is now",)
    yield Episode(alone, "a is split into one and two", reported, "41", _BROKERS | _FAULTS)
    again = (*alone, 'gil has joined "clerks" of payments', "the grace period has passed")
    yield Episode(
        again, "a is split into one and two", ("it is done", "gil is assigned one and two and b"), "41", _BROKERS | _FAULTS | _TIME
    )
    regained = (_BASE[0], _TAKEN_OVER, _TAKEN_OVER)
    yield Episode((*regained, gone), 'gil joins "clerks" of payments', ("it is done", "gil is assigned a and b"), "41", _BROKERS | _FAULTS)
