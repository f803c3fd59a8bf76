"""Acts of KIP-890 with three of a kind, of which the last one differs: groups, partitions, topics, entries of a request, producers."""

from collections.abc import Iterator
from itertools import product

from .act import Act
from .kip890_episodes import UNUSED, Kip890Episode, acts_of
from .kip890_lives import alone
from .kip890_model import Kip890Clients
from .kip890_words import RESTARTS, SPARE, E

_F = 'producer F with transactional id "west" at the coordinator of E'
_G = 'producer G with transactional id "grand" at the coordinator of E'
_KEPT, _PAIR, _THREE = (f'a topic "kept" with {count}' for count in ("1 partition", "2 partitions", "3 partitions"))
_VAULT = 'a topic "vault" with 1 partition'
_TOPICS = (_KEPT, SPARE, _VAULT)
_PLACES = {
    (_THREE,): ("kept-0", "kept-1", "kept-2"),
    (_PAIR, SPARE): ("kept-0", "kept-1", "spare-0"),
    (SPARE, _PAIR): ("spare-0", "kept-0", "kept-1"),
    _TOPICS: ("kept-0", "spare-0", "vault-0"),
}
"""Three partitions of one topic, of two and of three."""
_ENDS = {"commits": "COMMIT", "aborts": "ABORT"}
_NOT_IN = "INVALID_TXN_STATE or TRANSACTION_ABORTABLE"
_GROUPS = ("fund", "till", "purse")


def _offsets() -> Iterator[Kip890Episode]:
    """Offsets of three groups, or of three partitions, in one request or in several."""
    for ends, (needs, restart) in product(_ENDS, RESTARTS.items()):
        to_each = [f'E has sent offset {number} of kept-0 to group "{group}"' for number, group in enumerate(_GROUPS, 5)]
        givens = (_KEPT, E, *to_each, *filter(None, (restart,)))
        is_there = {"commits": "committed offset {}", "aborts": "no committed offset"}[ends]
        groups = [f'group "{group}" has {is_there.format(number)} of kept-0' for number, group in enumerate(_GROUPS, 5)]
        yield Kip890Episode(givens, f"E {ends}", (*groups, 'group "purse" has no pending offset of kept-0'), "400", needs=needs)
    for topics, places in _PLACES.items():
        at_once = (f'E has sent offset 5 of {" and ".join(places)} to group "fund"',)
        one_by_one = tuple(f'E has sent offset 5 of {place} to group "fund"' for place in places)
        for sent, ends in product((at_once, one_by_one), _ENDS):
            left = "committed offset 5" if ends == "commits" else "no committed offset"
            yield Kip890Episode((*topics, E, *sent), f"E {ends}", tuple(f'group "fund" has {left} of {place}' for place in places), "400")


def _pending() -> Iterator[Kip890Episode]:
    """One OffsetFetch about two partitions, topics or groups, of which one has a pending offset."""
    places = ((_PAIR,), "kept-0", "kept-1"), ((_KEPT, SPARE), "kept-0", "spare-0")
    for topics, here, there in places:
        givens = (*topics, E, f'E has sent offset 3 of {here} and {there} to group "fund"', "E has committed")
        for one, seen in ((here, ("a pending offset", "no pending offset")), (there, ("no pending offset", "a pending offset"))):
            due = f'group "fund" has {seen[0]} of {here} and {seen[1]} of {there} by one OffsetFetch'
            yield Kip890Episode(givens, f'E sends offset 5 of {one} to group "fund"', (due,), "052")
    groups = (_KEPT, E, *(f'E has sent offset 3 of kept-0 to group "{group}"' for group in ("fund", "till")), "E has committed")
    for group, seen in (("fund", ("a pending offset", "no pending offset")), ("till", ("no pending offset", "a pending offset"))):
        due = f'groups "fund" and "till" have {seen[0]} and {seen[1]} of kept-0 by one OffsetFetch'
        yield Kip890Episode(groups, f'E sends offset 5 of kept-0 to group "{group}"', (due,), "052")
    both = (_KEPT, E, _F, 'E has sent offset 5 of kept-0 to group "fund"', 'F has sent offset 6 of kept-0 to group "fund"')
    for (needs, restart), who, ends in product({"": "", "crash": RESTARTS["crash"]}.items(), "EF", _ENDS):
        due = 'group "fund" has a pending offset of kept-0'
        yield Kip890Episode((*both, *filter(None, (restart,))), f"{who} {ends}", (due,), "052", needs=needs)


