"""Acts of KIP-890 in which a value is at its limit: timeouts, identities, versions, the last epoch, the ends of logs, metadata."""

from collections.abc import Iterator
from itertools import product

from .act import Act
from .kip890_episodes import UNUSED, Kip890Episode, acts_of
from .kip890_model import Kip890Clients
from .kip890_transactions import DONE
from .kip890_words import CRASH, E_AND_F, IN_FORCE, KEPT, NEW_ID, NEXT, OLD, PAIR, SAME, WROTE, E

_LAST, _SHORT_LAST = "producer E at the last usable epoch", "producer E at the last usable epoch with a short timeout"
_UNCHANGED = "the producer id and epoch of E are unchanged"
_EPOCH_OR_ID = "INVALID_PRODUCER_EPOCH or INVALID_PRODUCER_ID_MAPPING"
_SEEN = {"commits": '"{u}"', "aborts": "nothing"}


def _timeouts() -> Iterator[Kip890Episode]:
    """InitProducerId of a known id and of an unused one, with each timeout."""
    due: tuple[str, ...]
    too_long = "a millisecond more than is allowed"
    longest = "the longest timeout that is allowed"
    yield Kip890Episode(
        (E,),
        f"E initialises again with {longest}",
        ("it is done", f"the transaction timeout of E is {longest}"),
        "012",
        needs="known-limits",
    )
    yield Kip890Episode(
        (E,),
        f"E initialises again with {too_long}",
        ("it is refused with INVALID_TRANSACTION_TIMEOUT", _UNCHANGED),
        "012",
        needs="known-limits",
    )
    open_one = (KEPT, E, WROTE)
    refused = ("it is refused with INVALID_TRANSACTION_TIMEOUT", "the transaction of E is unchanged")
    yield Kip890Episode(open_one, f"E initialises again with {too_long}", refused, "403", needs="known-limits")
    for timeout in ("a timeout of zero", "a negative timeout"):
        yield Kip890Episode(open_one, f"E initialises again with {timeout}", refused, "403")
    largest = "it is refused with INVALID_TRANSACTION_TIMEOUT or answers the same producer id and the next epoch"
    yield Kip890Episode((E,), "E initialises again with the largest timeout", (largest,), "012")
    for timeout, needs in (("a timeout of zero", ""), ("a negative timeout", ""), (too_long, "known-limits")):
        due = ("it is refused with INVALID_TRANSACTION_TIMEOUT", "the refusal has producer id -1 and epoch -1")
        yield Kip890Episode((), f"a client initialises with {UNUSED} with {timeout}", due, "421", needs=needs)
    for timeout in ("a shorter timeout", "a longer timeout"):
        due = (NEXT, f"the transaction timeout of F is {timeout}")
        yield Kip890Episode((E,), f"F takes over from E with {timeout}", due, "029")
        again = (IN_FORCE, f"the transaction timeout of E is {timeout}")
        yield Kip890Episode((E, "E has initialised again"), f"E initialises again with its previous epoch with {timeout}", again, "029")
    for opened, goes in product(((), (WROTE,)), ("crashes", "stops cleanly")):
        longer = (KEPT, f"{E} and a longer timeout", *opened)
        need = "crash" if goes == "crashes" else "clean-stop"
        yield Kip890Episode(
            longer, f"the system {goes} and restarts", ("the transaction timeout of E is a longer timeout",), "029", needs=need
        )


