"""Acts of KIP-890 about the state after a restart, timeouts, and completion that is blocked, of new clients and of old ones."""

from collections.abc import Iterator
from itertools import product

from .act import Act
from .kip890_episodes import Kip890Episode, acts_of
from .kip890_lives import alone
from .kip890_model import Kip890Clients
from .kip890_words import CRASH, DECIDED, E_AND_F, IN_FORCE, KEPT, NEXT, OLD, PAIR, SHORT, WROTE, E

_GOES = {"crashes and restarts": "crash", "stops cleanly and restarts": "clean-stop"}
_ENDS = {"commit": ('"{u}"', "committed offset 5"), "abort": ("nothing", "no committed offset")}
_UNTIL = "completion of E's transactions is blocked until the next restart"
_RETRIED = {"commit": "E commits with its previous epoch", "abort": "E aborts with its previous epoch"}


def _decided_before() -> Iterator[Kip890Episode]:
    """An end was decided, and could not be completed before the system went down."""
    due: tuple[str, ...]
    for (ends, (seen, offset)), (goes, needs), old in product(_ENDS.items(), _GOES.items(), ((), (OLD,))):
        sent = () if old else ('E has sent offset 5 of kept-0 to group "fund"',)
        givens = (KEPT, E, *old, _UNTIL, WROTE, *sent, f"E has been asked to {ends}")
        state = "CompleteCommit" if ends == "commit" else "CompleteAbort"
        due = (f"the transaction of E is {state}", f"readers of kept-0 see {seen}", DECIDED)
        due += (f'group "fund" has {offset} of kept-0', 'group "fund" has no pending offset of kept-0') if sent else ()
        why = "160" if needs == "crash" else "267"
        yield Kip890Episode(givens, f"the system {goes}", due, why, needs=f"{needs} hold-markers")
        if needs == "crash":
            after = 'E commits "{u}2" to kept-0'
            more = f'readers of kept-0 see {seen}, "{{u}}2"'.replace("nothing, ", "")
            yield Kip890Episode((*givens, CRASH), after, ("it is done" if old else NEXT, more), "160", needs="crash hold-markers")
        if needs == "crash" and not old:
            yield Kip890Episode((*givens, CRASH), _RETRIED[ends], (IN_FORCE,), "163", needs="crash hold-markers")
    both = (KEPT, E_AND_F, "completion of E's and F's transactions is blocked until the next restart")
    for (one, other), (goes, needs) in product(product(_ENDS, repeat=2), _GOES.items()):
        givens = (*both, f"E has been asked to {one}", f"F has been asked to {other}")
        due = tuple(f"the transaction of {name} is over" for name in "EF")
        yield Kip890Episode(givens, f"the system {goes}", due, "401", needs=f"{needs} hold-markers")
    waiting = (KEPT, E, _UNTIL, WROTE, "E has initialised again, and had to wait", CRASH)
    yield Kip890Episode(waiting, "E initialises again", (NEXT, "readers of kept-0 see nothing"), "164", needs="crash hold-markers")


def _answered_before() -> Iterator[Kip890Episode]:
    """EndTxn was answered, or was to be, when the system crashed: of each protocol, and with each kind of transaction."""
    due: tuple[str, ...]
    spare = 'a topic "spare" with 1 partition'
    in_both = "the last stable offset of kept-0 and spare-0 is the high watermark"
    apart = 'E has written "{u}" to kept-0 and "{u}2" to spare-0 in one request'
    for (ends, (seen, offset)), old in product(_ENDS.items(), ((), (OLD, "E has added kept-0 and spare-0"))):
        for moment in ("right after it answers", "before it answers") if not old else ("right after it answers",):
            crash = f"the system crashes {moment} the next EndTxn of E"
            due = (
                "the transaction of E is over",
                f"readers of kept-0 see {seen}",
                in_both,
            )
            why = "160" if moment.startswith("right") else "161"
            yield Kip890Episode((KEPT, spare, E, *old, apart, crash), f"E {ends}s", due, why, needs="crash")
        if not old:
            sent = (KEPT, E, WROTE, 'E has sent offset 5 of kept-0 to group "fund"')
            crash = "the system crashes right after it answers the next EndTxn of E"
            due = (f"readers of kept-0 see {seen}", f'group "fund" has {offset} of kept-0', 'group "fund" has no pending offset of kept-0')
            yield Kip890Episode((*sent, crash), f"E {ends}s", due, "160", needs="crash")
            last = (KEPT, "producer E at the last usable epoch", WROTE, crash)
            over = ("the transaction of E is over", f"readers of kept-0 see {seen}", DECIDED)
            yield Kip890Episode(last, f"E {ends}s", over, "160", needs="crash aged-ids")


