"""Acts of KIP-890 on clusters: moved and paused nodes, members of groups, administrators, levels of features."""

from collections.abc import Iterator
from itertools import product

from .act import Act
from .kip890_episodes import NODES, Kip890Episode, acts_of
from .kip890_lives import alone
from .kip890_model import Kip890Clients
from .kip890_words import APART, HAS_COMMITTED, KEPT, NEXT, PAIR, SPARE, UNCHANGED, J, K

_BOTH = 'producer N has written "{u}" to accounts-0 on both nodes'


def _nodes() -> Iterator[Kip890Episode]:
    """Partitions and coordinators move, with a crash or without; nodes are paused until each event, or for good."""
    moved, away = "accounts-1 has moved to node 1", "the coordinator of N has moved to node 2"
    open_one = ("readers of accounts-1 see nothing", 'the last stable offset of accounts-1 is the offset of "{u}2"')
    listed = 'a read_committed Fetch of accounts-1 lists the aborted transaction of N from "{u}2"'
    decided = "the last stable offset of accounts-0 and accounts-1 is the high watermark"
    for givens, asks, due, why, needs in (
        ((APART,), "accounts-1 moves to node 1", open_one, "263", ""),
        ((APART, "N has aborted"), "accounts-1 moves to node 1", ("readers of accounts-1 see nothing", listed), "263", ""),
        ((APART, moved, "accounts-0 has moved to node 2"), "N commits", (decided, 'readers of accounts-0 see "{u}"'), "263", ""),
        ((APART,), "the coordinator of N moves to node 2", ("it is done", "N is coordinated by node 2 alone"), "374", ""),
        (
            (APART,),
            "AlterPartitionReassignments sends accounts-1 to node 9",
            ("it is refused with INVALID_REPLICA_ASSIGNMENT", "accounts-1 is led by node 2 alone"),
            "373",
            "",
        ),
        (
            (APART, "accounts-0 has moved to node 2", away),
            "the system crashes and restarts",
            ("accounts-0 is led by node 2 alone", "N is coordinated by node 2 alone"),
            "373",
            "crash",
        ),
        (
            (APART, away),
            "N initialises again with neither producer id nor epoch",
            (decided, "readers of accounts-1 see nothing"),
            "264",
            "",
        ),
        *(
            (
                (
                    HAS_COMMITTED,
                    "completion of N's transactions is blocked until the next move",
                    'N has written "{u}3" to accounts-0',
                    f"N has been asked to {ends}",
                ),
                "the coordinator of N moves to node 2",
                ("the transaction of N is over", f'readers of accounts-0 see "{{u}}"{more}'),
                "217",
                "",
            )
            for ends, more in (("commit", ', "{u}3"'), ("abort", ""))
        ),
        *(
            (
                (
                    *(HAS_COMMITTED, 'producer F with transactional id "west" at the coordinator of N'),
                    *("completion of N's and F's transactions is blocked until the next move", f"N has been asked to {one}"),
                    f"F has been asked to {other}",
                ),
                "the coordinator of N moves to node 2",
                ("the transaction of F is over", "the transaction of N is over"),
                "217",
                "",
            )
            for one, other in (("commit", "commit"), ("abort", "commit"), ("commit", "abort"))
        ),
        (
            (APART, "node 2 is paused"),
            "N commits",
            (NEXT, "the transaction of N is PrepareCommit, and waits for accounts-1 only"),
            "149",
            "",
        ),
        (
            (_BOTH, "node 2 is paused"),
            'N writes "{u}2" to accounts-0',
            ('read_uncommitted readers of accounts-0 see "{u}"', "readers of accounts-0 see nothing"),
            "225",
            "",
        ),
        (
            ('producer N has written "{u}" to accounts-0 on both nodes and "{u}2" to ledger-0 on node 1', "node 2 is paused"),
            "N commits",
            ('readers of ledger-0 see "{u}2"', "readers of accounts-0 see nothing", "the transaction of N is PrepareCommit"),
            "226",
            "",
        ),
        (
            (_BOTH, 'producer F with transactional id "west"', 'F has written "{u}f" to accounts-0', "node 2 is paused"),
            "N commits and F commits",
            ("readers of accounts-0 see nothing", 'the last stable offset of accounts-0 is the offset of "{u}"'),
            "226",
            "",
        ),
        *(
            (
                (APART, f"node 2 is {silent} until the next {event}", *asked),
                asks,
                due,
                "340",
                needs,
            )
            for silent, event, asked, asks, due, needs in (
                (
                    "paused",
                    "restart",
                    ("N has been asked to commit",),
                    "the system stops cleanly and restarts",
                    ('readers of accounts-0 see "{u}"', 'readers of accounts-1 see "{u}2"'),
                    "clean-stop",
                ),
                (
                    "paused",
                    "restart",
                    ("N has been asked to commit",),
                    "the system crashes and restarts",
                    ('readers of accounts-1 see "{u}2"', decided),
                    "crash",
                ),
                (
                    "paused",
                    "restart",
                    ("N has been asked to abort",),
                    "the system crashes and restarts",
                    ("readers of accounts-1 see nothing", decided),
                    "crash",
                ),
                ("unavailable", "answer", (), "N aborts", ("one ABORT marker was added to accounts-0 and accounts-1",), ""),
                ("unavailable", "answer", (), "N commits", ("one COMMIT marker was added to accounts-0 and accounts-1",), ""),
            )
        ),
        (
            (APART, KEPT, 'N has written "{u}3" to kept-0', "node 2 is paused until the next deletion", "N has been asked to commit"),
            'topic "accounts" is deleted',
            ("the transaction of N is over", 'readers of kept-0 see "{u}3"'),
            "230",
            "",
        ),
        (
            (
                HAS_COMMITTED,
                'N has written "{u}3" to accounts-1',
                "node 2 is paused until the next restart",
                "N has been asked to commit",
                "the system has crashed and restarted",
            ),
            'N commits "{u}4" to accounts-1',
            ("the markers added to accounts-1 have no smaller coordinator epoch than those before",),
            "162",
            "crash",
        ),
        *(
            (
                (HAS_COMMITTED, 'producer F with transactional id "west"', *old, "the coordinator of F has moved to node 2"),
                'F writes "{u}f" to accounts-0, and an ABORT marker of N is there before node 2 notifies its leader',
                ("it is done",),
                "219",
                "",
            )
            for old in ((), ("F is an old client (transaction version 0)", "F has added accounts-0"))
        ),
        *(
            (
                (APART,),
                f'{commit} of accounts-0 by N for group "fund" is sent to a node that does not coordinate it',
                ("it is refused with NOT_COORDINATOR", 'group "fund" has no committed offset of accounts-0'),
                "359",
                "",
            )
            for commit in ("TxnOffsetCommit", "OffsetCommit")
        ),
        (
            (
                'producer N has written "{u}" to accounts-0 on node 1 and "{u}2" to accounts-1 on node 2, with a short timeout',
                "a transaction with half of a short timeout has timed out at the coordinator of N",
                away,
            ),
            "a transaction with half of a short timeout times out at the coordinator of N",
            ("the transaction of N is over",),
            "156",
            "",
        ),
    ):
        yield Kip890Episode(givens, asks, due, why, "N", f"{NODES} {needs}".strip())