def _identities() -> Iterator[Kip890Episode]:
    """InitProducerId with each identity, of clients that have one and of those that have none; refused, it leaves what is open."""
    due: tuple[str, ...]
    for which, why in (("no", "010"), ("an unused", "014")):
        asks = f"a client initialises with {which} transactional id and the producer id and epoch of E"
        yield Kip890Episode((E, "E has initialised again"), asks, (NEW_ID, _UNCHANGED), why)
    for (version, error), opened in product((("", "PRODUCER_FENCED"), ("v3", "INVALID_PRODUCER_EPOCH")), ((), (WROTE,))):
        uses = (f"E uses InitProducerId {version}",) if version else ()
        for identity in ("an epoch ahead of the current one", "the next epoch"):
            due = (f"it is refused with {error}", _UNCHANGED, "the transaction of E is unchanged")
            why = ("272" if opened else "018") if not version else ("272" if opened else "019")
            yield Kip890Episode((KEPT, E, *opened, *uses), f"E initialises again with {identity}", due, why)
    for version in ("v1", "v2", "v4"):
        taken = ("it is done and answers the same producer id and the next epoch", "the producer id and epoch of E are those of the answer")
        yield Kip890Episode((E, f"F uses InitProducerId {version}"), "F takes over from E", taken, "015")
    fenced = ("it is refused with PRODUCER_FENCED", _UNCHANGED)
    yield Kip890Episode((E_AND_F, "E uses InitProducerId v4"), "E initialises again with the producer id of F", fenced, "020")
    for tried in ("its previous epoch", "the next epoch", "the epoch before its previous one", "an epoch ahead of the current one"):
        twice = (E, "E has initialised again", "E has initialised again", f"E has tried to initialise again with {tried}")
        yield Kip890Episode(twice, "E initialises again with its previous epoch", (IN_FORCE, _UNCHANGED), "017")


def _retries() -> Iterator[Kip890Episode]:
    """An end is retried after another request of its producer, which was refused or not, came between."""
    ends_before = (
        "E has tried to {end} with its previous epoch",
        "E has tried to {end} with the epoch before its previous one",
        "E has tried to {other} with its previous epoch",
    )
    ahead = (
        "E has tried to initialise again with the next epoch",
        'E has sent "ahead" to kept-0 with the next epoch, whatever was answered',
    )
    others = ("E has tried to {end} with the next epoch", "E has tried to add kept-0 and kept-9")
    tries = (*ends_before, *ahead, *others, "E has tried to initialise again with its previous epoch")
    for ends, tried in product(DONE, tries):
        other = next(one for one in DONE if one != ends)
        said = tried.format(end=ends.removesuffix("s"), other=other.removesuffix("s"))
        givens = (KEPT, E, 'E has committed "{u}0" to kept-0', WROTE, f"E has {DONE[ends]}", said)
        if "initialise again with its previous" in tried:
            yield Kip890Episode(givens, "E initialises again with its previous epoch", (IN_FORCE,), "412")
            continue
        yield Kip890Episode(givens, f"E {ends} with its previous epoch", (IN_FORCE,), "064" if ends == "commits" else "065")
    # Not with an InitProducerId: while a transaction is open, released brokers end it before they look at the epoch of the request.
    for ends, tried in product(DONE, (*ends_before, *others)):
        other = next(one for one in DONE if one != ends)
        said = tried.format(end=ends.removesuffix("s"), other=other.removesuffix("s"))
        givens = (KEPT, E, 'E has committed "{u}0" to kept-0', 'E has committed "{u}1" to kept-0', WROTE, said)
        seen = '"{u}0", "{u}1", "{u}"' if ends == "commits" else '"{u}0", "{u}1"'
        yield Kip890Episode(givens, f"E {ends}", (NEXT, f"readers of kept-0 see {seen}"), "411")


