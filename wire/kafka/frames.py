"""Frames: a length, a header, a message, for both directions.

Bytes that cannot be read as the expected message are a MalformedKafkaFrame that shows them.
"""

import io
import struct
import typing
from dataclasses import dataclass

from kio.schema.index import schema_name_map
from kio.serial import entity_reader, entity_writer
from kio.static.primitive import i32
from kio.static.protocol import Entity, RequestPayload, ResponsePayload

from .entities import API_NAMES, api_of, title
from .lengths import check_lengths, without_unknown_tags
from .schemas import request_class, response_class

LENGTH = struct.Struct(">i")
_CORRELATION = struct.Struct(">i")
_ASKED = struct.Struct(">hhi")
_SHOWN_BYTES = 64


class MalformedKafkaFrame(ValueError):
    """Bytes that are not the expected message; has the reason and the first of them."""

    def __init__(self, why: str, data: bytes) -> None:
        shown = bytes(data[:_SHOWN_BYTES]).hex(" ")
        rest = f" ... ({len(data)} bytes in all)" if len(data) > _SHOWN_BYTES else ""
        super().__init__(f"{why}; the bytes: {shown or 'none'}{rest}")


def encode_request(message: RequestPayload, correlation_id: int, client_id: str) -> bytes:
    """The request as a whole frame, length included."""
    header = message.__header_schema__
    fields: dict[str, object] = {
        "request_api_key": message.__api_key__,
        "request_api_version": message.__version__,
        "correlation_id": correlation_id,
    }
    if "client_id" in header.__dataclass_fields__:
        fields["client_id"] = client_id
    return _framed(typing.cast(Entity, typing.cast(typing.Any, header)(**fields)), message)


def decode_response(to: RequestPayload, correlation_id: int, data: bytes) -> ResponsePayload:
    """The answer to a request from a frame's bytes, without the length; its correlation id must be the request's."""
    due = f"an answer to {title(api_of(to))} v{to.__version__}"
    if len(data) < _CORRELATION.size:
        raise MalformedKafkaFrame(f"{due} was due, and the frame is too short for a correlation id", data)
    if (given := _CORRELATION.unpack_from(data)[0]) != correlation_id:
        raise MalformedKafkaFrame(f"{due} with correlation id {correlation_id} was due, and the frame has correlation id {given}", data)
    kind = response_class(to.__api_key__, to.__version__)
    return typing.cast(ResponsePayload, _whole(kind, data, f"{due} was due"))


@dataclass(frozen=True, slots=True)
class RequestHeader:
    """The beginning of every request, in every version: API, version, and the correlation id of its answer."""

    api_key: int
    version: int
    correlation_id: int

    @property
    def api(self) -> str | None:
        """The API's name; None if the codec knows no such API."""
        return API_NAMES.get(self.api_key)

    @property
    def can_be_read(self) -> bool:
        """Whether the codec knows that version of that API."""
        return self.api is not None and self.version in schema_name_map[self.api]


def asked_in(data: bytes) -> RequestHeader:
    """The beginning of a request's frame, without the length."""
    if len(data) < _ASKED.size:
        raise MalformedKafkaFrame("a request was due, and the frame is too short for the beginning of its header", data)
    return RequestHeader(*_ASKED.unpack_from(data))


def decode_request(asked: RequestHeader, data: bytes) -> RequestPayload:
    """The request from a frame's bytes, without the length; `asked` is how they begin."""
    kind = request_class(asked.api_key, asked.version)
    due = f"{title(asked.api or '')} v{asked.version} was due"
    return typing.cast(RequestPayload, _whole(kind, data, due))


def _whole(kind: typing.Any, data: bytes, due: str) -> Entity:
    """The message that these bytes are, from its header to its end."""
    try:
        try:
            message, left = _read(kind, data)
        except KeyError:  # kio does not know a tagged field, which a newer peer may send
            message, left = _read(kind, without_unknown_tags(kind, data))
    except Exception as error:  # kio raises its own errors, and those of its typed numbers, times and names
        raise MalformedKafkaFrame(f"{due}, and the codec refuses it: {type(error).__name__}: {error}", data) from error
    if left:
        raise MalformedKafkaFrame(f"{due}, and {left} bytes are left over after it", data)
    return message


def _read(kind: typing.Any, data: bytes) -> tuple[Entity, int]:
    """The message, and how many bytes are left over."""
    _, header_size = entity_reader(kind.__header_schema__)(data, 0)
    check_lengths(kind, data, header_size)
    message, size = entity_reader(kind)(data, header_size)
    return message, len(data) - header_size - size


def encode_response(message: ResponsePayload, correlation_id: int) -> bytes:
    """The answer as a whole frame, length included."""
    header = typing.cast(typing.Any, message.__header_schema__)
    return _framed(typing.cast(Entity, header(correlation_id=i32(correlation_id))), message)


def _framed(header: Entity, message: Entity) -> bytes:
    out = io.BytesIO()
    out.write(LENGTH.pack(0))
    entity_writer(type(header))(out, header)
    entity_writer(type(message))(out, message)
    frame = out.getbuffer()
    frame[: LENGTH.size] = LENGTH.pack(len(frame) - LENGTH.size)
    return bytes(frame)
