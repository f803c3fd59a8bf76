"""One class, two defects: the same wrong decision on the coordinator of PIP-31 and on that of PIP-471; and a network on which some show."""

from typing import ClassVar

from fencepost.reference.defects.conforming.kafka import SlowNetwork
from fencepost.reference.defects.decorator import Declaring
from fencepost.reference.metadata_transactions import MetadataParts
from fencepost.reference.pulsar import PulsarParts

pair = Declaring({"key-": PulsarParts, "scalable-key-": MetadataParts})


class SlowerNetwork(SlowNetwork):
    """A network so slow that several connects and a deletion arrive before a participant learns of an end."""

    every: ClassVar[int] = 40
