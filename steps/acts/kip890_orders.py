"""Acts of KIP-890 about orders: a producer's batches and repeats, offsets of one group, a refusal between an end and its retry."""

from collections.abc import Iterator
from itertools import product

from .act import Act
from .kip890_episodes import Kip890Episode, acts_of
from .kip890_model import Kip890Clients
from .kip890_words import E_AND_F, KEPT, LANE, PAIR, RESTARTS, E

_FUND = 'group "fund"'
_BATCHES = 5
"""So many batches of a producer a partition remembers."""


def _batches() -> Iterator[Kip890Episode]:
    """A producer's last batches arrive again after a restart, or one is missing."""
    for who, (needs, restart) in product("IE", RESTARTS.items()):
        begun = (KEPT, "idempotent producer I" if who == "I" else E, f"{who} has written {_BATCHES} batches to kept-0")
        givens, unchanged = (*begun, restart) if restart else begun, "the log of kept-0 has not grown"
        for number in (0, 2, _BATCHES - 1) if restart else (2,):
            again = f'{who} writes "r{number}" to kept-0 at sequence {number}'
            yield Kip890Episode(givens, again, (f'it is done and answers the offset of "r{number}"', unchanged), "112", needs=needs)
        gap = f'{who} writes "gap" to kept-0 at sequence {_BATCHES + 1}'
        yield Kip890Episode(givens, gap, ("it is refused with OUT_OF_ORDER_SEQUENCE_NUMBER", unchanged), "113", needs=needs)


def _offsets() -> Iterator[Kip890Episode]:
    """Offsets of one partition, of a transaction and outside of it, in every order, and the transaction's end."""
    sent, plain = (
        f"E has sent offset {{}} of kept-0 to {_FUND}",
        f"offset {{}} of kept-0 has been committed to {_FUND} outside of transactions",
    )
    orders: tuple[tuple[tuple[str, ...], str, str], ...] = (
        ((sent.format(5), sent.format(3)), "committed offset 3", "no committed offset"),
        ((sent.format(5), plain.format(7)), "committed offset 7", "committed offset 7"),
        ((plain.format(7), sent.format(5)), "committed offset 5", "committed offset 7"),
        ((plain.format(7), sent.format(5), sent.format(9)), "committed offset 9", "committed offset 7"),
    )
    for (givens, committed, aborted), needs in product(orders, ("", "crash")):
        for ends, has, left in (("commits", "committed", committed), ("aborts", "aborted", aborted)):
            due = f"{_FUND} has {left} of kept-0"
            if needs:
                restarted = (KEPT, E, *givens, f"E has {has}")
                yield Kip890Episode(restarted, "the system crashes and restarts", (due,), "242", needs=needs)
            else:
                yield Kip890Episode((KEPT, E, *givens), f"E {ends}", (due,), "053" if ends == "commits" else "054")
    both = tuple(f"{_FUND} has a pending offset of kept-{number}" for number in (0, 1))
    yield Kip890Episode((PAIR, E), f"E sends offset 5 of kept-0 and kept-1 to {_FUND}", both, "052")
    loading = (KEPT, E, 'E has written "{u}" to kept-0', "the system has crashed and is restarting")
    waits = "every refusal was COORDINATOR_LOAD_IN_PROGRESS, COORDINATOR_NOT_AVAILABLE or NOT_COORDINATOR"
    yield Kip890Episode(loading, f"E sends offset 5 of kept-0 to {_FUND}", (waits, "it is done"), "057", needs="crash")
    gone = (KEPT, 'J is a member of group "crew"', 'K has joined group "crew" together with J', 'K has left group "crew"')
    stranger = 'offset 7 of kept-0 is committed to group "crew" outside of transactions by K as the member that it is'
    yield Kip890Episode(
        gone, stranger, ("it is refused with UNKNOWN_MEMBER_ID", 'group "crew" has no committed offset of kept-0'), "356", "JK"
    )


def _refusals() -> Iterator[Kip890Episode]:
    """A refusal comes between an end and its retry, between two others in one request, or after a restart."""
    ended = (("E has committed", "commits"), ("E has aborted", "aborts"))
    for (has, again), tried in product(ended, ("E has tried to commit", "E has tried to commit with an epoch ahead of the current one")):
        givens = (KEPT, E, 'E has written "{u}" to kept-0', has, tried)
        why = "064" if again == "commits" else "065"
        yield Kip890Episode(
            givens, f"E {again} with its previous epoch", ("it is done and answers the producer id and epoch in force",), why
        )
    three = (KEPT, E_AND_F, 'producer G with transactional id "grand" at the coordinator of E')
    asked = "E adds kept-0 for E and for F with an epoch ahead of the current one and for G in one request"
    answers = ("it is done for kept-0 of E", "it is refused for kept-0 of F with PRODUCER_FENCED", "it is done for kept-0 of G")
    yield Kip890Episode(three, asked, answers, "037")
    for needs, why in (("crash", "160"), ("clean-stop", "266")):
        late = (KEPT, E, 'E has written "{u}" to kept-0', "E has committed", "E uses Produce v11", RESTARTS[needs])
        due = ("it is refused with INVALID_PRODUCER_EPOCH", "the log of kept-0 has not grown")
        yield Kip890Episode(late, 'E writes "late" to kept-0 with its previous epoch', due, why, needs=needs)


def _overlaps() -> Iterator[Kip890Episode]:
    """A shorter transaction of another producer is decided within one that aborts."""
    for has in ("committed", "aborted"):
        givens = (
            LANE,
            E_AND_F,
            'E has written "{u}" to lane-0',
            'F has written "{u}f" to lane-0',
            f"F has {has}",
            "E has written 3 batches to lane-0",
        )
        listed = "a read_committed Fetch of any batch of E in lane-0 lists its aborted transaction"
        yield Kip890Episode(givens, "E aborts", (listed, "readers of lane-0 see " + ('"{u}f"' if has == "committed" else "nothing")), "145")


def acts() -> Iterator[Act[Kip890Clients]]:
    """The acts of these orders."""
    for episodes in (_batches, _offsets, _refusals, _overlaps):
        yield from acts_of(episodes())