def _writes() -> Iterator[Kip890Episode]:
    """One Produce to three partitions, which a new client's transaction has or has not, and an old client's too."""
    due: tuple[str, ...]
    for topics, (one, two, three) in _PLACES.items():
        asks = f'E writes "{{u}}" to {one} and "{{u}}2" to {two} and "{{u}}3" to {three} in one request'
        done = f"it is done for {one} and {two} and {three}"
        ongoing = f"the transaction of E is Ongoing in {one} and {two} and {three}"
        known = f'E has written "{{u}}4" to {one} and "{{u}}5" to {two} in one request'
        yield Kip890Episode((*topics, E), asks, (done, ongoing), "211")
        yield Kip890Episode((*topics, E, known), asks, (done, ongoing), "211")
        for version in ("Produce v10", "Produce v11"):
            added = (*topics, E, f"E has added {one} and {two}", f"E uses {version}")
            due = (f"it is done for {one} and {two}", f"it is refused for {three} with {_NOT_IN}", f"the log of {three} has not grown")
            yield Kip890Episode(added, asks, due, "098")


def _ends() -> Iterator[Kip890Episode]:
    """A transaction with three partitions ends, by whatever ends it."""
    for topics, (one, two, three) in _PLACES.items():
        in_all = f"{one} and {two} and {three}"
        written = (f'E has written "{{u}}" to {one} and "{{u}}2" to {two} in one request', f'E has written "{{u}}3" to {three}')
        decided = f"the last stable offset of {in_all} is the high watermark"
        restarts = RESTARTS if topics == _TOPICS else {"": ""}
        for (ends, kind), (needs, restart) in product(_ENDS.items(), restarts.items()):
            givens = (*topics, E, *written, *filter(None, (restart,)))
            yield Kip890Episode(givens, f"E {ends}", (f"one {kind} marker was added to {in_all}", decided), "212", needs=needs)
        yield Kip890Episode((*topics, E, *written), "F takes over from E", (decided, f"readers of {three} see nothing"), "212")
        old = (*topics, E, "E is an old client (transaction version 0)", f"E has added {one} and {two}", *written)
        yield Kip890Episode(old, "E commits", (f"one COMMIT marker was added to {in_all}", decided), "212")


def _entries() -> Iterator[Kip890Episode]:
    """Requests with several entries, of which one is missing, is known already, or is not in the transaction."""
    due: tuple[str, ...]
    for topics, (one, two, three) in _PLACES.items():
        in_all = f"{one} and {two} and {three}"
        yield Kip890Episode(
            (*topics, E), f"E adds {in_all}", (f"it is done for {in_all}", f"the transaction of E is Ongoing in {in_all}"), "030"
        )
        for known in (one, two, three):
            due = (f"it is done for {in_all}", f"the transaction of E is Ongoing in {in_all}")
            yield Kip890Episode((*topics, E, f"E has added {known}"), f"E adds {in_all}", due, "034")
        for outside, (here, there) in ((one, (two, three)), (two, (one, three)), (three, (one, two))):
            due = (f"it is refused for {outside} with {_NOT_IN}", f"it is done for {here} and {there}", "the transaction of E is unchanged")
            added = (*topics, E, f"E has added {here} and {there}")
            yield Kip890Episode(added, f"the leader verifies {in_all} for E", due, "039")
        yield Kip890Episode((*topics, E), f"the leader verifies {in_all} for E", ("the transaction of E is unchanged",), "040")
    begun = (_PAIR, SPARE, E, 'E has written "{u}" to kept-0')
    last, second = "kept-0 and kept-1 and spare-0 and spare-9", "kept-0 and kept-9 and spare-0"
    for request, (asked, which) in product(("DescribeProducers", "ListOffsets", "DeleteRecords"), ((last, "last"), (second, "second"))):
        due = (f"the {which} entry alone is refused with UNKNOWN_TOPIC_OR_PARTITION", "the transaction of E is unchanged")
        yield Kip890Episode(begun, f"{request} is sent for {asked} in one request", due, "410")
    described = (_KEPT, E, _F, 'F has written "{u}" to kept-0')
    for asked, which in ((f"E and {UNUSED} and F", "second"), (f"E and F and {UNUSED}", "last")):
        due = (f"the {which} entry alone is refused with TRANSACTIONAL_ID_NOT_FOUND",)
        yield Kip890Episode(described, f"DescribeTransactions is sent for {asked}", due, "410")


