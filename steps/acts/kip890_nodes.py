"""Acts of KIP-890 on a cluster of two nodes, one of which is paused, or gives up what it leads."""

from collections.abc import Iterator

from .act import Act
from .kip890_episodes import NODES, Kip890Episode, acts_of
from .kip890_model import Kip890Clients
from .kip890_words import APART, HAS_COMMITTED, NEXT

_MOVED, _AWAY = "accounts-1 has moved to node 1", "the coordinator of N has moved to node 2"

_ON_TWO_NODES = tuple(
    Kip890Episode(givens, asks, due, why, "N", NODES)
    for givens, asks, due, why in (
        (
            (APART, _MOVED),
            'N writes "more" to accounts-1',
            ("it is done", 'the open transaction of N in accounts-1 starts at "{u}2"'),
            "263",
        ),
        ((APART, _MOVED), "N commits", (NEXT, 'readers of accounts-1 see "{u}2"', 'readers of accounts-0 see "{u}"'), "263"),
        (
            (APART, _MOVED),
            "N aborts",
            ("readers of accounts-1 see nothing", 'a read_committed Fetch of accounts-1 lists the aborted transaction of N from "{u}2"'),
            "263",
        ),
        ((APART, _AWAY), "N commits", (NEXT, 'readers of accounts-0 see "{u}"', 'readers of accounts-1 see "{u}2"'), "264"),
        (
            (APART, _AWAY),
            'N writes "more" to payments-0',
            ("it is done", "the transaction of N is Ongoing in accounts-0 and accounts-1 and payments-0"),
            "264",
        ),
        (
            (APART, _AWAY, 'N has sent offset 5 of accounts-0 to group "{u}"'),
            "N commits",
            ('readers of accounts-0 see "{u}"', 'group "{u}" has committed offset 5 of accounts-0'),
            "422",
        ),
        *(
            (
                (
                    *(HAS_COMMITTED, 'completion of N\'s transactions is blocked by the offsets of group "{u}" until the next move'),
                    *('N has sent offset 5 of accounts-0 to group "{u}"', f"N has been asked to {how}"),
                ),
                "the coordinator of N moves to node 2",
                ("the transaction of N is over", f'group "{{u}}" has {left} of accounts-0'),
                "217",
            )
            for how, left in (("commit", "committed offset 5"), ("abort", "no pending offset"))
        ),
        (
            (APART, "N has committed", _AWAY),
            "N aborts with its previous epoch",
            ("it is refused with INVALID_TXN_STATE", 'readers of accounts-1 see "{u}2"'),
            "264",
        ),
        (
            (APART, "N has committed", _MOVED),
            'N writes "late" to accounts-1 with its previous epoch',
            ("it is refused with INVALID_PRODUCER_EPOCH", "the log of accounts-1 has not grown"),
            "263",
        ),
        (
            (APART,),
            "AlterPartitionReassignments sends accounts-1 to node 1",
            ("it is done", "accounts-1 is led by node 1 alone, in a later leader epoch"),
            "373",
        ),
        *(
            (
                (APART,),
                f"N itself sends {api} to node 2",
                ("it is refused with NOT_COORDINATOR", "the transaction of N is unchanged"),
                "374",
            )
            for api in ("InitProducerId", "AddPartitionsToTxn", "AddOffsetsToTxn", "EndTxn")
        ),
        (
            (APART,),
            "FindCoordinator for N is sent to each of two nodes",
            ("every client is sent to one node, and so is the next one to ask for N",),
            "154",
        ),
        *(
            (
                (HAS_COMMITTED, *client, _AWAY),
                f'N writes "more" to accounts-0, and an ABORT marker{with_} is there before node 2 notifies its leader',
                (
                    "each batch in accounts-0 that was accepted is followed by its marker, and no other is there",
                    "accounts-0 has no open transaction of N",
                ),
                "207",
            )
            for client, with_ in (
                (("N is an old client (transaction version 0)", "N has added accounts-0"), ""),
                (("N is an old client (transaction version 0) and uses Produce v10", "N has added accounts-0"), ""),
                ((), " with the next epoch"),
            )
        ),
        (
            (APART, "node 2 is paused until the next answer"),
            "N aborts",
            ("one ABORT marker was added to accounts-0 and accounts-1",),
            "126",
        ),
        (
            (APART, "node 2 is paused until the next refusal", "N has been asked to commit"),
            'N writes "more" to accounts-0',
            ("the first attempt was refused with CONCURRENT_TRANSACTIONS", "it is done"),
            "081",
        ),
        (
            ('producer N has written "{u}" to accounts-0 on both nodes', "node 2 is paused until the next refusal"),
            'N writes "more" to accounts-0',
            ("the first attempt was not done", 'it is done and answers the offset of "more"'),
            "227",
        ),
        (
            (
                'producer N has written "{u}" to accounts-0 on both nodes and "{u}2" to ledger-0 on node 1',
                "node 2 is paused until the next answer",
            ),
            "N commits",
            ('readers of accounts-0 see "{u}"', "the last stable offset of accounts-0 is the high watermark"),
            "226",
        ),
    )
)


def acts() -> Iterator[Act[Kip890Clients]]:
    """The acts on two nodes."""
    return acts_of(_ON_TWO_NODES)
