"""Acts of KIP-890 about what is left: compacted logs, ids that expire, logs without verification, markers that are answered twice."""

from collections.abc import Iterator
from itertools import product

from .act import Act
from .kip890_episodes import Kip890Episode, acts_of
from .kip890_lives import alone
from .kip890_model import Kip890Clients
from .kip890_words import CRASH, E_AND_F, KEPT, PAIR, WROTE, E

_VAULT = 'a compacted topic "vault" that keeps markers for no time'
_MARKERS = ("an ABORT marker", "a COMMIT marker")
_DECIDED = "the last stable offset of vault-0 is the high watermark"


def _compacted() -> Iterator[Kip890Episode]:
    """A log is compacted: with keys of markers, around an open transaction, and before late batches and markers."""
    older: tuple[str, ...]
    givens: tuple[str, ...]
    due: tuple[str, ...]
    sees = "readers of compacted vault-0 see {}"
    for marker, has, (needs, goes) in product(_MARKERS, ("aborted", "committed"), (("", ""), ("crash", "crash"))):
        givens = (
            _VAULT,
            E_AND_F,
            f'F has committed "{{u}}f" under the key of {marker} to vault-0',
            f'E has {has} "{{u}}" under key "x" to vault-0',
        )
        seen = '"{u}f"' if has == "aborted" else '"{u}f", "{u}"'
        asks = "the system crashes and restarts" if goes else "vault-0 is compacted twice"
        down = ("vault-0 has been compacted twice",) if goes else ()
        yield Kip890Episode((*givens, *down), asks, (sees.format(seen), _DECIDED), "444", needs=f"compaction {needs}".strip())
    for has, times in product(("committed", "aborted"), ("", " twice")):
        older = ('F has committed "{u}1" under key "x" to vault-0', f'F has {has} "{{u}}2" under key "x" to vault-0')
        givens = (_VAULT, E_AND_F, *older, "a new segment of vault-0 has begun", 'E has written "{u}" under key "x" to vault-0')
        left = '"{u}2"' if has == "committed" else '"{u}1"'
        due = (
            "the last stable offset of compacted vault-0 has never gone back",
            'the last stable offset of vault-0 is the offset of "{u}"',
        )
        yield Kip890Episode(givens, f"vault-0 is compacted{times}", (*due, sees.format(left)), "443", needs="compaction")
    newer = 'F has committed "{u}f" under key "x" to vault-0'
    for needs, down in (("", ()), ("crash", (CRASH,))):
        need = f"compaction {needs}".strip()
        idle = (
            _VAULT,
            E_AND_F,
            "idempotent producer I",
            'I has written "{u}" under key "x" to vault-0',
            newer,
            "vault-0 has been compacted twice",
            *down,
        )
        yield Kip890Episode(idle, 'I writes "{u}" under key "x" to vault-0 at sequence 0', (sees.format('"{u}f"'),), "447", needs=need)
        raised = (_VAULT, E_AND_F, "idempotent producer I", "I has raised its own epoch", *idle[3:])
        late = 'I writes "{u}0" under key "x" to vault-0 with its previous epoch'
        yield Kip890Episode(raised, late, ("it is refused with INVALID_PRODUCER_EPOCH",), "447", needs=need)
        gone = (_VAULT, E_AND_F, 'E has aborted "{u}" under key "x" to vault-0', newer, "vault-0 has been compacted 3 times", *down)
        for marker in _MARKERS:
            asks = f"{marker} for E reaches vault-0 with its previous epoch"
            yield Kip890Episode(gone, asks, ("it is refused with INVALID_PRODUCER_EPOCH",), "447", needs=need)
        old = (
            "E is an old client (transaction version 0)",
            'E has aborted "{u}" under key "x" to vault-0',
            "vault-0 has been compacted twice",
        )
        skipped = 'E writes "{u}2" under key "x" to vault-0 at sequence 2'
        refused = ("it is refused with OUT_OF_ORDER_SEQUENCE_NUMBER",)
        yield Kip890Episode((_VAULT, E_AND_F, *old, "E has added vault-0", *down), skipped, refused, "447", needs=need)
    for has in ("aborted", "committed"):
        archive = ('a compacted topic "vault" that keeps markers for a day', E_AND_F, f'E has {has} "{{u}}" under key "x" to vault-0')
        givens = (*archive, 'E has committed "{u}2" under key "x" to vault-0', "vault-0 has been compacted")
        kind = "ABORT" if has == "aborted" else "COMMIT"
        due = (f"vault-0 still holds the {kind} marker of E", sees.format('"{u}2"'))
        yield Kip890Episode(givens, "vault-0 is compacted twice", due, "448", needs="compaction")


