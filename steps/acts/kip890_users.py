"""Acts of KIP-890 of users with fewer rights than they need: for one of two topics, ids or groups, and with each request."""

from collections.abc import Iterator
from itertools import product

from .act import Act
from .kip890_episodes import AUTHORIZER, Kip890Episode, acts_of
from .kip890_model import Kip890Clients
from .kip890_words import KEPT, NO_RIGHT_TO_ID, PAIR, SPARE, UNCHANGED

_USER = 'producer E with transactional id "east" and group "fund", logged in as an ordinary user'
_NO_TOPIC = "TOPIC_AUTHORIZATION_FAILED"


def _without(right: str) -> str:
    return f"the user of E may no longer {right}"


def _writing() -> Iterator[Kip890Episode]:
    """A user that may not write under its id, or to one of two topics, with each request."""
    givens: tuple[str, ...]
    due: tuple[str, ...]
    opened = (PAIR, SPARE, _USER, 'E has written "{u}" to kept-0')
    for version in ("Produce v11", "Produce v12"):
        givens = (KEPT, _USER, _without("write under its transactional id"), f"E uses {version}")
        due = (f"it is refused with {NO_RIGHT_TO_ID}", UNCHANGED, "the log of kept-0 has not grown")
        yield Kip890Episode(givens, 'E writes "{u}" to kept-0', due, "173", needs=AUTHORIZER)
    for version in ("EndTxn v4", "EndTxn v5"):
        givens = (*opened, _without("write under its transactional id"), f"E uses {version}")
        yield Kip890Episode(givens, "E commits", (f"it is refused with {NO_RIGHT_TO_ID}", UNCHANGED), "173", needs=AUTHORIZER)
    for topic, (here, there) in product(("kept", "spare"), (("kept-0", "spare-0"), ("spare-0", "kept-0"))):
        no, yes = (here, there) if here.startswith(topic) else (there, here)
        for version in ("v12", "v13"):
            givens = (KEPT, SPARE, _USER, _without(f"write to {topic}"), f"E uses Produce {version}")
            asks = f'E writes "{{u}}" to {here} and "{{u}}2" to {there} in one request'
            due = (f"it is refused for {no} with {_NO_TOPIC}", f"it is done for {yes}", f"the transaction of E is Ongoing in {yes}")
            yield Kip890Episode(givens, asks, due, "176", needs=AUTHORIZER)
        givens = (KEPT, SPARE, _USER, _without(f"write to {topic}"))
        due = (f"it is refused for {no} with {_NO_TOPIC}", f"it is refused for {yes} with OPERATION_NOT_ATTEMPTED", UNCHANGED)
        yield Kip890Episode(givens, f"E adds {here} and {there}", due, "258", needs=AUTHORIZER)
        sent = (f"it is refused for {no} with {_NO_TOPIC}", f"it is done for {yes}", f'group "fund" has no pending offset of {no}')
        givens = (KEPT, SPARE, _USER, _without(f"read {topic}"))
        yield Kip890Episode(givens, f'E sends offset 5 of {here} and {there} to group "fund"', sent, "174", needs=AUTHORIZER)
    both = (PAIR, _USER)
    for right, asks, why in (
        ("write to kept", 'E writes "{u}" to kept-0 and "{u}2" to kept-1 in one request', "176"),
        ("write to kept", "E adds kept-0 and kept-1", "258"),
        ("read kept", 'E sends offset 5 of kept-0 and kept-1 to group "fund"', "174"),
    ):
        due = (f"it is refused for kept-0 and kept-1 with {_NO_TOPIC}", *((UNCHANGED,) if why != "174" else ()))
        yield Kip890Episode((*both, _without(right)), asks, due, why, needs=AUTHORIZER)
    group = (KEPT, SPARE, _USER, _without('read group "fund"'))
    asks = 'E sends offset 5 of kept-0 and spare-0 to group "fund"'
    due = ("it is refused for kept-0 and spare-0 with GROUP_AUTHORIZATION_FAILED", UNCHANGED)
    yield Kip890Episode(group, asks, due, "174", needs=AUTHORIZER)
    yield Kip890Episode(
        (*opened, _without("write to spare")),
        'E writes "{u}2" to spare-0',
        (f"it is refused with {_NO_TOPIC}", "the transaction of E is Ongoing in kept-0"),
        "176",
        needs=AUTHORIZER,
    )
    yield Kip890Episode(
        (*opened, _without("write to spare")),
        "E adds spare-0",
        (f"it is refused for spare-0 with {_NO_TOPIC}", "the transaction of E is Ongoing in kept-0"),
        "258",
        needs=AUTHORIZER,
    )


