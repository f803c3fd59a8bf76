"""Defects of brokers that serve segments."""

from collections.abc import Callable
from typing import Any

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.kernel.journal import Disk
from fencepost.reference.metadata_transactions import MetadataParts
from fencepost.reference.pulsar.errors import Error, Refused
from fencepost.reference.pulsar.topics import Topics
from fencepost.reference.scalable.names import is_segment


class _TakesWhatOthersHave(Topics[Any]):
    def __init__(self, disk: Disk, check: Callable[[str], None], load: Callable[[str], Any]) -> None:
        def unless_it_is_elsewhere(name: str) -> None:
            try:
                check(name)
            except Refused as refused:
                if refused.error is not Error.SERVICE_NOT_READY or not is_segment(name):
                    raise

        super().__init__(disk, unless_it_is_elsewhere, load)


SEGMENT_OF_TWO = Defect(
    name="scalable-segment-of-two",
    breaks={"PIP460-53": Symptom(what="^answer to (PRODUCER|SUBSCRIBE)$", expected="^a refusal$", seen="^success")},
    story="Any broker loads a segment that a client names, also while another one has it.",
    origin="feared: an owner that is looked at when a topic is looked up, and not when it is used",
    parts=MetadataParts(topics=_TakesWhatOthersHave),
)
