"""`@defect`: a variant's properties follow from the class below the decorator, and a class that cannot be a variant is refused."""

import pytest

from fencepost.contract.symptom import Symptom
from fencepost.reference import kafka, pulsar
from fencepost.reference.defects.decorator import broker_of, declared_by, defect, expected, name_of, seen
from fencepost.reference.kafka.kafka_coordinator import KafkaCoordinator
from fencepost.reference.kafka.partition_log import PartitionLog
from fencepost.reference.kernel.network import Network
from fencepost.reference.metadata_transactions import MetadataParts
from fencepost.reference.metadata_transactions.metadata_coordinator import MetadataCoordinator
from fencepost.reference.pulsar.log_coordinator import LogCoordinator


class _Log(PartitionLog):
    """A further part."""


class _Empty(KafkaCoordinator):
    """A base class of variants."""


def test_a_variant_is_what_its_class_says() -> None:
    """Its name, its story up to an empty line, its parts, the requirements that it breaks, and where it was seen."""

    @defect({"KIP890-060": seen("^success", what="answer")}, origin="a test", also=[_Log])
    class NoEpochBumpOfV5(_Empty):
        """A story that takes
        two lines.

        And what readers of the code need.
        """

    (variant,) = declared_by(NoEpochBumpOfV5)

    assert (variant.name, variant.story) == ("no-epoch-bump-of-v5", "A story that takes two lines.")
    assert variant.parts == kafka.KafkaParts(coordinator=NoEpochBumpOfV5, partition_log=_Log)
    assert (variant.breaks, variant.origin) == ({"KIP890-060": Symptom(seen="^success", what="answer")}, "a test")
    assert declared_by(_Empty) == ()


def test_a_variant_that_breaks_nothing_conforms_on_the_broker_that_is_named() -> None:
    """A network is a part of each broker."""

    @defect(origin="a test", of=MetadataParts)
    class OfAnyNetwork(Network):
        """A story."""

    (variant,) = declared_by(OfAnyNetwork)

    assert variant.breaks == {}
    assert variant.parts == MetadataParts(network=OfAnyNetwork)


def test_the_broker_follows_from_the_parts() -> None:
    """It is the first broker that has all of them."""
    assert broker_of(Network) is broker_of(Network, KafkaCoordinator) is kafka.KafkaParts
    assert broker_of(LogCoordinator) is pulsar.PulsarParts
    assert broker_of(LogCoordinator, MetadataCoordinator) is MetadataParts
    with pytest.raises(TypeError, match="Coordinator, LogCoordinator: no broker has parts of all these classes; expected subclasses"):
        broker_of(KafkaCoordinator, LogCoordinator)


def test_what_cannot_be_a_variant_is_refused() -> None:
    """A class without a story, one that is no part, and two classes for one part."""
    declare = defect(origin="a test")

    with pytest.raises(TypeError, match=r"\.Silent has no docstring: expected the story of the variant"):
        declare(type("Silent", (KafkaCoordinator,), {}))
    with pytest.raises(TypeError, match="int: no broker has parts"):
        declare(int)
    with pytest.raises(TypeError, match=r"_Log is no part of the pulsar broker"):
        defect(origin="a test", of=pulsar.PulsarParts)(_Log)
    with pytest.raises(TypeError, match=r"_Empty is a second part of the kafka broker"):
        defect(origin="a test", also=[_Empty])(_Empty)


def test_a_symptom_is_written_with_what_was_seen_first() -> None:
    """Or with what was expected; and the name is that of the class, word by word."""
    assert expected("^success", error="^FENCED") == Symptom(expected="^success", error="^FENCED")
    assert name_of("LateAbortOfACommitSucceeds") == "late-abort-of-a-commit-succeeds"
