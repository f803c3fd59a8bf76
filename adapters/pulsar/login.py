"""Logging in: what CONNECT says of who the client is, and the answer to a broker that asks for it again.

This happens inside of a transport, below what a session records, so a token reaches no history and no report. It stands in no error
message and in no `repr` either. A token is read again for each connection and for each AUTH_CHALLENGE, with which a broker asks for a new
one when the one before has expired.
"""

from dataclasses import dataclass

from fencepost.adapters.common.access_token import TOKEN, Token
from fencepost.contract.errors import AccessRefused
from fencepost.wire.pulsar import messages_pb2 as pb
from fencepost.wire.pulsar.frames import Frame, frame_of

TOKEN_METHOD, TLS_METHOD = "token", "tls"
"""Pulsar's names: by a token, and by the certificate that TLS has shown already."""


class LoginRefused(AccessRefused):
    """A broker, or the admin interface, does not let the client in; the message names it, and what it said."""

    @classmethod
    def by(cls, where: object, why: str, has_token: bool) -> "LoginRefused":
        """With what would help."""
        if has_token:
            return cls(f"{where} refuses the login by --{TOKEN}: {why}. The token may have expired, or its key may not be the broker's.")
        return cls(
            f"{where} wants a login: {why}. Say --{TOKEN} file:PATH, env:VARIABLE or command:CMD, or --tls-certificate FILE and --tls-key "
            "FILE with pulsar+ssl:// and https://."
        )


@dataclass(frozen=True)
class Login:
    """By which method a client logs in, and its token where that is `token`."""

    method: str
    token: Token | None = None

    def connect_with(self, connect: pb.CommandConnect) -> tuple[Frame, str]:
        """CONNECT with the login, and the secret in it, which no message may show. Raises AccessRefused where there is no token."""
        secret = self._secret()
        changed = pb.CommandConnect()
        changed.CopyFrom(connect)
        changed.auth_method_name, changed.auth_data = self.method, secret.encode()
        changed.feature_flags.supports_auth_refresh = self.token is not None
        return frame_of(changed), secret

    def answer_to(self, challenge: pb.CommandAuthChallenge) -> tuple[Frame, str]:
        """The answer to a broker that asks who the client is by now, and the secret in it. Raises AccessRefused."""
        secret = self._secret()
        said = pb.AuthData(auth_method_name=self.method, auth_data=secret.encode())
        return frame_of(pb.CommandAuthResponse(response=said, protocol_version=challenge.protocol_version)), secret

    def _secret(self) -> str:
        return "" if self.token is None else self.token.read()