def _batched() -> Iterator[Kip890Episode]:
    """AddPartitionsToTxn for three producers, of which one is refused."""
    due: tuple[str, ...]
    three = (_KEPT, E, _F, _G)
    asked = "E adds kept-0 for E and for F and for G in one request"
    for fenced, done in (("F", "EG"), ("G", "EF"), ("E", "FG")):
        due = (f"it is refused for kept-0 of {fenced} with PRODUCER_FENCED", *(f"it is done for kept-0 of {name}" for name in done))
        yield Kip890Episode((*three, f"D has taken over from {fenced}"), asked, (*due, "the transaction of D is unchanged"), "037")
    yield Kip890Episode(three, asked, tuple(f"it is done for kept-0 of {name}" for name in "EFG"), "037")


def _listed() -> Iterator[Kip890Episode]:
    """ListTransactions with filters of two values, or of two kinds."""
    due: tuple[str, ...]
    begun = (_KEPT, E, _F, _G, 'E has written "{u}" to kept-0', 'F has written "{u}f" to kept-0')
    for asked, listed in (
        ("the producer ids of E and F", "EF"),
        ("the producer ids of F and E", "EF"),
        ("the producer ids of G and E", "GE"),
        ('the producer ids of E and G for states "Ongoing"', "E"),
        ('the producer id of E for states "Ongoing"', "E"),
        ('the producer id of G for states "Ongoing"', ""),
        ('states "Empty", "Ongoing"', "EFG"),
        ('states "Empty", "CompleteCommit"', "G"),
        ('the producer id of E for states "Empty"', ""),
    ):
        due = tuple(f"{name} is {'listed' if name in listed else 'not listed'}" for name in "EFG")
        yield Kip890Episode(begun, f"ListTransactions is sent for {asked}", due, "150")
    asked = "ListTransactions is sent for what was begun a moment ago until F is listed"
    yield Kip890Episode(begun, asked, ("E is listed", "F is listed"), "151")
    for ends, state in (("committed", "CompleteCommit"), ("aborted", "CompleteAbort")):
        due = ("E is listed", "F is not listed", "G is not listed")
        yield Kip890Episode((*begun, f"E has {ends}"), f'ListTransactions is sent for states "{state}"', due, "150")


def _shown() -> Iterator[Kip890Episode]:
    """What leaders show of producers whose markers are there, and of others."""
    for has, (needs, restart) in product(("committed", "aborted"), {"": "", "crash": RESTARTS["crash"]}.items()):
        givens = (_KEPT, E, _F, 'E has written "{u}" to kept-0', f"E has {has}", *filter(None, (restart,)))
        of_e = "DescribeProducers of kept-0 shows E with last sequence -1 and the coordinator epoch of its last marker"
        of_f = "DescribeProducers of kept-0 shows F with last sequence 0 and no coordinator epoch"
        yield Kip890Episode(givens, 'F writes "{u}f" to kept-0', (of_e, of_f, "kept-0 has no open transaction of E"), "153", needs=needs)
        yield Kip890Episode((*givens, 'E has written "{u}2" to kept-0'), "E commits", (of_e,), "153", needs=needs)