def _prepared() -> Iterator[Kip890Episode]:
    """What a producer may ask for while its decision cannot be completed."""
    due: tuple[str, ...]
    wait = "CONCURRENT_TRANSACTIONS"
    other = {"commit": "aborts", "abort": "commits"}
    state = {"commit": "PrepareCommit", "abort": "PrepareAbort"}
    for ends, needs in product(_ENDS, ("", "crash")):
        down = (CRASH,) if needs else ()
        blocked = (KEPT, E, "completion of E's transactions is blocked", f"E has been asked to {ends}")
        stays = f"the transaction of E is {state[ends]}"
        opposite = f"it is refused with {wait}, INVALID_TXN_STATE or PRODUCER_FENCED"
        due = (opposite,) if needs else (opposite, stays)
        yield Kip890Episode((*blocked, *down), f"E {other[ends]} with its previous epoch", due, "202", needs=f"{needs} hold-markers")
        if needs:
            continue
        for version, error in (("", wait), ("Produce v10", "NOT_ENOUGH_REPLICAS"), ("Produce v11", "NOT_ENOUGH_REPLICAS")):
            uses = (f"E uses {version}",) if version else ()
            why = "104" if version else "105"
            due = (f"it is refused with {error}", "the log of kept-0 has not grown", stays)
            yield Kip890Episode((*blocked, *uses), 'E writes "{u}" to kept-0', due, why, needs="hold-markers")
        for asks, refused, why in (
            (f"E {ends}s with its previous epoch", f"it is refused with {wait}", "066"),
            (f"E {ends}s", f"it is refused with {wait}", "081"),
            ("E initialises again", f"it is refused with {wait}", "025"),
            ("F takes over from E", f"it is refused with {wait}", "025"),
            ("E adds kept-0", f"it is refused for kept-0 with {wait}", "035"),
            ("the leader verifies kept-0 for E", f"it is refused for kept-0 with {wait}", "041"),
            ('E sends offset 5 of kept-0 to group "fund"', f"it is refused for kept-0 with {wait} or COORDINATOR_NOT_AVAILABLE", "058"),
        ):
            yield Kip890Episode(blocked, asks, (refused, stays), why, needs="hold-markers")
        old = (KEPT, E, "completion of E's transactions is blocked", OLD, f"E has been asked to {ends}")
        for asks in ("E commits", "E aborts"):
            is_same = asks.removeprefix("E ").removesuffix("s") == ends
            refused = f"it is refused with {wait}" if is_same else f"it is refused with INVALID_TXN_STATE or {wait}"
            yield Kip890Episode(old, asks, (refused, stays), "088", needs="hold-markers")
    for asks, wrote in product(("E initialises again", "F takes over from E"), ((), (WROTE,))):
        opened = (KEPT, E, "completion of E's transactions is blocked", *wrote)
        due = (f"it is refused with {wait}", "the transaction of E is PrepareAbort", "the refusal has producer id -1 and epoch -1")
        yield Kip890Episode(opened, asks, due, "022", needs="hold-markers")
    for has in ("committed", "aborted"):
        free = (KEPT, E_AND_F, "completion of E's transactions is blocked", "E has been asked to commit", 'F has written "{u}" to kept-0')
        seen = '"{u}"' if has == "committed" else "nothing"
        asks = "F commits" if has == "committed" else "F aborts"
        yield Kip890Episode(free, asks, ("the transaction of F is over", f"readers of kept-0 see {seen}"), "218", needs="hold-markers")


