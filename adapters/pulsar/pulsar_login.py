"""Logging in: the credentials in CONNECT, and the answer to a broker that asks for them again.

This happens in a transport, below what a session records, so no history and no report has a token, and neither has an error message or a
`repr`. The token is read again for each connection and for each AUTH_CHALLENGE, with which a broker asks for a new one when the present one
has expired.
"""

from dataclasses import dataclass

from fencepost.adapters.common.access_token import TOKEN, Token
from fencepost.contract.errors import AccessRefused
from fencepost.wire.pulsar import messages_pb2 as pb
from fencepost.wire.pulsar.frames import Frame, frame_of

TOKEN_METHOD, TLS_METHOD = "token", "tls"
"""Pulsar's names: by a token, and by the certificate that TLS has shown already."""


class PulsarLoginRefused(AccessRefused):
    """A broker or the admin interface refuses the client; the message names it, and its reason."""

    @classmethod
    def by(cls, where: object, why: str, has_token: bool) -> "PulsarLoginRefused":
        """The error, with the remedy."""
        if has_token:
            return cls(f"{where} refuses the login by --{TOKEN}: {why}. The token may have expired, or its key may not be the broker's.")
        return cls(
            f"{where} wants a login: {why}. Use --{TOKEN} file:PATH, env:VARIABLE or command:CMD, or --tls-certificate FILE and --tls-key "
            "FILE with pulsar+ssl:// and https://."
        )


@dataclass(frozen=True)
class PulsarLogin:
    """The method by which a client logs in, and its token if the method is `token`."""

    method: str
    token: Token | None = None

    def connect_with(self, connect: pb.CommandConnect) -> tuple[Frame, str]:
        """CONNECT with the login, and the secret in it, which no message may show. Raises AccessRefused if there is no token."""
        secret = self._secret()
        changed = pb.CommandConnect()
        changed.CopyFrom(connect)
        changed.auth_method_name, changed.auth_data = self.method, secret.encode()
        changed.feature_flags.supports_auth_refresh = self.token is not None
        return frame_of(changed), secret

    def answer_to(self, challenge: pb.CommandAuthChallenge) -> tuple[Frame, str]:
        """The answer to a broker that asks for new credentials, and the secret in it. Raises AccessRefused."""
        secret = self._secret()
        said = pb.AuthData(auth_method_name=self.method, auth_data=secret.encode())
        return frame_of(pb.CommandAuthResponse(response=said, protocol_version=challenge.protocol_version)), secret

    def _secret(self) -> str:
        return "" if self.token is None else self.token.read()
