"""How clients reach a Kafka broker that fencepost did not start: over TLS or not, and with which login."""

from dataclasses import dataclass

from fencepost.adapters.common.tls import Tls

from .kafka_login import BEARER, PLAIN, KafkaLogin


@dataclass(frozen=True)
class KafkaSecurity:
    """The security settings of every connection."""

    tls: Tls | None = None
    login: KafkaLogin | None = None

    @property
    def mechanism(self) -> str:
        """The mechanism of users that have a password each."""
        return PLAIN if self.login is None or self.login.mechanism == BEARER else self.login.mechanism

    def __str__(self) -> str:
        """The settings in Kafka's words."""
        protocol = ("SASL_" if self.login else "") + ("SSL" if self.tls else "PLAINTEXT")
        return protocol + (f" with {self.login.mechanism}" if self.login else "") + (" and a certificate" if self._has_certificate else "")

    @property
    def _has_certificate(self) -> bool:
        return self.tls is not None and self.tls.certificate is not None


OPEN = KafkaSecurity()
"""Neither TLS nor a login."""
