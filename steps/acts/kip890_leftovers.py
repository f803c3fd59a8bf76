"""Acts of KIP-890 about what is left to rely on: retries, pending offsets and open transactions when the logs of transactions and of groups
are compacted, a transaction whose first records are deleted, and offsets of which another client commits one."""

from collections.abc import Iterator
from itertools import product

from .act import Act
from .kip890_episodes import Kip890Episode, acts_of
from .kip890_model import Kip890Clients
from .kip890_words import CRASH, E_AND_F, IN_FORCE, KEPT, NEXT, PAIR, RESTARTS, WROTE, E

_FUND = 'group "fund"'
_PLACES = ((("kept-0", "fund"), ("kept-1", "fund")), (("kept-0", "fund"), ("kept-0", "till")))
"""Two partitions of a group, and two groups of a partition."""
_VAULT = 'a compacted topic "vault" that keeps markers for no time'
_COMPACTED = "vault-0 has been compacted twice"
"""Where topics are compacted, the log cleaner passes over the broker's own logs too."""
_FIRST = 'E has committed "{u}0" to kept-0'
_SENT = f"E has sent offset 5 of kept-0 to {_FUND}"
_PLAIN = f"offset 7 of kept-0 has been committed to {_FUND} outside of transactions"
_ENDS = {"commits": "committed", "aborts": "aborted"}


def _own_logs() -> Iterator[Kip890Episode]:
    """What came before is retried, ended or refused after the broker has compacted its own logs, and after a crash then."""
    for needs, down in (("compaction", ()), ("compaction crash", (CRASH,))):
        for givens, asks, due, why in _after_compaction(is_down=bool(down)):
            yield Kip890Episode((KEPT, _VAULT, E, *givens, _COMPACTED, *down), asks, due, why, needs=needs)


def _after_compaction(*, is_down: bool) -> Iterator[tuple[tuple[str, ...], str, tuple[str, ...], str]]:
    for ends, has in _ENDS.items():
        other = next(one for one in _ENDS if one != ends)
        ended, left = (_FIRST, WROTE, f"E has {has}"), '"{u}0", "{u}"' if ends == "commits" else '"{u}0"'
        again, opposite = ("064", "067") if ends == "commits" else ("065", "068")
        yield ended, f"E {ends} with its previous epoch", (IN_FORCE, f"readers of kept-0 see {left}"), "163" if is_down else again
        refused = f"it is refused with {'' if ends == 'commits' else 'PRODUCER_FENCED or '}INVALID_TXN_STATE"
        yield ended, f"E {other} with its previous epoch", (refused, f"readers of kept-0 see {left}"), opposite
        late = ("it is refused with INVALID_PRODUCER_EPOCH", "the log of kept-0 has not grown")
        yield ended, 'E writes "late" to kept-0 with its previous epoch', late, "100"
        yield (_FIRST, WROTE), f"E {ends}", (NEXT, f"readers of kept-0 see {left}"), "060" if ends == "commits" else "061"
        for offsets, committed, aborted in (((_PLAIN, _SENT), "5", "7"), ((_SENT, _PLAIN), "7", "7")):
            place = f"{_FUND} has committed offset {committed if ends == 'commits' else aborted} of kept-0"
            yield offsets, f"E {ends}", (NEXT, place), "242" if offsets[-1] == _PLAIN else "053" if ends == "commits" else "054"
    yield ("E has initialised again",), "E initialises again with its previous epoch", (IN_FORCE,), "164" if is_down else "017"
    yield (_FIRST, "F has taken over from E"), "E commits", ("it is refused with PRODUCER_FENCED",), "351"