def _read() -> Iterator[Kip890Episode]:
    """Readers and look-ups of a log, or of two, with several decided transactions."""
    due: tuple[str, ...]
    two = (_PAIR, E, '"{u}p" has been written to kept-0')
    for where in ("kept-0", "kept-1"):
        due = tuple(
            f"ListOffsets of kept-0 and kept-1 for {level} answers the {mark} of each"
            for level, mark in (("read_committed", "last stable offset"), ("read_uncommitted", "high watermark"))
        )
        yield Kip890Episode(two, f'E writes "{{u}}" to {where}', due, "138")
    three = (_KEPT, E, _F, _G, *(f'{name} has written "{{u}}{name.lower()}" to kept-0' for name in "EFG"))
    for (one, says), (other, does) in product((("E", "commits"), ("F", "aborts")), (("F", "commits"), ("E", "aborts"))):
        if one != other:
            due = ('the last stable offset of kept-0 is the offset of "{u}g"',)
            yield Kip890Episode(three, f"{one} {says} and {other} {does}", due, "142")
    pair = (_KEPT, E, _F, 'E has written "{u}" to kept-0', 'F has written "{u}f" to kept-0')
    yield Kip890Episode(pair, "E aborts and F commits", ('readers of kept-0 see "{u}f"',), "140")
    yield Kip890Episode(pair, "F commits and E aborts", ('readers of kept-0 see "{u}f"',), "140")
    for count in (2, 6, 12):
        givens = (_KEPT, E, f"E has aborted {count} transactions in kept-0")
        yield Kip890Episode(givens, '"{u}p" is written to kept-0', ('readers of kept-0 see "{u}p"',), "140")
        last = (*givens, 'E has written "{u}" to kept-0', "E has aborted")
        yield Kip890Episode(last, 'the records of kept-0 before "{u}" are deleted', ("readers of kept-0 see nothing",), "233")
    middle = (_KEPT, E, 'E has written "{u}" to kept-0', 'E has written "{u}2" to kept-0')
    listed = 'a read_committed Fetch of kept-0 from "{u}2" lists the aborted transaction of E from "{u}"'
    yield Kip890Episode(middle, "E aborts", (listed,), "139")
    none = 'a read_committed Fetch of kept-0 from "{u}p" lists no aborted transaction'
    yield Kip890Episode((*middle, "E has aborted"), '"{u}p" is written to kept-0', (none,), "139")
    for version in ("v4", "v11"):
        givens = (_KEPT, E, '"{u}p" has been written to kept-0')
        yield Kip890Episode(givens, 'E writes "{u}" to kept-0', (f'readers of kept-0 see "{{u}}p" with Fetch {version}',), "137")


def _twenty() -> Iterator[Kip890Episode]:
    """Twenty producers end, or time out, at about the same time."""
    for short, ends, sees in (("", "commit", "all"), ("", "abort", "nothing"), (" with a short timeout", "", "nothing")):
        givens = (_PAIR, f"twenty producers{short} have written to kept-0 and kept-1")
        due = f"readers of kept-0 and kept-1 see {sees} of the twenty"
        if not ends:
            yield Kip890Episode(givens, "all of the twenty leave their transactions open past their timeouts", (due,), "215")
            continue
        for goes, needs, why in (("crashes", "crash", "160"), ("stops cleanly", "clean-stop", "267")):
            yield Kip890Episode(
                givens, f"all of the twenty {ends}, and the system {goes} right after its last answer", (due,), why, needs=needs
            )


def acts() -> Iterator[Act[Kip890Clients]]:
    """The acts with three of a kind."""
    for episodes in (_offsets, _pending, _writes, _ends, _entries, _batched, _listed, _shown, _read):
        yield from acts_of(episodes())
    yield from map(alone, acts_of(_twenty()))