def _members() -> Iterator[Kip890Episode]:
    """Members of a group: each request with each kind of membership, and sessions that end."""
    due: tuple[str, ...]
    old_one, still = "a member of the generation before", 'group "crew" still has J'
    later = (J, 'group "crew" of J has gone on to its next generation')
    yield Kip890Episode(
        later, f'J sends a Heartbeat as {old_one} to group "crew"', ("it is refused with ILLEGAL_GENERATION", still), "352", "J"
    )
    asks = f'offset 7 of payments-0 is committed to group "crew" outside of transactions by J as {old_one}'
    yield Kip890Episode(
        later, asks, ("it is refused with ILLEGAL_GENERATION", 'group "crew" has no committed offset of payments-0'), "356", "J"
    )
    yield Kip890Episode(
        (J,),
        'J joins group "crew"',
        ("it is done", "J is in a later generation than before", "each member has what the leader assigned to it"),
        "352",
        "J",
    )
    yield Kip890Episode((), 'J joins group "crew" as a static member', ("it is done", still), "352", "J")
    for mistake in ("another protocol type", "a protocol that no other member knows"):
        yield Kip890Episode(
            (J,), f'K joins group "crew" with {mistake}', ("it is refused with INCONSISTENT_GROUP_PROTOCOL", still), "354", "JK"
        )
    yield Kip890Episode(
        (J,), 'K joins group "crew" with an unknown member id', ("it is refused with UNKNOWN_MEMBER_ID", still), "354", "JK"
    )
    static = ('J is a static member of group "crew"', K)
    for one, other in ("JK", "KJ"):
        due = (
            "it is done",
            "each member has what the leader assigned to it",
            f'group "crew" still has {other}',
            f'group "crew" has fenced {one}',
        )
        yield Kip890Episode(static, f'another process takes the place of {one} in group "crew"', due, "355", "JK")
    short = (J, f"{K} with a short session")
    due = ('group "crew" wants a new JoinGroup of J', 'group "crew" no longer has K')
    yield Kip890Episode(short, 'K is silent until J is notified of it in group "crew"', due, "353", "JK")
    stays = ("it is done", still)
    yield Kip890Episode((f"{J} with a short session",), 'J sends Heartbeats for two sessions to group "crew"', stays, "353", "J")
    gone = 'K sends offset 5 of payments-0 to group "crew" as the member that it is'
    refused = ("it is refused for payments-0 with UNKNOWN_MEMBER_ID", 'group "crew" has no pending offset of payments-0')
    yield Kip890Episode((J, K, 'K has left group "crew"'), gone, refused, "055", "JK")
    silent = 'K has been silent until J was notified of it in group "crew"'
    yield Kip890Episode((*short, silent), gone, refused, "055", "JK")


