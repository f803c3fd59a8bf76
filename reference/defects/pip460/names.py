"""Defects of the names by which clients ask for scalable topics."""

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.metadata_transactions import MetadataParts
from fencepost.reference.pulsar.answers import Answers


class _LooksForNoScalableOne(Answers):
    def topic_asked_for(self, name: str) -> str:
        found = super().topic_asked_for(name)
        return f"{found}-that-nobody-made" if name.startswith("persistent://") else found


PERSISTENT_IS_ONE_SEGMENT = Defect(
    name="scalable-persistent-is-one-segment",
    breaks={"PIP460-27": Symptom(what="^layout that A is told", seen="^epoch 0: 0 .0000-ffff")},
    story="Who asks for a topic by the name of a persistent one is told of one segment, also where the topic is scalable by now.",
    origin="feared: clients that keep the name which their topic had before it was made scalable",
    parts=MetadataParts(answers=_LooksForNoScalableOne),
)