def _added() -> Iterator[Kip890Episode]:
    """Verification of two partitions, and offsets that are in a transaction, in each state."""
    both, neither = "the leader verifies kept-0 and kept-1 for E", "it is refused for kept-0 and kept-1 with {}"
    not_in, unchanged = "TRANSACTION_ABORTABLE or INVALID_TXN_STATE", "the transaction of E is unchanged"
    for before in ((), (WROTE, "E has committed"), (WROTE, "E has aborted"), ("E has initialised again",)):
        yield Kip890Episode((PAIR, E, *before), both, (neither.format(not_in), unchanged), "042")
    for identity, error in (
        ("the producer id of F", "INVALID_PRODUCER_ID_MAPPING"),
        ("an epoch ahead of the current one", "PRODUCER_FENCED"),
    ):
        for added in (("E has added kept-0",), ("E has added kept-0 and kept-1",)):
            yield Kip890Episode((PAIR, E_AND_F, *added), f"{both} with {identity}", (neither.format(error), unchanged), "041")
    for ends in ("commit", "abort"):
        blocked = (PAIR, E, "completion of E's transactions is blocked", f"E has been asked to {ends}")
        waits = neither.format("CONCURRENT_TRANSACTIONS")
        yield Kip890Episode(blocked, both, (waits,), "041", needs="hold-markers")
        yield Kip890Episode(blocked, "E adds kept-0 and kept-1", (waits, unchanged), "035", needs="hold-markers")
    ongoing = "the transaction of E is Ongoing in a partition of __consumer_offsets"
    for request, why in (('E adds the offsets of group "fund"', "046"), ('E sends offset 5 of kept-0 to group "fund"', "047")):
        for before in ((), ('E has committed "{u}" to kept-0',)):
            yield Kip890Episode((KEPT, E, *before), request, (ongoing,), why)
    for version, error in (("v0", "INVALID_PRODUCER_EPOCH"), ("v1", "INVALID_PRODUCER_EPOCH"), ("v2", "PRODUCER_FENCED")):
        givens = (KEPT, E, "E has initialised again", f"E uses AddOffsetsToTxn {version}")
        for identity in ("its previous epoch", "an epoch ahead of the current one"):
            asks = f'E adds the offsets of group "fund" with {identity}'
            yield Kip890Episode(givens, asks, (f"it is refused with {error}", unchanged), "380")


def _deleted_groups() -> Iterator[Kip890Episode]:
    """A group is deleted while offsets are pending, with earlier ones, in several partitions, before more are sent, or before a crash."""
    sent, gone = 'E has sent offset {} of {} to group "fund"', 'group "fund" has been deleted'
    earlier = (sent.format(3, "kept-0"), "E has committed")
    for before, places in product(((), earlier), ("kept-0", "kept-0 and kept-1")):
        pending = (PAIR, E, *before, sent.format(5, places))
        due = tuple(f'group "fund" has no pending offset of {place}' for place in places.split(" and "))
        yield Kip890Episode(pending, 'group "fund" is deleted', due, "243")
        for ends, (needs, down) in product(("commits", "aborts"), (("", ()), ("crash", (CRASH,)))):
            none = tuple(f'group "fund" has no committed offset of {place}' for place in places.split(" and "))
            over = ("the transaction of E is over", *none, *due)
            yield Kip890Episode((*pending, gone, *down), f"E {ends}", over, "243", needs=needs)
        again = (*pending, gone, sent.format(7, "kept-0"))
        yield Kip890Episode(again, "E commits", ('group "fund" has committed offset 7 of kept-0',), "243")