def _beginnings() -> Iterator[Kip890Episode]:
    """The first records of an open transaction are deleted: it is still open, and ends as it would have."""
    between, begins = 'F has committed "{u}f" to kept-0', 'the last stable offset of kept-0 is the offset of "{u}2"'
    for others in ((), (between,)):
        givens = (KEPT, E_AND_F, WROTE, *others, 'E has written "{u}2" to kept-0')
        deleted = 'the records of kept-0 before "{u}2" have been deleted'
        undecided = (begins, "readers of kept-0 see nothing")
        yield Kip890Episode(givens, 'the records of kept-0 before "{u}2" are deleted', ("it is done", *undecided), "232")
        for needs, down in (("", ()), ("clean-stop", (RESTARTS["clean-stop"],))):
            left = (*givens, deleted, *down)
            yield Kip890Episode(left, '"{u}p" is written to kept-0', undecided, "232", needs=needs)
            for ends, seen in (("commits", '"{u}2"'), ("aborts", "nothing")):
                due = (NEXT, f"readers of kept-0 see {seen}", "the last stable offset of kept-0 is the high watermark")
                yield Kip890Episode(left, f"E {ends}", due, "232" if ends == "commits" else "233", needs=needs)


def _places() -> Iterator[Kip890Episode]:
    """A transaction has offsets of two places, and another client commits one of one of them: the other is decided by the transaction."""
    for places, has_f, ends, needs in product(_PLACES, (False, True), _ENDS, ("", "crash")):
        sent = tuple(f'E has sent offset 5 of {where} to group "{group}"' for where, group in places)
        for number, (where, group) in enumerate(places):
            by_f = (f'F has sent offset 7 of {where} to group "{group}"', "F has committed")
            plain = (f'offset 7 of {where} has been committed to group "{group}" outside of transactions',)
            (here, there) = places[1 - number]
            left = "committed offset 5" if ends == "commits" else "no committed offset"
            due = (f'group "{group}" has committed offset 7 of {where}', f'group "{there}" has {left} of {here}')
            givens = (PAIR, E_AND_F, *sent, *(by_f if has_f else plain), *((CRASH,) if needs else ()))
            yield Kip890Episode(givens, f"E {ends}", due, "053" if ends == "commits" else "054", needs=needs)


def _refused() -> Iterator[Kip890Episode]:
    """A refused TxnOffsetCommit leaves what is pending there."""
    pending = (f"{_FUND} has a pending offset of kept-0", "the transaction of E is unchanged")
    for identity, errors in (
        ("its previous epoch", "INVALID_PRODUCER_EPOCH"),
        ("an epoch ahead of the current one", "INVALID_PRODUCER_EPOCH"),
        ("the producer id of F", "INVALID_PRODUCER_ID_MAPPING"),
        ("an unknown member id", "UNKNOWN_MEMBER_ID or ILLEGAL_GENERATION"),
    ):
        for needs, down in (("", ()), ("crash", (CRASH,))):
            givens = (KEPT, E_AND_F, "E has initialised again", _SENT, *down)
            asks = f"E sends offset 9 of kept-0 to {_FUND} with {identity}"
            yield Kip890Episode(givens, asks, (f"it is refused for kept-0 with {errors}", *pending), "411", needs=needs)


def _neighbours() -> Iterator[Kip890Episode]:
    """Producers begin at the same sequence number: the first batch of one is no repetition of another's."""
    own = {"I": "idempotent producer I", "G": "idempotent producer G", "E": E, "F": 'producer F with transactional id "west"'}
    for one, other in (("I", "G"), ("E", "I"), ("I", "E"), ("E", "F")):
        for needs, down in (("", ()), ("crash", (CRASH,))):
            givens = (KEPT, own[one], own[other], f'{one} has written "{{u}}" to kept-0', *down)
            due = ("it is done", 'read_uncommitted readers of kept-0 see "{u}", "{u}2"')
            yield Kip890Episode(givens, f'{other} writes "{{u}}2" to kept-0', due, "112", needs=needs)


def _restarts() -> Iterator[Kip890Episode]:
    """What is open is reported after a restart as before it, with its partitions and its beginning."""
    old = ("E is an old client (transaction version 0)", "E has added kept-0")
    for givens in ((WROTE,), (_SENT,), (WROTE, _SENT), old, (_FIRST, WROTE)):
        for needs, asks in (("crash", "the system crashes and restarts"), ("clean-stop", "the system stops cleanly and restarts")):
            yield Kip890Episode((KEPT, E, *givens), asks, ("the transaction of E is unchanged",), "402", needs=needs)


def acts() -> Iterator[Act[Kip890Clients]]:
    """The acts about what is left."""
    for episodes in (_own_logs, _beginnings, _places, _refused, _restarts, _neighbours):
        yield from acts_of(episodes())
