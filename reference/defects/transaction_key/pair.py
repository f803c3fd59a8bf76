"""One class, two defects: the same wrong decision on the coordinator of PIP-31 and on that of PIP-471; and a network on which some show."""

from collections.abc import Mapping
from typing import ClassVar, TypedDict, Unpack

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.defects.lawful.kafka import SlowNetwork
from fencepost.reference.kernel.network import Network
from fencepost.reference.metadata_transactions import MetadataParts
from fencepost.reference.pulsar import Parts
from fencepost.reference.pulsar.transaction_key.key_topic import KeyTopic
from fencepost.reference.pulsar.transaction_key.keys import TransactionKeys
from fencepost.reference.pulsar.transaction_key.node_keys import NodeKeys


class Replaced(TypedDict, total=False):
    """The parts that brokers of both kinds have."""

    key_topic: type[KeyTopic]
    network: type[Network]
    node_keys: type[NodeKeys]
    transaction_keys: type[TransactionKeys]


class SlowerNetwork(SlowNetwork):
    """So slow that several connects and a deletion come before a participant has heard of an end."""

    every: ClassVar[int] = 40


def pair(name: str, breaks: Mapping[str, Symptom], story: str, origin: str, **replaced: Unpack[Replaced]) -> tuple[Defect, Defect]:
    """`key-NAME` and `scalable-key-NAME`. One that breaks nothing is lawful on both."""
    return (
        Defect(f"key-{name}", story, origin, Parts(**replaced), breaks),
        Defect(f"scalable-key-{name}", story, origin, MetadataParts(**replaced), breaks),
    )
