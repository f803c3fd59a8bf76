"""Logging in on a new connection, over SASL/PLAIN: SaslHandshake v1, then SaslAuthenticate v2.

This happens inside of a transport, below what a session records, so a password reaches no history and no report. It stands in no
error message and in no `repr` either. The passwords are made up anew for each broker that fencepost starts.
"""

import secrets
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from fencepost.contract.errors import SystemUnreachable
from fencepost.wire.kafka.entities import request

from .errors import refused

_MECHANISM = "PLAIN"
_HANDSHAKE_VERSION = 1
_AUTHENTICATE_VERSION = 2


class LoginRefused(SystemUnreachable):
    """A node does not let a user in; the message names both, and what the node said."""


@dataclass(frozen=True)
class Login:
    """A user, and how it proves that."""

    user: str
    password: str = field(repr=False)

    def over(self, exchange: Callable[[Any], Any], node: object) -> None:
        """Log in; `exchange` sends a request to the node and returns its answer. Raises LoginRefused."""
        handshake = exchange(request("sasl_handshake", _HANDSHAKE_VERSION, mechanism=_MECHANISM))
        if handshake.error_code != 0:
            offered = ", ".join(handshake.mechanisms) or "none"
            self._refuse(node, f"{refused(handshake.error_code)}; it offers the SASL mechanisms: {offered}, and {_MECHANISM} is needed")
        proof = f"\0{self.user}\0{self.password}".encode()
        answer = exchange(request("sasl_authenticate", _AUTHENTICATE_VERSION, auth_bytes=proof))
        if answer.error_code != 0:
            self._refuse(node, str(refused(answer.error_code, answer.error_message)))

    def _refuse(self, node: object, why: str) -> None:
        # An answer may quote what it was sent.
        shown = why.replace(self.password, "[hidden]")
        raise LoginRefused(f"{node} refuses the login of the user {self.user!r}: {shown}. Its listener must know this user and password.")


@dataclass(frozen=True)
class Passwords:
    """The users of one broker, each with a password that nobody else knows."""

    by_user: Mapping[str, str] = field(repr=False)

    @staticmethod
    def made_up_for(users: Iterable[str]) -> "Passwords":
        return Passwords({user: secrets.token_hex(16) for user in users})

    def login(self, user: str) -> Login:
        """How that user logs in."""
        if user not in self.by_user:
            raise ValueError(f"there is no user {user!r}; there are {', '.join(self.by_user) or 'none'}")
        return Login(user, self.by_user[user])

    def filled_in(self, text: str) -> str:
        """The text with each `{password of USER}` replaced."""
        for user, password in self.by_user.items():
            text = text.replace(f"{{password of {user}}}", password)
        return text

    def hidden_in(self, text: str) -> str:
        """The text without any password that it may have."""
        for password in self.by_user.values():
            text = text.replace(password, "[hidden]")
        return text