def _looking() -> Iterator[Kip890Episode]:
    """A user that may not describe, or read, one of two things."""
    givens: tuple[str, ...]
    due: tuple[str, ...]
    written = (KEPT, SPARE, _USER, 'E has written "{u}" to kept-0', 'E has written "{u}2" to spare-0')
    for topic, other in (("kept", "spare-0"), ("spare", "kept-0")):
        asks = "E itself sends DescribeTransactions for its transactional id"
        due = (f"the answer describes a transaction in {other} and nowhere else",)
        yield Kip890Episode((*written, _without(f"describe {topic}")), asks, due, "269", needs=AUTHORIZER)
        for first, second in (("kept-0", "spare-0"), ("spare-0", "kept-0")):
            which = "first" if first.startswith(topic) else "last"
            due = (f"the {which} entry alone is refused with {_NO_TOPIC}",)
            asks = f"E itself sends DescribeProducers for {first} and {second}"
            yield Kip890Episode((*written, _without(f"read {topic}")), asks, due, "262", needs=AUTHORIZER)
    for version in ("v0", "v3", "v4"):
        asks = f'E itself sends FindCoordinator {version} for group "till"'
        yield Kip890Episode((_USER,), asks, ("it is refused with GROUP_AUTHORIZATION_FAILED",), "259", needs=AUTHORIZER)
    for ids, which in (("E and F", "last"), ("F and E", "first")):
        givens = (_USER, 'producer F with transactional id "west"')
        due = (f"the {which} entry alone is refused with {NO_RIGHT_TO_ID}",)
        yield Kip890Episode(givens, f"E itself sends FindCoordinator for {ids}", due, "259", needs=AUTHORIZER)
    two = (_USER, 'producer F with transactional id "west" at the coordinator of E')
    due = (f"the last entry alone is refused with {NO_RIGHT_TO_ID}",)
    yield Kip890Episode(two, "E itself sends DescribeTransactions for E and F", due, "260", needs=AUTHORIZER)
    users = (KEPT, _USER, 'producer F with transactional id "west", logged in as an ordinary user')
    opened = (*users, 'E has written "{u}" to kept-0', 'F has written "{u}f" to kept-0')
    for one, other in ("EF", "FE"):
        givens = (*opened, f"the user of {other} may no longer describe its transactional id")
        due = (f"{one} is listed", f"{other} is not listed")
        yield Kip890Episode(givens, f"{one} itself sends ListTransactions for its transactional id", due, "261", needs=AUTHORIZER)


def _granting() -> Iterator[Kip890Episode]:
    """Users whose rights are changed, and users of the cluster."""
    givens: tuple[str, ...]
    due: tuple[str, ...]
    plain = (KEPT, SPARE, _USER)
    taken = (*plain, _without("write to spare"))
    may, may_not = 'the user of E may write to "spare"', 'the user of E may not write to "spare"'
    yield Kip890Episode(taken, "the user of E is allowed to write to spare", ("it is done", may), "375", needs=AUTHORIZER)
    for granted in ("denied the right", "allowed from another host alone"):
        yield Kip890Episode(taken, f"the user of E is {granted} to write to spare", (may_not,), "375", needs=AUTHORIZER)
    due = ("the answer names the right to write to spare of the user of E, and no other", may_not, 'the user of E may write to "kept"')
    yield Kip890Episode(plain, "the user of E is no longer allowed to write to spare", due, "375", needs=AUTHORIZER)
    yield Kip890Episode(
        (), 'a user who may write under transactional id "west" initialises with it', ("it is done",), "375", needs=AUTHORIZER
    )
    for role in ("an operator", "another broker"):
        givens = (KEPT, f'producer E with transactional id "east", logged in as {role}', 'E has written "{u}" to kept-0')
        due = ("it is done", "one ABORT marker was added to kept-0, with the epoch of E")
        yield Kip890Episode(givens, "E itself sends an ABORT marker to kept-0", due, "175", needs=AUTHORIZER)
    operator = ('producer E with transactional id "east", logged in as an operator',)
    yield Kip890Episode(
        (KEPT, *operator), 'E itself sends DescribeAcls for a right to read "kept"', ("it is done",), "376", needs=AUTHORIZER
    )
    broker = (KEPT, 'producer E with transactional id "east", logged in as another broker', "E uses AddPartitionsToTxn v4")
    yield Kip890Episode(
        broker, "E adds kept-0", ("it is done for kept-0", "the transaction of E is Ongoing in kept-0"), "036", needs=AUTHORIZER
    )
    for version, does in product(("v4", "v5"), ("adds", "verifies")):
        givens = (KEPT, 'producer F with transactional id "west"', _USER, f"E uses AddPartitionsToTxn {version}")
        due = ("it is refused as a whole with CLUSTER_AUTHORIZATION_FAILED", UNCHANGED, "the transaction of F is unchanged")
        yield Kip890Episode(givens, f"E {does} kept-0 for E and for F in one request", due, "036", needs=AUTHORIZER)
    for request in ("CreateAcls", "DeleteAcls", "DescribeAcls"):
        asks = f'{request} is sent for a right to read "kept"'
        yield Kip890Episode((KEPT,), asks, ("it is refused with SECURITY_DISABLED",), "376", needs="known-limits")


def acts() -> Iterator[Act[Kip890Clients]]:
    """The acts of these users."""
    for episodes in (_writing, _looking, _granting):
        yield from acts_of(episodes())
