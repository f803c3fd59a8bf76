"""A variant of the reference: its name, its story, and the requirements that it breaks."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from fencepost.contract.symptom import Symptom
from fencepost.reference import kafka, pulsar


@dataclass(frozen=True)
class Defect:
    """A variant of the reference.

    `breaks` has each requirement that it breaks, with the symptom that the violation must show: a scenario that is red for another
    reason does not count. A conforming variant breaks none. `origin` says where such a broker was seen.
    """

    name: str
    story: str
    origin: str
    parts: kafka.KafkaParts | pulsar.PulsarParts
    breaks: Mapping[str, Symptom] = field(default_factory=dict)

    @property
    def is_conforming(self) -> bool:
        return not self.breaks

    @property
    def protocol(self) -> str:
        """The protocol of the broker that it is a variant of."""
        return self.parts.protocol
