"""Acts of KIP-890 about what has an end: ids that expire, topics that are deleted, levels that change, and idempotent producers."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from .act import Act, ActLine
from .kip890_episodes import Kip890Episode, acts_of
from .kip890_lines import NEEDS, given, then, when
from .kip890_model import Kip890Clients
from .kip890_words import DECIDED, IDEMPOTENT, KEPT, WASTE, E, F

_EXPIRY, _LEVELS, _LEVEL = "short-expiry", "feature-levels", "transaction.version"
_GONE, _AGAIN = 'topic "waste" has been deleted', 'topic "waste" has been deleted and made again'
_WROTE, _KEPT_TOO = 'E has written "{u}" to waste-0', 'E has written "{u}2" to kept-0'
_OVER = "the transaction of E is over"
_SKIPPED = "it is refused with OUT_OF_ORDER_SEQUENCE_NUMBER"
_FORGOTTEN = "E has stayed idle until payments-0 forgot it"
_LAST = 2**31 - 1

_DELETED = tuple(
    Kip890Episode((WASTE, *givens), asks, due, why)
    for givens, asks, due, why in (
        ((KEPT, E, _WROTE, _KEPT_TOO, _GONE), "E commits", (_OVER, 'readers of kept-0 see "{u}2"'), "230"),
        ((KEPT, E, _WROTE, _KEPT_TOO, _GONE), "E aborts", (_OVER, "readers of kept-0 see nothing"), "230"),
        ((E, _WROTE, _GONE), "E aborts", (_OVER,), "230"),
        ((KEPT, E, _WROTE, _GONE, "E has committed"), 'E writes "more" to kept-0', ("it is done",), "230"),
        (
            (KEPT, E, _WROTE, _KEPT_TOO, _GONE),
            "E initialises again with neither producer id nor epoch",
            ("it is done", DECIDED),
            "230",
        ),
        ((E, _WROTE, _AGAIN), '"{u}p" is written to waste-0', ('readers of waste-0 see "{u}p"',), "231"),
        (
            (E, _WROTE, _AGAIN, '"{u}p" has been written to waste-0'),
            "E aborts",
            ('readers of waste-0 see "{u}p"', "a read_committed Fetch of waste-0 lists no aborted transaction"),
            "231",
        ),
        ((E, _WROTE, "E has aborted", _AGAIN), 'E commits "{u}3" to waste-0', ('readers of waste-0 see "{u}3"',), "231"),
        ((E, _WROTE, "E has committed"), 'topic "waste" is deleted and made again', ("waste-0 has no state of E",), "231"),
        (
            (E, 'E has sent offset 5 of payments-0 and waste-0 to group "{u}"', "E has committed"),
            'topic "waste" is deleted and made again',
            ('group "{u}" has no committed offset of waste-0', 'group "{u}" has committed offset 5 of payments-0'),
            "409",
        ),
        (
            (E, 'E has sent offset 5 of payments-0 and waste-0 to group "{u}"', _AGAIN),
            "E commits",
            ('group "{u}" has no committed offset of waste-0', 'group "{u}" has committed offset 5 of payments-0'),
            "409",
        ),
        ((IDEMPOTENT, 'I has written "{u}" to waste-0', _AGAIN), 'I writes "i2" to waste-0 at sequence 0', ("it is done",), "231"),
    )
)
_DELETED_BEFORE_A_CRASH = tuple(
    Kip890Episode((WASTE, E, *givens), "the system crashes and restarts", (due,), why, needs="crash")
    for givens, due, why in (
        (
            ('E has sent offset 5 of waste-0 to group "{u}"', "E has committed", _AGAIN),
            'group "{u}" has no committed offset of waste-0',
            "409",
        ),
        ((_WROTE, _AGAIN, '"{u}p" has been written to waste-0'), 'readers of waste-0 see "{u}p"', "231"),
        ((_WROTE, "E has aborted", _AGAIN, 'E has committed "{u}3" to waste-0'), 'readers of waste-0 see "{u}3"', "231"),
    )
)
_FIVE, _GAP = "E has written 5 batches to kept-0", "E has sent a batch that leaves a gap to kept-0, whatever was answered"
_RECOGNISED = ('it is done and answers the offset of "r0"', "the log of kept-0 has not grown")
_REPEATED = tuple(
    Kip890Episode((KEPT, *givens), asks, due, why)
    for givens, asks, due, why in (
        ((E, _FIVE), 'E writes "again" to kept-0 at sequence 0', _RECOGNISED, "112"),
        ((E, _FIVE, _GAP), 'E writes "again" to kept-0 at sequence 0', _RECOGNISED, "112"),
        ((E, F, _FIVE, "F has written 5 batches to kept-0"), 'E writes "again" to kept-0 at sequence 0', _RECOGNISED, "112"),
        (
            (E, F, _FIVE, 'F has written "f1" to kept-0'),
            'F writes "f2" to kept-0',
            ('it is done and answers the offset of "f2"',),
            "112",
        ),
        ((E, 'E has written "e1" to kept-0', _GAP), 'E writes "e2" to kept-0', ('it is done and answers the offset of "e2"',), "113"),
        (
            (IDEMPOTENT, "I has written a batch of 1 record to kept-0", "the records of kept-0 have been deleted"),
            'I writes "r0" to kept-0 at sequence 0',
            ("the log of kept-0 has not grown",),
            "112",
        ),
        (
            (
                IDEMPOTENT,
                f"I has written a batch of 1 record to kept-0 at sequence {_LAST}",
                "I has written a batch of 1 record to kept-0 at sequence 0",
            ),
            f'I writes "r0" to kept-0 at sequence {_LAST}',
            ("it is done", "the log of kept-0 has not grown"),
            "112",
        ),
        (
            (E, "E has written a batch of 3 records to kept-0"),
            "E writes a batch of 2 records to kept-0 at sequence 1",
            (_SKIPPED, "the log of kept-0 has not grown"),
            "113",
        ),
    )
)
_IDEMPOTENT = tuple(
    Kip890Episode((KEPT, IDEMPOTENT, *givens), asks, due, why)
    for givens, asks, due, why in (
        ((), 'I writes "i1" to kept-0 at sequence 5', ("it is done",), "109"),
        (
            (f"I has written a batch of 1 record to kept-0 at sequence {_LAST}",),
            'I writes "i2" to kept-0 at sequence 0',
            ("it is done",),
            "114",
        ),
        (
            (f"I has written a batch of 1 record to kept-0 at sequence {_LAST}",),
            'I writes "i2" to kept-0 at sequence 1',
            (_SKIPPED,),
            "114",
        ),
        (
            (f"I has written a batch of 3 records to kept-0 at sequence {_LAST - 1}",),
            'I writes "i2" to kept-0 at sequence 1',
            ("it is done",),
            "114",
        ),
        (
            (f"I has written a batch of 3 records to kept-0 at sequence {_LAST - 1}",),
            f"I writes a batch of 3 records to kept-0 at sequence {_LAST - 1}",
            ('it is done and answers the offset of "r0"', "the log of kept-0 has not grown"),
            "112",
        ),
        (
            ("I has written a batch of 3 records to kept-0",),
            "I writes a batch of 2 records to kept-0 at sequence 2",
            (_SKIPPED, "the log of kept-0 has not grown"),
            "113",
        ),
        (
            ("I has written a batch of 3 records to kept-0",),
            "I writes a batch of 2 records to kept-0 at sequence 0",
            (_SKIPPED, "the log of kept-0 has not grown"),
            "113",
        ),
        (
            ("I has written a batch of 3 records to kept-0",),
            "I writes a batch of 5 records to kept-0 at sequence 0",
            (_SKIPPED, "the log of kept-0 has not grown"),
            "113",
        ),
    )
)
_EXPIRED = tuple(
    Kip890Episode((E, *givens), asks, due, why, "E", _EXPIRY)
    for givens, asks, due, why in (
        ((), "E stays idle until its transactional id expires", ("the coordinator does not know E",), "165"),
        (
            ("E has initialised again", "E has stayed idle until its transactional id expired"),
            "F takes over from E",
            ("it is done and answers a new producer id and epoch 0",),
            "165",
        ),
        (
            ("E has stayed idle until its transactional id expired",),
            "E commits",
            ("it is refused with INVALID_PRODUCER_ID_MAPPING", "the coordinator does not know E"),
            "165",
        ),
        (
            (F,),
            "E commits to payments-0 again and again until the transactional id of F has expired",
            ("it is done", "the coordinator does not know F", _OVER),
            "165",
        ),
        (
            ('E has written "{u}" to payments-0', F),
            "F stays idle until its transactional id expires",
            ("the coordinator does not know F", "the transaction of E is Ongoing in payments-0"),
            "166",
        ),
        (
            ("E is an old client (transaction version 0)", 'E has committed "{u}" to payments-0', "E has added payments-0", _FORGOTTEN),
            'E writes "more" to payments-0 at sequence 7',
            ("it is done",),
            "167",
        ),
        (
            ("E uses EndTxn v4", 'E has committed "{u}" to payments-0', "E has added payments-0", _FORGOTTEN),
            'E writes "more" to payments-0 at sequence 1',
            (_SKIPPED,),
            "168",
        ),
    )
)
_EXPIRED_BEFORE_A_CRASH = tuple(
    Kip890Episode(givens, asks, due, why, "E", f"{_EXPIRY} crash")
    for givens, asks, due, why in (
        (
            (E, "E has stayed idle until its transactional id expired"),
            "the system crashes and restarts",
            ("the coordinator does not know E",),
            "165",
        ),
        (
            (F, "F has stayed idle until its transactional id expired", E),
            "E stays idle through a crash, until its transactional id expires",
            ("the transactional id of E was kept about as long as that of F",),
            "165",
        ),
        (
            (E, "E has stayed idle until its transactional id expired", "F has taken over from E", 'F has written "{u}" to payments-0'),
            "the system crashes and restarts",
            ("the transaction of F is Ongoing in payments-0",),
            "166",
        ),
    )
)
_EXPIRED_MEANWHILE = tuple(
    Kip890Episode((E, *givens), asks, due, why, "E", needs)
    for givens, asks, due, why, needs in (
        (
            ("completion of E's transactions is blocked", "E has been asked to commit", F),
            "F stays idle until its transactional id expires",
            ("the coordinator does not know F", "the transaction of E is PrepareCommit"),
            "166",
            f"{_EXPIRY} hold-markers",
        ),
        (
            (F, 'E has written "{u}" to payments-0', "F is an old client (transaction version 0)", 'F has committed "{u}2" to payments-0'),
            "F stays idle until payments-0 forgets it",
            ("payments-0 has no state of F", 'the open transaction of E in payments-0 starts at "{u}"'),
            "167",
            _EXPIRY,
        ),
        (
            (F,),
            "E initialises again and again until the transactional id of F has expired",
            ("it is done and answers the same producer id and the next epoch", "the coordinator does not know F"),
            "165",
            _EXPIRY,
        ),
    )
)
"""While an id expires, those of all other idle producers do too, and no When can compare their state: each of these acts comes alone."""


def _set_level(model: Kip890Clients, level: str) -> list[ActLine]:
    """The requests of clients choose their protocol, and not the level."""
    model.shown.add(_LEVEL)
    due = f"ApiVersions soon has transaction.version {level}, under a larger epoch of the features"
    return [when(f"transaction.version is set to {level}", "003"), then(due, "003")]


def _lower_and_raise(model: Kip890Clients) -> list[ActLine]:
    model.shown.add(_LEVEL)
    return [
        when("transaction.version is set to 0", "003"),
        then("ApiVersions soon has transaction.version 0, under a larger epoch of the features", "003"),
        given("transaction.version has been set to 2", "003"),
    ]


def _lower_and_crash(model: Kip890Clients) -> list[ActLine]:
    model.shown.add(_LEVEL)
    model.go_down()
    return [
        given("transaction.version has been set to 0", "220"),
        given("transaction.version has been set to 1", "220"),
        when("the system crashes and restarts", "220"),
        then("ApiVersions soon has transaction.version 1, under no smaller epoch of the features", "220"),
    ]


def _may_set(model: Kip890Clients, *_: str) -> bool:
    return model.is_quiet and _LEVEL not in model.shown


def _may_set_all_idle(model: Kip890Clients, *_: str) -> bool:
    return _may_set(model) and model.may_go_down and all(one.open is None for one in model.producers.values())


def alone(act: Act[Kip890Clients]) -> Act[Kip890Clients]:
    """The act of a kind that has no other, in a sequence that has no other."""

    def says(model: Kip890Clients, *arguments: str) -> Sequence[ActLine]:
        model.unread.add("payments-0")
        return act.says(model, *arguments)

    return replace(act, says=says, excludes=NEEDS, fits=lambda script: not script.acts)


def acts() -> Iterator[Act[Kip890Clients]]:
    """The acts about lives."""
    for episodes in (_DELETED, _DELETED_BEFORE_A_CRASH, _IDEMPOTENT, _REPEATED):
        yield from acts_of(episodes)
    for episodes in (_EXPIRED, _EXPIRED_BEFORE_A_CRASH, _EXPIRED_MEANWHILE):
        yield from map(alone, acts_of(episodes))
    levels = NEEDS | {_LEVELS}
    yield Act("transaction.version is set to 1", _may_set, _set_level, ("1",), levels)
    yield Act("transaction.version is set to 0 and back", _may_set_all_idle, _lower_and_raise, (), levels)
    yield Act("transaction.version is set to 0 and 1, and a crash", _may_set_all_idle, _lower_and_crash, (), levels | {"crash"})