def _administrators() -> Iterator[Kip890Episode]:
    """Topics, features and versions, with every field of each request."""
    due: tuple[str, ...]
    none = ("there is no topic {}",)
    for name, count, error in (
        ('"spare"', "0 partitions", "INVALID_PARTITIONS"),
        ('"sp are"', "1 partition", "INVALID_TOPIC_EXCEPTION"),
        ('"spare"', "1 partition under the name of a single dot", "INVALID_TOPIC_EXCEPTION"),
        ('"spare"', "1 partition and more replicas than nodes", "INVALID_REPLICATION_FACTOR"),
        ('"spare"', "1 partition on an unknown node", "INVALID_REPLICA_ASSIGNMENT"),
    ):
        yield Kip890Episode((), f"topic {name} is created with {count}", (f"it is refused with {error}", none[0].format(name)), "372")
    for count, due in (
        ("2 partitions for validation only", ("it is done", 'there is no topic "spare"')),
        ("the default number of partitions", ("it is done", 'topic "spare" has the default number of partitions, each with a leader')),
        ("2 partitions on a known node", ("it is done", 'topic "spare" has 2 partitions, each with a leader')),
    ):
        yield Kip890Episode((), f'topic "spare" is created with {count}', due, "372")
    for version in ("v5", "v6"):
        due = ("it is done", 'there is no topic "spare"')
        yield Kip890Episode((SPARE,), f'topic "spare" is deleted by its name with DeleteTopics {version}', due, "368")
    yield Kip890Episode(
        (SPARE,), 'topic "spare" is deleted by its id with DeleteTopics v6', ("it is done", 'there is no topic "spare"'), "368"
    )
    yield Kip890Episode((PAIR,), 'topic "kept" is deleted', ('there is no topic "kept"',), "372")
    yield Kip890Episode((), "ApiVersions v4 is sent", ("the answer offers Produce v12, TxnOffsetCommit v5 and EndTxn v5",), "004")
    east = 'producer E with transactional id "east"'
    yield Kip890Episode(
        (east,), "DescribeTransactions is sent for an empty transactional id", ("it is refused with INVALID_REQUEST",), "147"
    )
    yield Kip890Episode(
        (east,), 'ListTransactions is sent for the pattern "transfer("', ("it is refused with INVALID_REGULAR_EXPRESSION",), "152"
    )
    named = (KEPT, east, 'producer F with transactional id "east-two"', 'F has written "{u}" to kept-0')
    for pattern, states, listed in (
        ("east.*", "", "EF"),
        ("east.*", ' for states "Ongoing"', "F"),
        ("west.*", "", ""),
        ("east.*", ' for states "Empty"', "E"),
    ):
        due = tuple(f"{name} is {'listed' if name in listed else 'not listed'}" for name in "EF")
        yield Kip890Episode(named, f'ListTransactions is sent for the pattern "{pattern}"{states}', due, "152")
    internal = (KEPT, east, 'E has sent offset 5 of kept-0 to group "fund"', "E has committed")
    due = (
        'it is refused for the partition of group "fund" with TOPIC_AUTHORIZATION_FAILED',
        "it is refused for kept-0 with OPERATION_NOT_ATTEMPTED",
        UNCHANGED,
    )
    yield Kip890Episode(internal, 'E adds kept-0 and the partition of group "fund"', due, "255")


