"""TLS in a client: the authorities that it trusts, whether it checks the name, and the certificate that it presents.

There are two kinds of failure. One that another attempt will not change, such as an untrusted certificate, is TlsRefused, with the remedy.
A connection that ends is an OSError as without TLS: the broker may be stopping.
"""

import socket
import ssl
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from fencepost.contract.errors import AccessRefused, WrongUsage

from .address import Address

SYSTEM = "system"
"""The word in place of a file: the authorities that this machine trusts."""
TLS_OPTIONS = {
    "tls-ca": "TLS, and the PEM file with the authorities that certificates come from; 'system': those of this machine, Pulsar's default",
    "tls-certificate": "the PEM file with the client's certificate, for mutual TLS",
    "tls-key": "the PEM file with its key; without a passphrase, which only --client-properties can have",
}

_NAME_MISMATCH = (62, 64)
_EXPIRED = 10
"""OpenSSL's numbers: the host is not in the certificate, the address is not in it, the certificate has expired."""


class TlsRefused(AccessRefused):
    """The two ends do not agree about TLS; the message has the address, the cause and the remedy."""


@dataclass(frozen=True)
class Tls:
    """A client's TLS settings. `ca` are certificates as PEM, None for those of this machine; `certificate` is a PEM file.

    `takes_properties` is whether --client-properties may have the same settings, so that remedies name it.
    """

    ca: str | None = None
    certificate: Path | None = None
    key: Path | None = None
    checks_name: bool = True
    passphrase: str | None = None
    takes_properties: bool = False

    def __repr__(self) -> str:
        return f"Tls(certificate={self.certificate}, checks_name={self.checks_name})"

    @classmethod
    def of(cls, ca: str | None, certificate: str | None, key: str | None, *, takes_properties: bool = False) -> "Tls | None":
        """The settings in --tls-ca, --tls-certificate and --tls-key; None if there are none. Raises WrongUsage."""
        if ca is None:
            if certificate or key:
                raise WrongUsage("--tls-certificate and --tls-key need --tls-ca FILE, or --tls-ca system")
            return None
        if (certificate is None) != (key is None):
            raise WrongUsage("--tls-certificate and --tls-key belong together: give both, or neither")
        made = cls(
            None if ca == SYSTEM else read_pem("--tls-ca", Path(ca)),
            None if certificate is None else Path(certificate),
            None if key is None else Path(key),
            takes_properties=takes_properties,
        )
        made.check()
        return made

    def check(self) -> None:
        """Raises WrongUsage if TLS cannot use one of the files."""
        _ = self.context

    @cached_property
    def context(self) -> ssl.SSLContext:
        """Raises WrongUsage."""
        try:
            made = ssl.create_default_context(cadata=self.ca)
        except ssl.SSLError:
            raise WrongUsage("the authorities to trust (--tls-ca, ssl.truststore) are no certificates; expected PEM") from None
        if not self.checks_name:
            made.check_hostname = False
        if self.certificate is not None:
            for file in filter(None, (self.certificate, self.key)):
                read_pem("the client's certificate or key", file)
            try:
                # Without a passphrase OpenSSL would ask for one at the terminal.
                made.load_cert_chain(self.certificate, self.key, lambda: self.passphrase or "")
            except (ssl.SSLError, ValueError):
                with_it = ", and the passphrase of a key that has one as ssl.key.password in --client-properties"
                raise WrongUsage(
                    f"{self.certificate} and {self.key or 'the key in it'} cannot be used: expected a certificate and its own key as PEM"
                    + (with_it if self.takes_properties else ", without a passphrase")
                ) from None
        return made

    def over(self, connection: socket.socket, address: Address) -> ssl.SSLSocket:
        """TLS over a connection, with the connection's timeout. Raises TlsRefused, OSError."""
        try:
            return self.context.wrap_socket(connection, server_hostname=address.host)
        except (ssl.SSLEOFError, ConnectionResetError, BrokenPipeError) as error:
            raise ConnectionError(
                "it closed the connection in the TLS handshake, as a listener without TLS does, and one that refuses this client"
            ) from error
        except ssl.SSLError as error:
            raise refused(error, address, self.takes_properties) from error


