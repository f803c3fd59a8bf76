"""PIP-471's own sentences: the types of their values beside those of Pulsar, and the vocabulary itself."""

from fencepost.steps.pulsar.vocabulary import TYPES, names
from fencepost.steps.sentence import Vocabulary, choice, text

PIP471 = Vocabulary(
    "pip471",
    (
        *TYPES,
        names("segment", "segments", "segments of one scalable topic, the lowest hashes first", '"[a-z]+"', '"{}"'),
        choice(
            "point",
            "before-header-cas",
            "after-header-cas",
            "after-event",
            "after-op-record",
            "after-append",
            "after-cursor-apply",
            "before-op-delete",
            "during-collection",
            "after-subscriptions",
            "after-children",
            "before-terminate",
            "after-terminate",
            "after-layout",
            "after-told",
            meaning="a point of the broker's code, as PIP-471's steps have it, or those of PIP-468's changes of a layout",
        ),
        choice("failure", "and does not write it", "and has written it", meaning="what became of a write that the store did not answer"),
        choice("trouble", "lost", "late", "told twice", meaning="what becomes of an event on its way to who took part"),
        text("producer", "[A-Z]", "a producer with a name of its own"),
        choice("found", "is", "is not", meaning="whether an index has it"),
    ),
)
