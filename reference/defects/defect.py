"""What is told of a variant."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from fencepost.contract.symptom import Symptom
from fencepost.reference import kafka, pulsar


@dataclass(frozen=True)
class Defect:
    """A variant of the reference.

    `breaks` names each requirement that it breaks, with the symptom that the violation must show there, so that a scenario which is
    red for another reason does not count; a lawful variant breaks none. `origin` says where such a thing was seen.
    """

    name: str
    story: str
    origin: str
    parts: kafka.Parts | pulsar.Parts
    breaks: Mapping[str, Symptom] = field(default_factory=dict)

    @property
    def is_lawful(self) -> bool:
        return not self.breaks

    @property
    def protocol(self) -> str:
        """Whose broker it is a variant of."""
        return self.parts.protocol