def _levels() -> Iterator[Kip890Episode]:
    """A level is changed, or is not, while a producer of each protocol is there."""
    due: tuple[str, ...]
    same = "the levels of features are unchanged"
    yield Kip890Episode(
        (),
        "UpdateFeatures lowers transaction.version as an upgrade",
        ("it is refused with INVALID_UPDATE_VERSION", same),
        "377",
        needs="feature-levels",
    )
    yield Kip890Episode(
        (), "UpdateFeatures only validates a lower transaction.version", ("it is done", same), "377", needs="feature-levels"
    )
    east, wrote = 'producer E with transactional id "east"', 'E has written "{u}" to kept-0'
    for level, (ends, seen) in product((0, 1), (("commit", '"{u}"'), ("abort", "nothing"))):
        state = f"transaction.version has been set to {level}"
        old = "E is an old client (transaction version 0)"
        due = ("it is done", f"readers of kept-0 see {seen}")
        yield Kip890Episode(
            (KEPT, east, old, state, wrote),
            f"E {ends}s",
            (*due, "the producer id and epoch of E are unchanged"),
            "083",
            needs="feature-levels",
        )
        blocked = "completion of E's transactions is blocked until the next restart"
        decided = (KEPT, east, blocked, wrote, f"E has been asked to {ends}")
        over = ("the transaction of E is over", f"readers of kept-0 see {seen}")
        yield Kip890Episode(
            decided, f"the system restarts at transaction.version {level}", over, "007", needs="feature-levels crash hold-markers"
        )
    raised = (KEPT, east, "transaction.version has been set to 1", wrote)
    for ends, seen in (("commits", '"{u}"'), ("aborts", "nothing")):
        yield Kip890Episode(raised, f"E {ends}", (NEXT, f"readers of kept-0 see {seen}"), "005", needs="feature-levels")


def acts() -> Iterator[Act[Kip890Clients]]:
    """The acts on clusters."""
    for episodes in (_nodes, _members, _administrators):
        yield from (alone(act) if "node 2 is paused;" in act.name else act for act in acts_of(episodes()))
    yield from map(alone, acts_of(_levels()))