def _overdue() -> Iterator[Kip890Episode]:
    """A timeout passes while the system is down, in two halves, or while other requests come."""
    due: tuple[str, ...]
    half = "a transaction with half of a short timeout {} at the coordinator of E"
    passed, passes = half.format("has timed out"), half.format("times out")
    over, gone = "the transaction of E is over", 'group "fund" has no pending offset of kept-0'
    short, sent = f"{E}{SHORT}", 'E has sent offset 5 of kept-0 to group "fund"'
    down = "the system has crashed and restarted after the timeout of E"
    past = "E leaves its transaction open past its timeout"
    yield Kip890Episode((KEPT, short, WROTE, down), past, (over, DECIDED), "156", needs="crash")
    yield Kip890Episode((KEPT, short, sent, down), past, (over, gone), "156", needs="crash")
    yield Kip890Episode((KEPT, short, WROTE, sent, down), past, (over, DECIDED, gone), "156", needs="crash")
    before = (KEPT, short, 'E has sent offset 3 of kept-0 to group "fund"', "E has committed", sent)
    yield Kip890Episode(before, past, (over, gone, 'group "fund" has committed offset 3 of kept-0'), "205")
    for between, needs in (
        ((CRASH,), "crash"),
        (("E has tried to commit with the next epoch",), ""),
        (("E has tried to abort with an epoch ahead of the current one",), ""),
        (('producer F with transactional id "west"', "E has tried to initialise again with the producer id of F"), ""),
    ):
        yield Kip890Episode((PAIR, short, WROTE, passed, *between), passes, (over, DECIDED), "156", needs=needs)
    again = (KEPT, f"{E_AND_F}{SHORT}", 'F has written "{u}f" to kept-0', "F has left its transaction open past its timeout")
    asks = 'E writes "{u}" to kept-0 and leaves its transaction open past its timeout'
    for first in ((), ('E has committed "{u}0" to kept-0',)):
        yield Kip890Episode((*again, *first), asks, ("the transaction of E was open for at least a short timeout",), "213")
    starts = "the start time of E is later than it was"
    for older in ((WROTE, "E has committed"), (WROTE, "E has aborted"), ("E has aborted 2 transactions in kept-0",)):
        givens = (PAIR, E, *older, f'producer F with transactional id "west"{SHORT}')
        waited = (*givens, 'F has written "{u}f" to kept-1', "F has left its transaction open past its timeout")
        for request in ('E writes "{u}2" to kept-0', 'E sends offset 5 of kept-0 to group "fund"', "E adds kept-0"):
            yield Kip890Episode(waited, request, (starts,), "402")
    opened = (PAIR, E, WROTE, f'producer F with transactional id "west"{SHORT}', 'F has written "{u}f" to kept-1')
    waited = (*opened, "F has left its transaction open past its timeout", 'E has written "{u}2" to kept-1')
    yield Kip890Episode(waited, "ListTransactions is sent for what was begun a second ago", ("E is listed",), "402")
    refused = (KEPT, short, WROTE, "E has left its transaction open past its timeout")
    late = "it is refused with PRODUCER_FENCED or answers the same producer id and the next epoch"
    yield Kip890Episode(refused, "E aborts", (late, "the producer id and epoch of E are unchanged"), "158")
    owned = (PAIR, f"{E_AND_F}{SHORT}", "G has taken over from E", 'G has written "{u}" to kept-0', 'F has written "{u}f" to kept-1')
    yield Kip890Episode(owned, "F leaves its transaction open past its timeout", ("the transaction of G is Ongoing in kept-0",), "029")
    held = (
        KEPT,
        f"{E_AND_F}{SHORT}",
        "completion of E's transactions is blocked",
        "E has been asked to commit",
        'F has written "{u}" to kept-0',
    )
    due = ("the transaction of F is over", "the transaction of E is PrepareCommit", "readers of kept-0 see nothing")
    yield Kip890Episode(held, "F leaves its transaction open past its timeout", due, "159", needs="hold-markers")
    until = (KEPT, short, _UNTIL, WROTE, "E has been asked to commit")
    done = ("the transaction of E is CompleteCommit", 'readers of kept-0 see "{u}"')
    yield Kip890Episode(until, "the system crashes and restarts after the timeout of E", done, "160", needs="crash hold-markers")


