"""One connection to the broker: its login over SASL/PLAIN, and then the requests of that user.

If there are users, a connection accepts nothing but ApiVersions before its login.
"""

from typing import Any

from kio.static.protocol import RequestPayload, ResponsePayload

from fencepost.reference.kafka import ANONYMOUS, ReferenceKafka
from fencepost.reference.kafka.kafka_errors import Errors
from fencepost.reference.kafka.kafka_topics import FIRST_NODE
from fencepost.reference.kafka.sent import SentRequest
from fencepost.wire.kafka.acl_codes import principal_of
from fencepost.wire.kafka.entities import api_of, response

_MECHANISM = "PLAIN"


class Caller:
    """The client of one connection."""

    def __init__(self, broker: ReferenceKafka, node: int = FIRST_NODE) -> None:
        self._broker = broker
        self._node = node
        self._has_shaken_hands = False
        self.principal = ANONYMOUS

    def send(self, request: RequestPayload) -> SentRequest:
        """Hand over one request; if its answer is None, the connection is closed instead."""
        api = api_of(request)
        if api == "api_versions" or self.principal != ANONYMOUS or not self._broker.settings.passwords:
            return self._broker.send(request, self.principal, self._node)
        if api == "sasl_handshake":
            return _answered(self._shake_hands(request))
        if api == "sasl_authenticate" and self._has_shaken_hands:
            return _answered(self._log_in(request))
        return _answered(None)

    def _shake_hands(self, asked: Any) -> ResponsePayload:
        self._has_shaken_hands = asked.mechanism == _MECHANISM
        error = Errors.NONE if self._has_shaken_hands else Errors.UNSUPPORTED_SASL_MECHANISM
        return response(asked, error_code=error, mechanisms=[_MECHANISM])

    def _log_in(self, asked: Any) -> ResponsePayload:
        error, message = Errors.NONE, None
        user = self._proven(bytes(asked.auth_bytes))
        if user is None:
            error, message = Errors.SASL_AUTHENTICATION_FAILED, "Authentication failed: Invalid username or password"
        else:
            self.principal = principal_of(user)
        return response(asked, error_code=error, error_message=message, auth_bytes=b"", session_lifetime=0)

    def _proven(self, proof: bytes) -> str | None:
        """The user that the proof is of: an authorisation id, which is not used, the user and the password."""
        match proof.decode(errors="replace").split("\0"):
            case [_, user, password] if self._broker.settings.passwords.get(user) == password:
                return user
            case _:
                return None


def _answered(answer: ResponsePayload | None) -> SentRequest:
    """A request whose answer is there."""
    sent = SentRequest(lambda: answer)
    sent.read()
    return sent
