"""One class, two defects of the core: the same wrong decision on a broker with PIP-31's transactions and on one with PIP-471's."""

from fencepost.reference.defects.decorator import Declaring
from fencepost.reference.metadata_transactions import MetadataParts
from fencepost.reference.pulsar import PulsarParts

core_pair = Declaring({"core-pulsar-": PulsarParts, "core-scalable-": MetadataParts})
