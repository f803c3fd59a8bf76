"""What is told of a variant."""

import re
from dataclasses import dataclass

from fencepost.reference import kafka, pulsar


@dataclass(frozen=True)
class Defect:
    """A variant of the reference.

    `breaks` is the requirement that it breaks, None for an oddity. `symptom` is a regular expression that the text of the failure
    must match, so that a scenario which is red for another reason does not count. `origin` says where such a thing was seen.
    """

    name: str
    breaks: str | None
    story: str
    origin: str
    symptom: str
    parts: kafka.Parts | pulsar.Parts

    @property
    def protocol(self) -> str:
        """Whose broker it is a variant of."""
        return "kafka" if isinstance(self.parts, kafka.Parts) else "pulsar"

    def shows_in(self, failure: str) -> bool:
        """Whether a failure is this defect's."""
        return re.search(self.symptom, failure) is not None
