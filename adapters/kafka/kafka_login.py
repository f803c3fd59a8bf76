"""Logging in on a new connection: SaslHandshake v1, then as many SaslAuthenticate v2 as the mechanism needs.

This happens in a transport, below what a session records, so no history and no report has a password, and neither has an error message or a
`repr`. Each broker that fencepost starts gets new passwords.
"""

import secrets
from collections.abc import Callable, Generator, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from scramp import ScramClient, ScramException  # type: ignore[import-untyped]  # it has no types

from fencepost.adapters.common.access_token import Token
from fencepost.contract.errors import AccessRefused
from fencepost.wire.kafka.entities import request

from .kafka_error_outcomes import refused

PLAIN, BEARER = "PLAIN", "OAUTHBEARER"
SCRAM = ("SCRAM-SHA-256", "SCRAM-SHA-512")
MECHANISMS = (PLAIN, *SCRAM, BEARER)
_HANDSHAKE_VERSION = 1
_AUTHENTICATE_VERSION = 2

Conversation: TypeAlias = Generator[bytes, bytes, None]
"""The client's messages, each after the node's answer to the one before."""


class KafkaLoginRefused(AccessRefused):
    """A node refuses a user's login; the message names both, and the node's reason."""


@dataclass(frozen=True)
class KafkaLogin:
    """A user, with a password, or with a token that names the user."""

    user: str
    password: str | Token = field(repr=False)
    mechanism: str = PLAIN

    def over(self, exchange: Callable[[Any], Any], node: object) -> float | None:
        """Log in; `exchange` sends a request to the node and returns its answer. Raises KafkaLoginRefused.

        Returns for how many seconds the login is valid, None if it does not expire.
        """
        secret = self.password if isinstance(self.password, str) else self.password.read()

        def refuse(why: str) -> KafkaLoginRefused:
            # An answer may quote what the client sent.
            shown = why.replace(secret, "[hidden]") if secret else why
            needed = "password." if isinstance(self.password, str) else "token, which may have expired."
            why = f"{shown}. Its listener must know this user and {needed}"
            return KafkaLoginRefused(f"{node} refuses the login of the user {self.user!r}: {why}")

        handshake = exchange(request("sasl_handshake", _HANDSHAKE_VERSION, mechanism=self.mechanism))
        if handshake.error_code != 0:
            offered = ", ".join(handshake.mechanisms) or "none"
            raise refuse(f"{refused(handshake.error_code)}; it offers the SASL mechanisms: {offered}, and {self.mechanism} is needed")
        conversation = self._conversation(secret)
        said = next(conversation)
        while True:
            answer = exchange(request("sasl_authenticate", _AUTHENTICATE_VERSION, auth_bytes=said))
            if answer.error_code != 0:
                raise refuse(str(refused(answer.error_code, answer.error_message)))
            try:
                said = conversation.send(bytes(answer.auth_bytes))
            except StopIteration:
                lifetime_s: float = answer.session_lifetime.total_seconds()
                return lifetime_s or None
            except (ScramException, UnicodeDecodeError):
                raise refuse(f"what it answers in {self.mechanism} does not prove that it knows the password") from None

    def _conversation(self, secret: str) -> Conversation:
        if self.mechanism == PLAIN:
            return _plain(self.user, secret)
        return _bearer(secret) if self.mechanism == BEARER else _scram(self.mechanism, self.user, secret)


def _plain(user: str, password: str) -> Conversation:
    yield f"\0{user}\0{password}".encode()


def _scram(mechanism: str, user: str, password: str) -> Conversation:
    client = ScramClient([mechanism], user, password)
    client.set_server_first((yield client.get_client_first().encode()).decode())
    client.set_server_final((yield client.get_client_final().encode()).decode())


def _bearer(token: str) -> Conversation:
    """RFC 7628. A node that refuses sends the reason, and ends the conversation after one more byte."""
    if (yield f"n,,\x01auth=Bearer {token}\x01\x01".encode()):
        yield b"\x01"


@dataclass(frozen=True)
class Passwords:
    """The users of one broker, each with a secret password."""

    by_user: Mapping[str, str] = field(repr=False)

    @staticmethod
    def made_up_for(users: Iterable[str]) -> "Passwords":
        return Passwords({user: secrets.token_hex(16) for user in users})

    def login(self, user: str, mechanism: str = PLAIN) -> KafkaLogin:
        """The login of that user."""
        if user not in self.by_user:
            raise ValueError(f"there is no user {user!r}; there are {', '.join(self.by_user) or 'none'}")
        return KafkaLogin(user, self.by_user[user], mechanism)

    def filled_in(self, text: str) -> str:
        """The text with each `{password of USER}` replaced."""
        for user, password in self.by_user.items():
            text = text.replace(f"{{password of {user}}}", password)
        return text

    def hidden_in(self, text: str) -> str:
        """The text with every password hidden."""
        for password in self.by_user.values():
            text = text.replace(password, "[hidden]")
        return text