def _half_overdue() -> Iterator[Kip890Episode]:
    """Requests in the second half of a timeout, which is over soon: nothing else takes any of it."""
    due: tuple[str, ...]
    passed, passes = (f"a transaction with half of a short timeout {has} at the coordinator of E" for has in ("has timed out", "times out"))
    due = ("the transaction of E is over", DECIDED)
    short, sent = f"{E}{SHORT}", 'E has sent offset 5 of kept-0 to group "fund"'
    for between in ("E has added kept-0", 'E has written "{u}2" to kept-0', 'E has written "{u}2" to kept-1', sent):
        yield Kip890Episode((PAIR, short, WROTE, passed, between), passes, due, "156")
    yield Kip890Episode((PAIR, short, OLD, "E has added kept-0 and kept-1", passed, WROTE), passes, due, "156")


def _stopped() -> Iterator[Kip890Episode]:
    """What is open, pending or decided when the system goes down is so afterwards."""
    due: tuple[str, ...]
    for (goes, needs), old in product(_GOES.items(), ((), (OLD,))):
        why = "094" if needs == "crash" else "265"
        stops = f"the system {goes}"
        opened = (KEPT, E, *old, WROTE)
        starts = (
            'the open transaction of E in kept-0 starts at "{u}"',
            "readers of kept-0 see nothing",
            "the transaction of E is Ongoing in kept-0",
        )
        yield Kip890Episode(opened, stops, starts, why, needs=needs)
        if old:
            continue
        both = (KEPT, E_AND_F, WROTE, 'F has written "{u}f" to kept-0')
        each = ('the open transaction of E in kept-0 starts at "{u}"', 'the open transaction of F in kept-0 starts at "{u}f"')
        yield Kip890Episode(both, stops, each, why, needs=needs)
        pending = (KEPT, E, 'E has sent offset 5 of kept-0 to group "fund"')
        due = ('group "fund" has no committed offset of kept-0', 'group "fund" has a pending offset of kept-0')
        yield Kip890Episode(pending, stops, due, "268" if needs == "clean-stop" else "052", needs=needs)
        restarted = CRASH if needs == "crash" else "the system has stopped cleanly and restarted"
        aborted = (KEPT, E, WROTE, "E has aborted", restarted)
        listed = ('a read_committed Fetch of kept-0 lists the aborted transaction of E from "{u}"', "readers of kept-0 see nothing")
        yield Kip890Episode(aborted, stops, listed, "216" if needs == "clean-stop" else "139", needs=needs)
        twice = (*aborted, 'E has written "{u}2" to kept-0', "E has aborted")
        two = 'a read_committed Fetch of kept-0 lists the aborted transactions of E from "{u}" and "{u}2"'
        yield Kip890Episode(twice, stops, (two, "readers of kept-0 see nothing"), "216" if needs == "clean-stop" else "139", needs=needs)
        owner = (
            KEPT,
            E,
            "F has taken over from E",
            'producer G with transactional id "grand"',
            "G has committed 30 transactions in kept-0",
        )
        yield Kip890Episode(
            owner, stops, ("the producer id and epoch of F are unchanged",), "351" if needs == "crash" else "265", needs=needs
        )
    for ends, offset in (("commits", "committed offset 100"), ("aborts", "committed offset 60")):
        many = "offset 1 and each one up to 60 of kept-0 has been committed to group {} outside of transactions"
        givens = (KEPT, E, many.format('"fund"'), 'E has sent offset 100 of kept-0 to group "fund"', many.format('"till"'), CRASH)
        due = (f'group "fund" has {offset} of kept-0', 'group "till" has committed offset 60 of kept-0')
        yield Kip890Episode(givens, f"E {ends}", due, "242", needs="crash")


def _loading() -> Iterator[Kip890Episode]:
    """Requests that are sent again and again while the coordinator loads."""
    starting, retriable = "the system has crashed and is restarting", "every refusal was retriable"
    for before, asks, due in (
        ((WROTE,), "E commits", ("it is done", 'readers of kept-0 see "{u}"')),
        ((WROTE,), "E aborts", ("it is done", "readers of kept-0 see nothing")),
        ((), "E initialises again with neither producer id nor epoch", ("it is done",)),
        ((WROTE,), 'E writes "{u}2" to kept-1', ("it is done", "the transaction of E is Ongoing")),
        ((WROTE, "E has committed"), 'E writes "{u}2" to kept-0', ("the transaction of E is Ongoing in kept-0",)),
        ((OLD, "E has added kept-0"), 'E writes "{u}" to kept-0', ("it is done",)),
    ):
        yield Kip890Episode((PAIR, E, *before, starting), asks, (retriable, *due), "169", needs="crash")