def _unverified() -> Iterator[Kip890Episode]:
    """Without verification, old clients write outside of transactions, and an operator ends what they wrote."""
    due: tuple[str, ...]
    starts, unknown = 'the open transaction of E in kept-0 starts at "{u}"', "the transaction of E is Empty"
    asks = 'E writes "{u}" to kept-0'
    for version in ("Produce v10", "Produce v11"):
        older = (KEPT, E, f"E uses {version}")
        yield Kip890Episode(older, asks, ("it is done", unknown, starts), "116", needs="verification-off")
        for marker, seen in zip(_MARKERS, ("nothing", '"{u}"'), strict=True):
            due = ("it is done", f"readers of kept-0 see {seen}", "the last stable offset of kept-0 is the high watermark", unknown)
            yield Kip890Episode((*older, WROTE), f"{marker} for E reaches kept-0", due, "170", needs="verification-off")
    yield Kip890Episode((KEPT, E), asks, ("it is done", "the transaction of E is Ongoing in kept-0"), "116", needs="verification-off")
    offsets = 'E sends offset 5 of kept-0 to group "till"'
    added = ("it is done for kept-0", "the transaction of E is Ongoing in a partition of __consumer_offsets")
    yield Kip890Episode((KEPT, E), offsets, added, "047", needs="verification-off")


def _expired() -> Iterator[Kip890Episode]:
    """Ids and states that expire, or are in use while another one does."""
    due: tuple[str, ...]
    unknown, needs = "the coordinator does not know E", "short-expiry"
    for has in ("committed", "aborted"):
        idle = (KEPT, E, f"E has {has} 2 transactions in kept-0")
        yield Kip890Episode(idle, "E stays idle until its transactional id expires", (unknown,), "165", "E", needs)
    used = (KEPT, E_AND_F, 'F has committed "{u}" to kept-0')
    due = ("kept-0 has no state of F", "kept-0 has a state of E")
    yield Kip890Episode(used, "E commits to kept-0 again and again until the state of F has expired", due, "167", "E", needs)
    slept = ('producer F with transactional id "west"', "F has stayed idle until its transactional id expired", E)
    asks = "E stays idle through a crash that lasts as long as F was idle, until its transactional id expires"
    yield Kip890Episode(slept, asks, ("the transactional id of E was kept about as long as that of F",), "165", "E", f"{needs} crash")
    spread = ('a topic "broad" with 50 partitions', f"{E} and a short timeout")
    asks = 'E writes to one partition of "broad" after the other, two fifths of its timeout apart'
    yield Kip890Episode(spread, asks, ("the transaction of E is over",), "156")
    for ends, seen in (("commits", '"{u}0", "{u}"'), ("aborts", '"{u}0"')):
        twice = "each marker is answered twice, the second time just before the next crash"
        begun = ('E has committed "{u}0" to kept-0', WROTE, "the system crashes right after it answers the next EndTxn of E")
        givens = (KEPT, E, twice, *begun)
        yield Kip890Episode(givens, f"E {ends}", (f"readers of kept-0 see {seen}",), "340", needs="crash doubled-answers")


def acts() -> Iterator[Act[Kip890Clients]]:
    """The acts about what is left."""
    for episodes in (_compacted, _added, _deleted_groups):
        yield from acts_of(episodes())
    for episodes in (_unverified, _expired):
        yield from map(alone, acts_of(episodes()))
