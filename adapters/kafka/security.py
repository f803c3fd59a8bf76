"""How clients reach a Kafka broker of somebody else's: over TLS or not, and as whom they log in."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from fencepost.adapters.common.tls import TLS_OPTIONS, Tls
from fencepost.adapters.common.token import TOKEN, Token
from fencepost.contract.errors import WrongUsage

from .login import BEARER, PLAIN, Login

PROPERTIES = "client-properties"
SECURITY_OPTIONS = (PROPERTIES, *TLS_OPTIONS, TOKEN)


@dataclass(frozen=True)
class Security:
    """What every connection begins with."""

    tls: Tls | None = None
    login: Login | None = None

    @property
    def mechanism(self) -> str:
        """By which users log in that have a password each."""
        return PLAIN if self.login is None or self.login.mechanism == BEARER else self.login.mechanism

    def __str__(self) -> str:
        """In Kafka's words."""
        protocol = ("SASL_" if self.login else "") + ("SSL" if self.tls else "PLAINTEXT")
        return protocol + (f" with {self.login.mechanism}" if self.login else "") + (" and a certificate" if self._has_certificate else "")

    @property
    def _has_certificate(self) -> bool:
        return self.tls is not None and self.tls.certificate is not None


OPEN = Security()
"""Neither TLS nor a login."""


def security_of(options: Mapping[str, str]) -> tuple[Security, str | None]:
    """What the options say, and the bootstrap addresses that a file of properties has. Raises WrongUsage."""
    token = Token.of(options[TOKEN]) if TOKEN in options else None
    if PROPERTIES in options:
        if own := [name for name in TLS_OPTIONS if name in options]:
            raise WrongUsage(f"--{own[0]} and --{PROPERTIES} exclude each other: the file says all of TLS")
        from .client_properties import read

        return read(Path(options[PROPERTIES]), token, os.environ)
    tls = Tls.of(*(options.get(name) for name in TLS_OPTIONS))
    return Security(tls, None if token is None else Login(TOKEN, token, BEARER)), None
