"""PIP-31's own sentences: the types of their values in addition to those of Pulsar, and the vocabulary itself."""

from fencepost.steps.pulsar.vocabulary import TYPES
from fencepost.steps.sentence import ValueType, Vocabulary, choice, text

PIP31 = Vocabulary(
    "pip31",
    (
        *TYPES,
        choice("id_property", "are distinct", "are ascending", "name the coordinator that was asked", meaning="what holds for all of them"),
        choice("role", "producer", "consumer", meaning="of a topic, or of a subscription"),
        choice("recreated", "and made again", meaning="a new topic of the same name"),
        choice("passed", "whose number the first one has passed", meaning="the first coordinator has given a greater one"),
        ValueType(
            "coordinators",
            "[1-9][0-9]*|one more than before",
            "how many, or one more than there are",
            lambda written: None if written == "one more than before" else int(written),
            lambda value: "one more than before" if value is None else str(value),
        ),
        choice("moment", "at about", "half a second before", meaning="when the request is sent"),
        choice("written", "written", "tried to write", meaning="whether the message must have been stored"),
        choice(
            "requests",
            "a request of each kind",
            "invalid requests",
            "messages around an unload and after a termination",
            "requests about an unknown consumer",
            "ends of an unknown transaction",
            meaning="a family of requests, each of which must be answered",
        ),
        choice("outcome", "answered", "done", meaning="with success or an error, or with success"),
        text("producer", "[A-Z]", "a producer with a name of its own"),
        choice("opening", "on a new connection", "while it is open", meaning="whether the old connection was lost"),
        choice("repeated", "with the same sequence id", meaning="the sequence id that the producer's message before had"),
    ),
)
