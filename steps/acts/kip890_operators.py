"""Acts of KIP-890 of operators, members of groups, and clients without a transactional id."""

from collections.abc import Iterator

from .act import Act
from .kip890_episodes import Kip890Episode, acts_of
from .kip890_model import Kip890Clients

_NEW_ID = ("it is done and answers a new producer id and epoch 0",)
_MARKER = ("an ABORT marker for M has reached payments-0 from coordinator epoch 7",)

_OTHERS = (
    Kip890Episode((), "a client initialises with no transactional id", _NEW_ID, "010"),
    Kip890Episode(
        ("a client has initialised with no transactional id",), "a client initialises with an unused transactional id", _NEW_ID, "014"
    ),
    Kip890Episode((), "a client initialises with an empty transactional id", ("it is refused with INVALID_REQUEST",), "011"),
    Kip890Episode(
        _MARKER,
        "an ABORT marker for M reaches payments-0 from coordinator epoch 6",
        ("it is refused with TRANSACTION_COORDINATOR_FENCED",),
        "130",
        "M",
    ),
    Kip890Episode(_MARKER, "an ABORT marker for M reaches payments-0 from coordinator epoch 8", ("it is done",), "130", "M"),
    Kip890Episode(
        (),
        "an ABORT marker for M reaches payments-0 and payments-9",
        ("it is refused for payments-9 with UNKNOWN_TOPIC_OR_PARTITION", "it is done for payments-0"),
        "134",
        "M",
    ),
    Kip890Episode(
        (), 'topic "made" is created with 3 partitions', ("it is done", 'topic "made" has 3 partitions, each with a leader'), "372"
    ),
    Kip890Episode(
        (),
        'topic "payments" is created with 3 partitions',
        ("it is refused with TOPIC_ALREADY_EXISTS", 'topic "payments" has 2 partitions, each with a leader'),
        "372",
    ),
    Kip890Episode(
        (), 'topic "none" is created with 0 partitions', ("it is refused with INVALID_PARTITIONS", 'there is no topic "none"'), "372"
    ),
    Kip890Episode(
        (), 'topic "strangers" is deleted by its name with DeleteTopics v6', ("it is refused with UNKNOWN_TOPIC_OR_PARTITION",), "368"
    ),
    Kip890Episode((), 'topic "strangers" is deleted by its id with DeleteTopics v6', ("it is refused with UNKNOWN_TOPIC_ID",), "368"),
    Kip890Episode(
        ('a topic "waste" with 1 partition',),
        'topic "waste" is deleted by its name with DeleteTopics v6',
        ("it is done", 'there is no topic "waste"'),
        "368",
    ),
    Kip890Episode(
        (), "ApiVersions v3 is sent", ("the answer offers just the supported features of v4 whose lowest level is above 0",), "378"
    ),
    Kip890Episode((), "ApiVersions v3 is sent", ("the answer offers transaction.version finalized up to 2 or above",), "001"),
    Kip890Episode((), "ApiVersions v4 is sent", ("the answer offers transaction.version supported up to 2 or above",), "002"),
    *(
        Kip890Episode((), f"UpdateFeatures {asks}", (due, "the levels of features are unchanged"), "377")
        for asks, due in (
            ("asks for level 99 of transaction.version", "it is refused with INVALID_UPDATE_VERSION"),
            ("asks for level 1 of a feature that there is not", "it is refused with INVALID_UPDATE_VERSION"),
            ("asks for the level of transaction.version that is there", "it is done"),
        )
    ),
    Kip890Episode(
        (),
        'J joins group "crew"',
        (
            "it is done",
            "the members have one generation, one protocol and one leader among them",
            "each member has what the leader assigned to it",
        ),
        "352",
        "J",
    ),
    Kip890Episode(
        ('J is a member of group "crew"',),
        'K joins group "crew" together with J',
        (
            "it is done",
            "the members have one generation, one protocol and one leader among them",
            "the leader alone receives what all members want",
            "each member has what the leader assigned to it",
        ),
        "352",
        "JK",
    ),
    Kip890Episode(
        ('J is a member of group "crew"', 'K has joined group "crew" together with J'),
        'K leaves group "crew"',
        ("it is done", 'group "crew" wants a new JoinGroup of J', 'group "crew" no longer has K'),
        "353",
        "JK",
    ),
    Kip890Episode((), 'J joins group ""', ("it is refused with INVALID_GROUP_ID",), "354", "J"),
    Kip890Episode(
        ('J is a member of group "crew"', 'group "crew" of J has gone on to its next generation'),
        'J sends offset 5 of payments-0 to group "crew" as a member of the generation before',
        ("it is refused for payments-0 with ILLEGAL_GENERATION", 'group "crew" has no pending offset of payments-0'),
        "240",
        "J",
    ),
    Kip890Episode(
        ('J is a static member of group "crew"', 'another process has taken the place of J in group "crew"'),
        'J sends offset 5 of payments-0 to group "crew" as the member that it is',
        ("it is refused for payments-0 with FENCED_INSTANCE_ID",),
        "241",
        "J",
    ),
    Kip890Episode(
        ('J is a member of group "crew"',),
        'J sends offset 5 of payments-0 to group "crew" as the member that it is',
        ("it is done for payments-0", 'group "crew" has a pending offset of payments-0'),
        "240",
        "J",
    ),
    Kip890Episode(
        ('offset 7 of payments-0 has been committed to group "crew" outside of transactions', 'J is a member of group "crew"'),
        'group "crew" is deleted',
        ("it is refused with NON_EMPTY_GROUP", 'group "crew" still has J'),
        "357",
        "J",
    ),
    Kip890Episode(
        ('J is a member of group "crew"',),
        'offset 7 of payments-0 is committed to group "crew" outside of transactions by J as the member that it is',
        ("it is done", 'group "crew" has committed offset 7 of payments-0'),
        "356",
        "J",
    ),
)


def acts() -> Iterator[Act[Kip890Clients]]:
    """All acts of operators, members of groups, and clients without a transactional id."""
    return acts_of(_OTHERS)
