"""Acts of KIP-890 of users that have lost a right, or never had it."""

from collections.abc import Iterator

from .act import Act
from .kip890_episodes import AUTHORIZER, Kip890Episode, acts_of
from .kip890_model import Kip890Clients
from .kip890_words import NO_RIGHT_TO_ID

_NO_CLUSTER = "CLUSTER_AUTHORIZATION_FAILED"
_SENDS = 'U sends offset 5 of payments-0 to group "billing"'


def _without(right: str, asks: str, errors: str, why: str, *more: str, opened: bool = False) -> Kip890Episode:
    """A user that has lost a right sends a request, which has no effect."""
    begun = ('U has written "{u}" to payments-0',) if opened else ()
    unchanged = () if " itself " in asks else ("the transaction of U is unchanged",)
    refused = (errors if errors.startswith(("U ", "the ")) else f"it is refused{errors}",)
    return Kip890Episode((*begun, f"the user of U may no longer {right}"), asks, (*refused, *more, *unchanged), why, "U", AUTHORIZER)


_UNDER, _DESCRIBE = "write under its transactional id", "describe its transactional id"

_RIGHTS = (
    _without(_UNDER, "U initialises again", f" with {NO_RIGHT_TO_ID}", "173", opened=True),
    _without(_UNDER, "U adds payments-1", f" for payments-1 with {NO_RIGHT_TO_ID}", "173", opened=True),
    _without(_UNDER, 'U adds the offsets of group "billing"', f" with {NO_RIGHT_TO_ID}", "173", opened=True),
    _without(_UNDER, _SENDS, f" for payments-0 with {NO_RIGHT_TO_ID}", "173", opened=True),
    _without(_UNDER, "U commits", f" with {NO_RIGHT_TO_ID}", "173", opened=True),
    _without(_UNDER, "U aborts", f" with {NO_RIGHT_TO_ID}", "173", opened=True),
    _without('read group "billing"', 'U adds the offsets of group "billing"', " with GROUP_AUTHORIZATION_FAILED", "174"),
    _without('read group "billing"', _SENDS, " for payments-0 with GROUP_AUTHORIZATION_FAILED", "174"),
    _without("read payments", _SENDS, " for payments-0 with TOPIC_AUTHORIZATION_FAILED", "174"),
    _without("write to payments", 'U writes "{u}" to payments-0', " with TOPIC_AUTHORIZATION_FAILED", "176"),
    _without(
        "write to orders",
        "U adds payments-0 and orders-0",
        " for orders-0 with TOPIC_AUTHORIZATION_FAILED",
        "258",
        "it is refused for payments-0 with OPERATION_NOT_ATTEMPTED",
    ),
    _without(_DESCRIBE, "U itself sends FindCoordinator for its transactional id", f" with {NO_RIGHT_TO_ID}", "259"),
    _without(_DESCRIBE, "U itself sends FindCoordinator v3 for its transactional id", f" with {NO_RIGHT_TO_ID}", "259"),
    _without(_DESCRIBE, "U itself sends DescribeTransactions for its transactional id", f" with {NO_RIGHT_TO_ID}", "260", opened=True),
    _without(_DESCRIBE, "U itself sends ListTransactions for its transactional id", "U is not listed", "261", opened=True),
    _without("read payments", "U itself sends DescribeProducers for payments-0", " with TOPIC_AUTHORIZATION_FAILED", "262", opened=True),
    Kip890Episode(
        ('U has written "{u}" to payments-0',),
        "U itself sends an ABORT marker to payments-0",
        (f"it is refused with {_NO_CLUSTER}", 'the open transaction of U in payments-0 starts at "{u}"'),
        "175",
        "U",
        AUTHORIZER,
    ),
    Kip890Episode(
        (),
        "the user of U is no longer allowed to write to orders",
        (
            "the answer names the right to write to orders of the user of U, and no other",
            'the user of U may not write to "orders"',
            'the user of U may write to "payments"',
        ),
        "375",
        "U",
        AUTHORIZER,
    ),
    *(
        Kip890Episode(
            (), f'U itself sends {api} for a right to read "payments"', (f"it is refused with {_NO_CLUSTER}",), "376", "U", AUTHORIZER
        )
        for api in ("CreateAcls", "DeleteAcls", "DescribeAcls")
    ),
    Kip890Episode(
        ("U uses AddPartitionsToTxn v4",),
        "U adds payments-0 for U and for B in one request",
        (f"it is refused as a whole with {_NO_CLUSTER}", "the transaction of U is unchanged"),
        "036",
        "UB",
        AUTHORIZER,
    ),
    Kip890Episode(
        (),
        'a user who may read "payments" initialises without a transactional id',
        (f"it is refused with {_NO_CLUSTER}",),
        "379",
        "U",
        AUTHORIZER,
    ),
    Kip890Episode((), 'a user who may write to "payments" initialises without a transactional id', ("it is done",), "379", "U", AUTHORIZER),
)


def acts() -> Iterator[Act[Kip890Clients]]:
    """The acts of users."""
    return acts_of(_RIGHTS)