def _late_ends() -> Iterator[Kip890Episode]:
    """EndTxn with an identity that is over, of one instance or of the old one, by each protocol, before a crash and after it."""
    due: tuple[str, ...]
    fenced = "it is refused with PRODUCER_FENCED or INVALID_TXN_STATE"
    for ends, opened in product(DONE, ((), (WROTE,))):
        own = (KEPT, E, "E has initialised again", *opened)
        yield Kip890Episode(own, f"E {ends} with its previous epoch", (fenced, "the transaction of E is unchanged"), "201")
        for down, needs in ((), ""), ((CRASH,), "crash"):
            before = (KEPT, E, 'E has committed "{u}0" to kept-0', "F has taken over from E")
            begun = tuple(one.replace("E has", "F has") for one in opened)
            yield Kip890Episode((*before, *begun, *down), f"E {ends}", (fenced, "the transaction of F is unchanged"), "201", needs=needs)
        for version, error in (("v4", "PRODUCER_FENCED"), ("v2", "PRODUCER_FENCED"), ("v1", "INVALID_PRODUCER_EPOCH")):
            older = (KEPT, E, "E has initialised again", f"{OLD} and uses EndTxn {version}", "E has added kept-0", *opened)
            for identity in ("its previous epoch", "an epoch ahead of the current one"):
                due = (f"it is refused with {error}", "the transaction of E is Ongoing in kept-0")
                yield Kip890Episode(older, f"E {ends} with {identity}", due, "087")


def _while_the_next_is_open() -> Iterator[Kip890Episode]:
    """An end of the last transaction comes late, while the next one is open: of usual producers, and of those that have another id now."""
    unchanged = ("the transaction of E is unchanged", 'the open transaction of E in kept-0 starts at "{u}"')
    for has, (who, needs, more) in product(DONE.values(), ((E, "", ""), (_LAST, "aged-ids", " or INVALID_PRODUCER_ID_MAPPING"))):
        begun = (KEPT, who, 'E has written "{u}0" to kept-0')
        refused = "it is refused with PRODUCER_FENCED" + (", INVALID_TXN_STATE" if more else " or INVALID_TXN_STATE") + more
        for asks in DONE:
            givens = (*begun, f"E has {has}", WROTE)
            yield Kip890Episode(givens, f"E {asks} with its previous epoch", (refused, *unchanged), "200", needs=needs)
        held = (*begun, f"E has {has} at its second attempt, and the first is held up", WROTE)
        yield Kip890Episode(held, "the held-up request arrives", unchanged, "200", needs=f"{needs} wire-faults".strip())


def _last_epochs() -> Iterator[Kip890Episode]:
    """The last epoch is used up by each end, of a transaction of each kind, and requests of the old identity follow."""
    due: tuple[str, ...]
    written = 'E has written "{u}" to kept-0 and "{u}2" to kept-1 in one request'
    sent = 'E has sent offset 5 of kept-0 to group "fund"'
    decided = "the last stable offset of kept-0 and kept-1 is the high watermark"
    for asks, name in (("E commits", "committed"), ("E aborts", "aborted"), ("F takes over from E", "aborted")):
        left = "committed offset 5" if name == "committed" else "no committed offset"
        due = (decided, f'group "fund" has {left} of kept-0', 'group "fund" has no pending offset of kept-0')
        yield Kip890Episode((PAIR, _LAST, written, sent), asks, due, "405", needs="aged-ids")
        yield Kip890Episode((PAIR, _LAST, sent), asks, due[1:], "405", needs="aged-ids")
        yield Kip890Episode((PAIR, _LAST, written, sent, CRASH), asks, due, "405", needs="aged-ids crash")
    timed = (PAIR, _SHORT_LAST, written, sent)
    gone = (decided, 'group "fund" has no pending offset of kept-0')
    yield Kip890Episode(timed, "E leaves its transaction open past its timeout", gone, "405", needs="aged-ids")
    yield Kip890Episode((PAIR, _SHORT_LAST, written), "E aborts after its timeout", ("no answer has epoch 32767",), "028", needs="aged-ids")
    for has, ends in (("committed", "commits"), ("aborted", "aborts")):
        over = (PAIR, _LAST, WROTE, f"E has {has}")
        yield Kip890Episode(over, f"E {ends} with its previous epoch", (IN_FORCE,), "077", needs="aged-ids")
        yield Kip890Episode((*over, CRASH), f"E {ends} with its previous epoch", (IN_FORCE,), "163", needs="aged-ids crash")
        for where in ("kept-0", "kept-1"):
            due = (f"it is refused with {_EPOCH_OR_ID}", f"the log of {where} has not grown")
            yield Kip890Episode(over, f'E writes "late" to {where} with its previous epoch', due, "078", needs="aged-ids")
        for later in (('E has committed "{u}2" to kept-0',), ('E has written "{u}2" to kept-0', "E has aborted")):
            for asks in DONE:
                due = ("it is refused with INVALID_PRODUCER_ID_MAPPING", _UNCHANGED)
                identity = "the epoch before its previous one"
                yield Kip890Episode((*over, *later), f"E {asks} with {identity}", due, "078", needs="aged-ids")
    moved = (_LAST, "E has initialised again")
    for identity in ("its previous producer id and the epoch in force", "the epoch before its previous one"):
        due = ("it is refused with PRODUCER_FENCED", _UNCHANGED)
        yield Kip890Episode(moved, f"E initialises again with {identity}", due, "027", needs="aged-ids")
    tried = (*moved, "E has tried to initialise again with the epoch before its previous one")
    yield Kip890Episode(tried, "E initialises again with its previous epoch", (IN_FORCE,), "027", needs="aged-ids")
    listed = (KEPT, _LAST, 'E has committed "{u}" to kept-0')
    yield Kip890Episode(listed, "ListTransactions is sent for the previous producer id of E", ("E is not listed",), "150", needs="aged-ids")
    yield Kip890Episode(listed, "ListTransactions is sent for the producer id of E", ("E is listed",), "150", needs="aged-ids")


