"""Acts of PIP-460 about what a stream consumer is assigned while a sealed segment is not drained, and what retention keeps of it.

What has to be drained differs: a message, one of several, one of a batch, what a transaction has written or acknowledged.
"""

from collections.abc import Iterator

from .episodes import Episode

_MADE = 'the scalable topic "payments" of segments "a" and "b"'
_JOINED, _JOINS = 'gil has joined "clerks" of payments', 'gil joins "clerks" of payments'
_SPLIT, _AGAIN = "a has been split into one and two", "one has been split into three and four"
_PASSED, _PASSES = "the retention of sealed segments has passed", "the retention of sealed segments passes"
_CRASHED = "the system has crashed and restarted"
_TIME, _CRASH = frozenset({"virtual-time"}), frozenset({"crash"})
_WRITTEN, _BATCH = '"h1" has been written to a', 'a batch of "h1", "h2" has been written to a'
_TWO = '"h1" has been written to a', '"h2" has been written to a'
_RECEIVED = 'the consumer of {} subscription "clerks" has received {} from a'
_DONE = '{} has been acknowledged for "clerks" without a transaction'
_OTHERS_DONE = '"h1" has been acknowledged for "others" without a transaction'
_KEPT = ("gil is assigned a and b",)


def episodes() -> Iterator[Episode]:
    """All of them."""
    both = '"h1", "h2"'
    received = _RECEIVED.format("shared", both)
    for given in ((_WRITTEN,), (_WRITTEN, 'the reading of gil has come to "h1", unacknowledged')):
        yield Episode((_MADE, _JOINED, *given, _SPLIT), "b is split into five and six", ("gil is assigned a and five and six",), "45")
    drained = ("gil is assigned one and two and b",)
    yield Episode((_MADE, _JOINED, _WRITTEN, _SPLIT), 'the reading of gil comes to "h1"', drained, "45")
    yield Episode((_MADE, _JOINED, _WRITTEN, _SPLIT, _CRASHED), _JOINS, _KEPT, "45", _CRASH)
    for later in ((_AGAIN,), (_AGAIN, _PASSED)):
        needs = _TIME if _PASSED in later else frozenset()
        due = ("gil is assigned a and five and six",)
        yield Episode((_MADE, _JOINED, _WRITTEN, _SPLIT, *later), "b is split into five and six", due, "45", needs)
    for written in (_TWO, (_BATCH,)):
        for which in ('"h1"', '"h2"'):
            yield Episode((_MADE, *written, received, _DONE.format(which), _SPLIT), _JOINS, _KEPT, "45")
    apart = ('hal has joined "others" of payments', _WRITTEN, _SPLIT)
    yield Episode((_MADE, _JOINED, *apart), 'the reading of hal comes to "h1"', ("hal is assigned one and two and b", *_KEPT), "45")
    inside = ("transaction P", 'P has written "h1" to a', _SPLIT)
    yield Episode((_MADE, _JOINED, *inside), "b is split into five and six", ("gil is assigned a and five and six",), "45")
    attached = _RECEIVED.format("shared", "nothing")
    yield Episode((_MADE, attached, *inside, _JOINED), "P aborts", drained, "45")
    pending = ("transaction P", *_TWO, _RECEIVED.format("exclusive", both), 'P has acknowledged everything up to "h2" for "clerks"', _SPLIT)
    yield Episode((_MADE, *pending), _JOINS, _KEPT, "45")
    yield Episode((_MADE, *pending), _PASSES, ('a and segments "one" and "two" name each other',), "14", _TIME)
    merged = (_SPLIT, '"h1" has been written to two', "one and two have been merged into three")
    yield Episode((_MADE, _JOINED, *merged), "b is split into five and six", ("gil is assigned two and five and six",), "45")
    registered = 'subscription "{}" has been registered for payments'
    others = 'the consumer of shared subscription "others" has received "h1" from a'
    one_done = (
        registered.format("clerks"),
        registered.format("others"),
        _WRITTEN,
        others,
        _OTHERS_DONE,
    )
    yield Episode((_MADE, *one_done, _SPLIT), _PASSES, ('subscription "clerks" has "h1" waiting in a',), "14", _TIME)
    kept = (registered.format("clerks"), *merged)
    yield Episode((_MADE, *kept), _PASSES, ('subscription "clerks" has "h1" waiting in two',), "14", _TIME)
    part = (*_TWO, received, _DONE.format('"h2"'), _SPLIT)
    yield Episode((_MADE, *part), _PASSES, ('subscription "clerks" has "h1" left',), "14", _TIME)
    unregistered = (
        _WRITTEN,
        _RECEIVED.format("shared", '"h1"'),
        registered.format("others"),
        others,
        _OTHERS_DONE,
    )
    yield Episode((_MADE, *unregistered, _SPLIT), _PASSES, ('subscription "clerks" has "h1" left',), "14", _TIME)
    yield Episode(
        (_MADE, registered.format("clerks"), *inside, _PASSED), "P commits", ('subscription "clerks" has "h1" waiting in a',), "14", _TIME
    )
    settled = (_WRITTEN, _RECEIVED.format("shared", '"h1"'), _SPLIT, _DONE.format('"h1"'))
    yield Episode((_MADE, *settled), '"h2" is written to one', ('the next consumer of "clerks" is notified of the end of a',), "14")
    unloaded = "a has been unloaded"
    yield Episode((_MADE, *settled, unloaded), '"h2" is written to one', ('subscription "clerks" has nothing left',), "16")
    for place in ("one", "two"):
        left = f'the consumer of shared subscription "clerks" has received nothing from {place}'
        due = ('subscription "clerks" has "h1" waiting in three',)
        yield Episode((_MADE, _SPLIT, left, "one and two have been merged into three"), '"h1" is written to three', due, "18")
