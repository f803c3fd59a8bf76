"""PIP-471's own sentences: the types of their values in addition to those of Pulsar, and the vocabulary itself."""

from fencepost.steps.pulsar.vocabulary import TYPES, names
from fencepost.steps.sentence import Vocabulary, choice, text

PIP471 = Vocabulary(
    "pip471",
    (
        *TYPES,
        names("segment", "segments", "segments of one scalable topic, the lowest hashes first", '"[a-z]+"', '"{}"'),
        text("producer", "[A-Z]", "a producer with a name of its own"),
        choice("found", "is", "is not", meaning="whether an index has it"),
        choice("stored", "an open header with the deadline", "one partition key for all records", meaning="what the store has of it"),
        choice("record", "header", "operation records", "index entries", meaning="what the store keeps of a transaction"),
        text("kept", "[A-Z]|each transaction", "a transaction, or all that the scenario has ended"),
    ),
)