def _log_ends() -> Iterator[Kip890Episode]:
    """The ends of a log: records are deleted up to each point, and read from there."""
    two = (KEPT, '"{u}" has been written to kept-0', '"{u}2" has been written to kept-0')
    cut = (*two, 'the records of kept-0 before "{u}2" have been deleted')
    done, beyond = "it is done", "it is refused with OFFSET_OUT_OF_RANGE"
    deleted = "the records of kept-0{} are deleted"
    for givens, first in ((two, "{u}"), (cut, "{u}2")):
        begins = f'kept-0 begins with "{first}"'
        for point, answer in (("past its end", beyond), ("a negative offset", beyond), ("its start", done)):
            yield Kip890Episode(givens, deleted.format(f" up to {point}"), (answer, begins), "362")
        yield Kip890Episode(givens, deleted.format(""), (done, "kept-0 begins with what comes next"), "362")
    yield Kip890Episode(cut, deleted.format(" up to before its start"), (done, 'kept-0 begins with "{u}2"'), "362")
    yield Kip890Episode((KEPT,), deleted.format(" up to its start"), (done, "kept-0 begins with what comes next"), "362")
    for level, (point, due) in product(
        ("read_committed", "read_uncommitted"),
        (("before its start", beyond), ("past its end", beyond), ("its end", "it is done and answers no records")),
    ):
        yield Kip890Episode(cut, f"kept-0 is read from {point} for {level}", (due,), "363")
    room = 'a Fetch with room for 2 batches of kept-0 gets "r0", "r1", or the first of them'
    yield Kip890Episode((KEPT, E, "E has written 2 batches to kept-0"), 'E writes "{u}" to kept-0', (room,), "363")


