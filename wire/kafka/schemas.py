"""The class of each request and answer: kio's, except for an answer that kio's class cannot hold.

DescribeTransactions answers a start time of -1 for a transactional id that has no transaction, and kio reads that field as an
instant, which cannot be negative: it would refuse every broker's answer after InitProducerId. Here it is the number on the wire.
"""

import functools
from dataclasses import dataclass, field
from typing import ClassVar, TypeAlias

from kio.index import load_request_schema, load_response_schema
from kio.schema.describe_transactions.v0.response import DescribeTransactionsResponse as _FromKio
from kio.schema.describe_transactions.v0.response import TopicData
from kio.schema.errors import ErrorCode
from kio.schema.response_header.v1.header import ResponseHeader
from kio.schema.types import ProducerId, TransactionalId
from kio.static.constants import EntityType
from kio.static.primitive import i16, i32Timedelta, i64
from kio.static.protocol import RequestPayload, ResponsePayload

_ApiAndVersion: TypeAlias = tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class TransactionState:
    """DescribeTransactions v0 for one transactional id, with the start time in ms since 1970, or -1."""

    __type__: ClassVar[EntityType] = EntityType.nested
    __version__: ClassVar[i16] = _FromKio.__version__
    __flexible__: ClassVar[bool] = True
    __api_key__: ClassVar[i16] = _FromKio.__api_key__
    __header_schema__: ClassVar[type[ResponseHeader]] = ResponseHeader
    error_code: ErrorCode = field(metadata={"kafka_type": "error_code"})
    transactional_id: TransactionalId = field(metadata={"kafka_type": "string"})
    transaction_state: str = field(metadata={"kafka_type": "string"})
    transaction_timeout: i32Timedelta = field(metadata={"kafka_type": "timedelta_i32"})
    transaction_start_time: i64 = field(metadata={"kafka_type": "int64"})
    producer_id: ProducerId = field(metadata={"kafka_type": "int64"})
    producer_epoch: i16 = field(metadata={"kafka_type": "int16"})
    topics: tuple[TopicData, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DescribeTransactionsResponse:
    """DescribeTransactions v0."""

    __type__: ClassVar[EntityType] = EntityType.response
    __version__: ClassVar[i16] = _FromKio.__version__
    __flexible__: ClassVar[bool] = True
    __api_key__: ClassVar[i16] = _FromKio.__api_key__
    __header_schema__: ClassVar[type[ResponseHeader]] = ResponseHeader
    throttle_time: i32Timedelta = field(metadata={"kafka_type": "timedelta_i32"})
    transaction_states: tuple[TransactionState, ...]


_OWN_RESPONSES: dict[_ApiAndVersion, type[ResponsePayload]] = {(65, 0): DescribeTransactionsResponse}


@functools.cache
def request_class(api_key: int, version: int) -> type[RequestPayload]:
    """The class of an API's request in that version. kio looks it up by its module's name each time."""
    return load_request_schema(api_key, version)


@functools.cache
def response_class(api_key: int, version: int) -> type[ResponsePayload]:
    """The class of an API's answer in that version."""
    own = _OWN_RESPONSES.get((int(api_key), int(version)))
    return load_response_schema(api_key, version) if own is None else own
