"""KIP-890's own vocabulary, with the values of Kafka's."""

from fencepost.steps.kafka.vocabulary import TYPES
from fencepost.steps.sentence import ValueType, Vocabulary, choice

FEATURE_STATUS = choice(
    "feature_status",
    "finalized",
    "supported",
    meaning="where ApiVersions lists a feature: the level in force, or the highest that there is",
)
COORDINATOR_EPOCH = choice(
    "coordinator_epoch",
    "no coordinator epoch",
    "a coordinator epoch",
    meaning="what DescribeProducers says of a producer's last marker in a partition: -1, or a number from 0 on",
)

SEQUENCE = ValueType("sequence", r"-1|0|[1-9][0-9]*", "a sequence number; -1 where there is none", int, str)

KIP890 = Vocabulary("kip890", (*TYPES, FEATURE_STATUS, COORDINATOR_EPOCH, SEQUENCE))