def _batches() -> Iterator[Kip890Episode]:
    """Batches that are odd or repeated, of new clients and of old ones, and what follows them."""
    due: tuple[str, ...]
    batches = ("a batch with a base offset of 1", "a batch with the beginning of another behind it", "a damaged batch", "an empty batch")
    for batch in batches:
        sent = (KEPT, E, WROTE, f"E has sent {batch} to kept-0, whatever was answered")
        yield Kip890Episode((*sent, "E has aborted"), '"{u}p" is written to kept-0', ('readers of kept-0 see "{u}p"',), "365")
        if "another" not in batch:
            more = ('it is done and answers the offset of "{u}2"', 'the last stable offset of kept-0 is the offset of "{u}"')
            yield Kip890Episode(sent, 'E writes "{u}2" to kept-0', more, "365")
    without = ("it is refused with INVALID_RECORD or OUT_OF_ORDER_SEQUENCE_NUMBER", SAME)
    asked = "E writes a batch without a sequence number to kept-0"
    yield Kip890Episode((KEPT, E, OLD, "E has added kept-0"), asked, without, "365")
    yield Kip890Episode((KEPT, E, WROTE), asked, without, "365")
    for kind in ("a COMMIT marker", "an ABORT marker"):
        due = ("it is refused with INVALID_RECORD", SAME, "the transaction of E is Ongoing in kept-0")
        yield Kip890Episode((KEPT, E, WROTE), f"E writes {kind} to kept-0", due, "115")
        yield Kip890Episode((KEPT, E, OLD, WROTE), f"E writes {kind} to kept-0", due, "115")
    sixth = 'it is refused with OUT_OF_ORDER_SEQUENCE_NUMBER or DUPLICATE_SEQUENCE_NUMBER or answers the offset of "r0"'
    yield Kip890Episode((KEPT, E, "E has written 6 batches to kept-0"), 'E writes "again" to kept-0 at sequence 0', (sixth, SAME), "113")
    for topics, here, there in (((PAIR,), "kept-0", "kept-1"), ((KEPT, 'a topic "spare" with 1 partition'), "kept-0", "spare-0")):
        for opened in ((), (f'F has written "{{u}}f" to {there}',)):
            asks = f'E writes "{{u}}" to {here} and "{{u}}2" to {there} as F in one request'
            due = (f"it is refused for {there} with INVALID_PRODUCER_ID_MAPPING", f"the log of {there} has not grown")
            yield Kip890Episode((*topics, E_AND_F, *opened), asks, (*due, "the transaction of F is unchanged"), "119")
    early = (KEPT, E, WROTE, 'E has sent "early" to kept-0 with an epoch ahead of the current one, whatever was answered')
    for ends, seen in _SEEN.items():
        yield Kip890Episode(early, f"E {ends}", ("the transaction of E is over", f"readers of kept-0 see {seen}"), "102")


def _requests() -> Iterator[Kip890Episode]:
    """Requests about partitions and offsets, each with an identity, in each version; refused as a whole, or for one partition."""
    due: tuple[str, ...]
    in_both = "it is refused for kept-0 and kept-1 with {}"
    for opened in ((), ('E has written "{u}" to kept-0',)):
        begun = (PAIR, E_AND_F, *opened)
        unchanged = "the transaction of E is unchanged"
        for identity, error, why in (
            (UNUSED, "INVALID_PRODUCER_ID_MAPPING", "031"),
            ("the producer id of F", "INVALID_PRODUCER_ID_MAPPING", "031"),
            ("an empty transactional id", "INVALID_REQUEST", "044"),
            ("an epoch ahead of the current one", "PRODUCER_FENCED", "032"),
        ):
            yield Kip890Episode(begun, f"E adds kept-0 and kept-1 with {identity}", (in_both.format(error), unchanged), why)
        for version in ("v2", "v4", "v5"):
            due = ("it is refused for kept-1 with PRODUCER_FENCED", unchanged)
            asked = "E adds kept-1 with an epoch ahead of the current one"
            yield Kip890Episode((*begun, f"E uses AddPartitionsToTxn {version}"), asked, due, "032")
        for identity, error in (
            ("the next epoch", "PRODUCER_FENCED"),
            ("an epoch ahead of the current one", "PRODUCER_FENCED"),
            ("an empty transactional id", "INVALID_REQUEST"),
        ):
            why = "380" if "epoch" in identity else "214"
            yield Kip890Episode(
                begun, f'E adds the offsets of group "fund" with {identity}', (f"it is refused with {error}", unchanged), why
            )
        pending = (*begun, 'E has sent offset 3 of kept-0 to group "fund"')
        still = (unchanged, 'group "fund" has a pending offset of kept-0')
        for asks, answer in (
            (
                'E sends offset 5 of kept-0 to group "fund" with the producer id of F',
                "it is refused for kept-0 with INVALID_PRODUCER_ID_MAPPING",
            ),
            (
                'E sends offset 5 of kept-0 to group "fund" with an unknown member id',
                "it is refused for kept-0 with UNKNOWN_MEMBER_ID or ILLEGAL_GENERATION",
            ),
            (
                'E sends offset 5 of kept-0 to group "fund" and metadata that is too large for kept-1',
                "it is refused for kept-1 with OFFSET_METADATA_TOO_LARGE",
            ),
            ('E sends offset 5 of kept-0 to group ""', "it is refused for kept-0 with INVALID_GROUP_ID"),
            ('E adds the offsets of group "till" with the next epoch', "it is refused with PRODUCER_FENCED"),
        ):
            yield Kip890Episode(pending, asks, (answer, *still), "411")
    largest = 'E sends offset 5 of kept-0 and kept-1 to group "fund" and metadata that is as large as may be for kept-1'
    yield Kip890Episode(
        (PAIR, E),
        largest,
        ("it is done for kept-0 and kept-1", 'group "fund" has a pending offset of kept-1'),
        "056",
        needs="known-limits",
    )
    missing = ("it is refused for kept-8 and kept-9 with UNKNOWN_TOPIC_OR_PARTITION", "the transaction of E is unchanged")
    for before in ((), ('E has committed "{u}" to kept-0',)):
        yield Kip890Episode((KEPT, E, *before), 'E sends offset 5 of kept-8 and kept-9 to group "fund"', missing, "407")


