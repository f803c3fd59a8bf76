"""How clients reach a Pulsar system that fencepost did not start: over TLS or not, and with which login."""

from collections.abc import Mapping
from dataclasses import dataclass

from fencepost.adapters.common.access_token import TOKEN, Token
from fencepost.adapters.common.tls import SYSTEM, TLS_OPTIONS, Tls
from fencepost.contract.errors import WrongUsage

from .pulsar_login import TLS_METHOD, TOKEN_METHOD, PulsarLogin

SECURED = (*TLS_OPTIONS, TOKEN)
"""The options of which `PulsarSecurity` is made, in addition to the schemes of the two URLs."""
_CA = "tls-ca"


@dataclass(frozen=True)
class PulsarSecurity:
    """The TLS settings of connections to brokers (`service`) and to the admin interface (`admin`), and the token for both."""

    service: Tls | None = None
    admin: Tls | None = None
    token: Token | None = None

    @classmethod
    def of(cls, options: Mapping[str, str], service_over_tls: bool, admin_over_tls: bool) -> "PulsarSecurity":
        """The settings in the options; the URLs decide which of the two uses TLS. Raises WrongUsage."""
        token = Token.of(options[TOKEN]) if TOKEN in options else None
        if not service_over_tls and not admin_over_tls:
            if own := [name for name in TLS_OPTIONS if name in options]:
                raise WrongUsage(
                    f"--{own[0]} {options[own[0]]}: neither URL asks for TLS. Use pulsar+ssl://HOST:PORT and https://HOST:PORT, or leave "
                    "it out"
                )
            return cls(token=token)
        if token is not None and service_over_tls != admin_over_tls:
            plain, scheme = ("--admin-url", "https") if service_over_tls else ("--service-url", "pulsar+ssl")
            raise WrongUsage(f"--{TOKEN}: the token would go to {plain} without TLS. Use {scheme}:// there too")
        ca, *own_certificate = (options.get(name, SYSTEM if name == _CA else None) for name in TLS_OPTIONS)
        tls = Tls.of(ca, *own_certificate)
        return cls(tls if service_over_tls else None, tls if admin_over_tls else None, token)

    @property
    def login(self) -> PulsarLogin | None:
        """How a client logs in, in CONNECT. A broker that requires no login ignores it."""
        if self.token is not None:
            return PulsarLogin(TOKEN_METHOD, self.token)
        return PulsarLogin(TLS_METHOD) if self.service is not None and self.service.certificate is not None else None

    def __str__(self) -> str:
        """In words, such as `TLS, a certificate and a token`; empty for OPEN."""
        tls = self.service or self.admin
        parts = [
            *(["TLS" if self.service and self.admin else f"TLS ({'brokers' if self.service else 'admin interface'} only)"] if tls else []),
            *(["a certificate"] if tls and tls.certificate else []),
            *(["a token"] if self.token else []),
        ]
        return " and ".join(filter(None, (", ".join(parts[:-1]), *parts[-1:])))


OPEN = PulsarSecurity()
"""Neither TLS nor a login."""