def dial(address: Address, within_s: float, tls: Tls | None = None) -> socket.socket:
    """A new connection, over TLS if `tls` is given. Raises TlsRefused, OSError."""
    connection = socket.create_connection((address.host, address.port), within_s)
    try:
        # Requests are small and each waits for its answer, so collecting bytes would gain nothing.
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return connection if tls is None else tls.over(connection, address)
    except BaseException:
        connection.close()
        raise


def refused(error: ssl.SSLError, address: Address, takes_properties: bool) -> TlsRefused:
    """OpenSSL's error in words, with the remedy."""
    reason = (error.reason or str(error)).replace("_", " ").lower()
    if isinstance(error, ssl.SSLCertVerificationError):
        found = error.verify_message.rstrip(".")
        return TlsRefused(
            f"{address}: the certificate that it shows is not trusted: {found}. {_remedy(error.verify_code, takes_properties)}"
        )
    if "alert" in reason:
        keystore = ", or ssl.keystore.location in --client-properties" if takes_properties else ""
        return TlsRefused(
            f"{address} refuses TLS with this client: {reason}. If it wants a certificate of the client, use --tls-certificate FILE and "
            f"--tls-key FILE{keystore}; it must come from an authority that the broker trusts."
        )
    return TlsRefused(
        f"{address} does not speak TLS: {reason}. Name a listener with TLS, or leave TLS out (--tls-ca, pulsar+ssl, "
        "https, security.protocol)."
    )


def _remedy(code: int, takes_properties: bool) -> str:
    if code in _NAME_MISMATCH:
        unchecked = "; or leave ssl.endpoint.identification.algorithm empty in --client-properties, and no name is checked"
        return f"Name it by a name that its certificate has, also in what it advertises{unchecked if takes_properties else ''}."
    if code == _EXPIRED:
        return "The broker needs a new certificate."
    truststore = ", or in ssl.truststore.location of --client-properties" if takes_properties else ""
    return f"The authority that signed it must be in --tls-ca FILE{truststore}."


def read_pem(what: str, file: Path) -> str:
    """A file's text. Raises WrongUsage if there is no file, or its text is no PEM."""
    try:
        text = file.read_text("ascii")
    except OSError as error:
        raise WrongUsage(f"{what} {file}: {error.strerror}; expected a PEM file") from error
    except UnicodeDecodeError:
        text = ""
    if "-----BEGIN" not in text:
        raise WrongUsage(
            f"{what} {file} is no PEM file. A Java keystore becomes one by: keytool -exportcert -rfc -keystore FILE -alias NAME; "
            "PKCS12 by: openssl pkcs12 -in FILE -nodes"
        )
    return text


def other_protocol(first: bytes, remedy: str) -> str | None:
    """The protocol of an answer that begins with these bytes, with a remedy, that for TLS from the caller; None if it is neither TLS nor
    HTTP.
    """
    if len(first) > 1 and first[0] in (0x15, 0x16) and first[1] == 0x03:
        return f"it answers with TLS. {remedy}, or name a listener without TLS"
    if first.startswith(b"HTTP"):
        return "it answers with HTTP, so this is a web server's port. Name the broker's own"
    return None


def speaks_tls(address: Address, within_s: float) -> bool:
    """Whether a listener there completes a TLS handshake, with any certificate; this explains why other attempts fail."""
    unchecked_tls = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    unchecked_tls.check_hostname, unchecked_tls.verify_mode = False, ssl.CERT_NONE
    try:
        with (
            socket.create_connection((address.host, address.port), within_s) as connection,
            unchecked_tls.wrap_socket(connection, server_hostname=address.host),
        ):
            return True
    except OSError:
        return False