def _clients() -> Iterator[Kip890Episode]:
    """Old clients: several transactions, each ended and repeated; and what a new client does after one of an old client."""
    due: tuple[str, ...]
    began = "the producer id and epoch of E are those it began with"
    for has, again in (("committed", "E has committed"), ("aborted", "E has aborted")):
        first = (PAIR, E, OLD, 'E has written "{u}0" to kept-0', again)
        seen = '"{u}0", "{u}"' if has == "committed" else '"{u}"'
        yield Kip890Episode(first, 'E commits "{u}" to kept-0', ("it is done", began, f"readers of kept-0 see {seen}"), "089")
        other = (*first, "E has added kept-1")
        due = ("one COMMIT marker was added to kept-1, with the epoch of E", "the log of kept-0 has not grown")
        yield Kip890Episode(other, 'E commits "{u}" to kept-1', due, "043")
        markers = {"E commits": "COMMIT", "E aborts": "ABORT"}
        for asks, kind in markers.items():
            due = (f"one {kind} marker was added to kept-0, with the epoch of E", began)
            yield Kip890Episode((*first, WROTE), asks, due, "123")
        newer = (*first, "E is a new client (transaction version 2)")
        yield Kip890Episode(
            (*newer, "E has initialised again"), 'E commits "{u}" to kept-0', (NEXT, f"readers of kept-0 see {seen}"), "208"
        )
        late = (*newer, "E has initialised again", WROTE)
        for kind in ("a COMMIT marker", "an ABORT marker"):
            due = ("it is refused with INVALID_PRODUCER_EPOCH", 'the open transaction of E in kept-0 starts at "{u}"')
            yield Kip890Episode(late, f"{kind} for E reaches kept-0 with its previous epoch", due, "128")
        written = 'E writes "late" to kept-0 with its previous epoch'
        yield Kip890Episode(late, written, ("it is refused with INVALID_PRODUCER_EPOCH", "the log of kept-0 has not grown"), "100")


def _failing() -> Iterator[Kip890Episode]:
    """The transaction log refuses the record of each request, of new clients and old ones; and then it accepts it."""
    due: tuple[str, ...]
    fails, failed = "the next append to the transaction log fails", "an append to the transaction log has failed"
    for (ends, (seen, _)), old in product(_ENDS.items(), ((), (OLD,))):
        kind = "COMMIT" if ends == "commit" else "ABORT"
        due = ("it is done" if old else NEXT, f"one {kind} marker was added to kept-0", f"readers of kept-0 see {seen}", failed)
        yield Kip890Episode((KEPT, E, *old, WROTE, fails), f"E {ends}s", due, "460", needs="failed-appends")
    short = (KEPT, f"{E}{SHORT}", WROTE, fails)
    gone = ("the transaction of E is over", "readers of kept-0 see nothing", failed)
    yield Kip890Episode(short, "E leaves its transaction open past its timeout", gone, "215", needs="failed-appends")
    both = (KEPT, f"{E_AND_F}{SHORT}", WROTE, 'F has written "{u}f" to kept-0', fails)
    due = ("the transaction of E is over", "the transaction of F is over", "readers of kept-0 see nothing", failed)
    yield Kip890Episode(both, "E leaves its transaction open past its timeout", due, "215", needs="failed-appends")
    twenty = (PAIR, "twenty producers with a short timeout have written to kept-0 and kept-1", fails)
    none = ("readers of kept-0 and kept-1 see nothing of the twenty", failed)
    yield Kip890Episode(twenty, "all of the twenty leave their transactions open past their timeouts", none, "215", needs="failed-appends")


def acts() -> Iterator[Act[Kip890Clients]]:
    """The acts about restarts, timeouts and blocked completion."""
    for episodes in (_decided_before, _answered_before, _prepared, _stopped, _loading, _clients):
        yield from acts_of(episodes())
    for episodes in (_overdue, _failing):
        yield from (alone(act) if "twenty" in act.name else act for act in acts_of(episodes()))
    yield from map(alone, acts_of(_half_overdue()))