def _fetched() -> Iterator[Kip890Episode]:
    """OffsetFetch of each version about what is there, pending, and not there; with metadata."""
    said = ' with metadata "half way" and leader epoch 3'
    sent = (
        PAIR,
        E,
        f'E has sent offset 5 of kept-0 to group "fund"{said}',
        "E has committed",
        'E has sent offset 7 of kept-0 to group "fund"',
    )
    here = 'it answers offset 5, leader epoch 3 and metadata "half way" for kept-0 and for nothing else'
    for version in (5, 7, 8, 9, 10):
        why = "360" if version == 10 else "358"
        yield Kip890Episode(sent, f'OffsetFetch v{version} is sent for all partitions of group "fund"', (here,), why)
        yield Kip890Episode(sent, f'OffsetFetch v{version} is sent for kept-0 of group "fund"', (here,), why)
        none = "it answers no offset for kept-1 and for nothing else"
        yield Kip890Episode(sent, f'OffsetFetch v{version} is sent for kept-1 of group "fund"', (none,), why)
    unknown = 'OffsetFetch v10 is sent for a topic id that no topic has of group "fund"'
    yield Kip890Episode(sent, unknown, ("it is refused with UNKNOWN_TOPIC_ID",), "360")
    yield Kip890Episode(
        (KEPT,), 'OffsetFetch is sent for kept-0 of group "till"', ("it is done", 'group "till" has no committed offset of kept-0'), "270"
    )
    for earlier in ((), ('E has sent offset 3 of kept-0 to group "fund"', "E has committed")):
        with_metadata = (KEPT, E, *earlier, 'E has sent offset 5 of kept-0 to group "fund" with metadata "half way"')
        due = 'group "fund" has committed offset 5 of kept-0 with metadata "half way"'
        yield Kip890Episode(with_metadata, "E commits", (due,), "053")


def acts() -> Iterator[Act[Kip890Clients]]:
    """The acts with values at their limits."""
    for episodes in (
        _timeouts,
        _identities,
        _retries,
        _late_ends,
        _while_the_next_is_open,
        _last_epochs,
        _log_ends,
        _batches,
        _requests,
        _fetched,
    ):
        yield from acts_of(episodes())
