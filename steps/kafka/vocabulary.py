"""Kafka's vocabulary: what every proposal about Kafka's transactions can say."""

from fencepost.steps.sentence import ValueType, Vocabulary

from . import kafka_sentence_types, phrases, rights

TYPES = tuple(one for one in {**vars(kafka_sentence_types), **vars(phrases), **vars(rights)}.values() if isinstance(one, ValueType))
"""All types of values, which a proposal's own sentences use as well."""

KAFKA = Vocabulary("kafka", TYPES)
