"""PIP-31's own sentences: the types of their values beside those of Pulsar, and the vocabulary itself."""

from fencepost.steps.pulsar.vocabulary import TYPES
from fencepost.steps.sentence import Vocabulary, choice, text

PIP31 = Vocabulary(
    "pip31",
    (
        *TYPES,
        choice("id_law", "distinct", "ascending", meaning="distinct: no two are the same; ascending: each is greater than the one before"),
        text("producer", "[A-Z]", "a producer with a name of its own"),
        choice("anew", "on a new connection", meaning="the one that the client had was lost"),
        choice("repeated", "with the same sequence id", meaning="the sequence id that the producer's message before had"),
    ),
)
