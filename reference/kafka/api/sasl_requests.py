"""SaslHandshake and SaslAuthenticate of a client that needs no login: a `Caller` handles those of all others."""

from typing import Any

from kio.static.protocol import ResponsePayload

from fencepost.reference.kafka.kafka_errors import Errors
from fencepost.reference.kafka.node import KafkaNode
from fencepost.wire.kafka.entities import response

_WHY = "there is no login to be made on this connection, or no longer one"


def sasl_handshake(node: KafkaNode, asked: Any) -> ResponsePayload:  # noqa: ARG001 - every handler is asked alike
    """Answers a refusal, whatever the mechanism."""
    return response(asked, error_code=Errors.ILLEGAL_SASL_STATE, mechanisms=[])


def sasl_authenticate(node: KafkaNode, asked: Any) -> ResponsePayload:  # noqa: ARG001 - every handler is asked alike
    """Answers a refusal, whatever the proof."""
    return response(asked, error_code=Errors.ILLEGAL_SASL_STATE, error_message=_WHY, auth_bytes=b"", session_lifetime=0)
