"""A Pulsar with TLS whose clients log in by a token, or by their certificate: it is judged as any other, and no secret is left."""

import base64
import hashlib
import hmac
import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import trustme
from commands import fencepost, verdicts
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, load_pem_private_key
from docker_here import PULSAR_IMAGE
from secrets_left import places_with

from fencepost.adapters.common.access_token import Token
from fencepost.adapters.common.address import LOOPBACK, Address, free_port
from fencepost.adapters.common.time import WallTime
from fencepost.adapters.common.tls import Tls
from fencepost.adapters.pulsar.container import PulsarContainer
from fencepost.adapters.pulsar.pulsar_settings import pulsar_settings
from fencepost.adapters.pulsar.reach import ServiceUrls, reach, serves_transactions
from fencepost.adapters.pulsar.security import PulsarSecurity
from fencepost.contract.outcomes import Done

pytestmark = pytest.mark.docker(PULSAR_IMAGE)

KEY = b"0123456789abcdef0123456789abcdef"
"""With it the broker's tokens are signed."""
USER = "kit"
ASKED = ("--only=CORE-01", "--only=PIP31-15", "--only=PIP31-22", "--no-html")
_UP_WITHIN_S = 90


def token(expires_s: float) -> str:
    """A JSON web token of the user, signed with HS256, which expires in so many seconds."""

    def part(value: bytes) -> bytes:
        return base64.urlsafe_b64encode(value).rstrip(b"=")

    claims = {"sub": USER, "exp": int(time.time() + expires_s)}
    signed = b".".join(part(json.dumps(one).encode()) for one in ({"alg": "HS256"}, claims))
    return (signed + b"." + part(hmac.new(KEY, signed, hashlib.sha256).digest())).decode()


@dataclass(frozen=True)
class Secured:
    """The broker without TLS and with it, and the folder with the clients' files."""

    plain: ServiceUrls
    tls: ServiceUrls
    files: Path

    def at(self, place: ServiceUrls) -> tuple[str, ...]:
        return ("--service-url", place.service_url, "--admin-url", place.admin_url)

    @property
    def trusting(self) -> tuple[object, ...]:
        return ("--tls-ca", self.files / "ca.pem")

    @property
    def with_token(self) -> tuple[str, ...]:
        return ("--token", f"file:{self.files}/token")


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Secured]:
    """A standalone broker that accepts clients with a token or a certificate, with TLS and without."""
    files = tmp_path_factory.mktemp("certificates")
    ca = trustme.CA()
    node, client = ca.issue_cert(LOOPBACK), ca.issue_cert("client@fencepost.test", common_name=USER)
    key = load_pem_private_key(node.private_key_pem.bytes(), None).private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    ca.cert_pem.write_to_path(files / "ca.pem")
    (files / "node.pem").write_bytes(b"".join(one.bytes() for one in node.cert_chain_pems))
    (files / "node.key").write_bytes(key)
    (files / "client.pem").write_bytes(b"".join(one.bytes() for one in client.cert_chain_pems))
    client.private_key_pem.write_to_path(files / "client.key")
    (files / "token").write_text(token(3600))
    (files / "expired").write_text(token(-60))
    ports = service, admin = free_port(), free_port()
    providers = "org.apache.pulsar.broker.authentication.AuthenticationProvider"
    settings = {
        "brokerServicePortTls": f"{service}",
        "webServicePortTls": f"{admin}",
        "tlsCertificateFilePath": "/certificates/node.pem",
        "tlsKeyFilePath": "/certificates/node.key",
        "tlsTrustCertsFilePath": "/certificates/ca.pem",
        "authenticationEnabled": "true",
        "authenticationProviders": f"{providers}Token,{providers}Tls",
        "superUserRoles": USER,
        "tokenSecretKey": f"data:;base64,{base64.b64encode(KEY).decode()}",
        "brokerClientAuthenticationPlugin": "org.apache.pulsar.client.impl.auth.AuthenticationToken",
        "brokerClientAuthenticationParameters": f"token:{token(3600)}",
    }

    def environment(port: int, admin_port: int) -> dict[str, str]:
        return pulsar_settings().environment("shared", port, admin_port) | {
            f"PULSAR_PREFIX_{name}": value for name, value in settings.items()
        }

    container = PulsarContainer(PULSAR_IMAGE, environment).with_volume_mapping(str(files), "/certificates", "ro")
    container.ports |= {f"{port}/tcp": (LOOPBACK, port) for port in ports}
    read = Token("file", str(files / "token"))
    trusted = Tls((files / "ca.pem").read_text())
    plain = ServiceUrls(container.place.service, container.place.admin_url, PulsarSecurity(token=read))
    tls = ServiceUrls(Address(LOOPBACK, service), f"https://{LOOPBACK}:{admin}", PulsarSecurity(trusted, trusted, read))
    container.start()
    try:
        reach(plain, _UP_WITHIN_S)
        assert any(isinstance(serves_transactions(tls, 10), Done) for _ in WallTime(_UP_WITHIN_S).attempts()), container.last_lines()
        yield Secured(plain, tls, files)
    finally:
        container.stop()


def test_over_tls_with_a_token_the_verdicts_are_those_over_plaintext(broker: Secured, tmp_path: Path) -> None:
    """And nothing that the run leaves or prints has the token, in letters or as bytes."""
    secured, plain = tmp_path / "secured", tmp_path / "plain"

    finished = fencepost(
        "run", "pulsar", *broker.at(broker.tls), *broker.trusting, *broker.with_token, *ASKED, "--results", secured, expect=0
    )
    fencepost("run", "pulsar", *broker.at(broker.plain), *broker.with_token, *ASKED, "--results", plain, expect=0)

    assert verdicts(secured) == verdicts(plain)
    assert set(verdicts(secured).values()) == {"met"}
    secret = (broker.files / "token").read_text()
    assert places_with([secret, secret.rpartition(".")[2]], secured, finished) == []


def test_a_client_with_its_certificate_is_let_in_and_others_learn_why(broker: Secured) -> None:
    """The error names the remedy: for no login, for an expired token, for TLS on a listener without it, and the other way round."""
    at = ("doctor", "pulsar", *broker.at(broker.tls))
    own = ("--tls-certificate", broker.files / "client.pem", "--tls-key", broker.files / "client.key")
    plain = broker.at(broker.plain)
    swapped = ("--service-url", f"pulsar+ssl://{broker.plain.service}", "--admin-url", broker.tls.admin_url)
    without = ("--service-url", f"pulsar://{broker.tls.service}", "--admin-url", broker.plain.admin_url)

    assert "reached over TLS and a certificate" in fencepost(*at, *broker.trusting, *own, expect=0).out
    assert "wants a login" in fencepost(*at, *broker.trusting, expect=2).err
    assert "wants a login" in fencepost("doctor", "pulsar", *plain, expect=2).err
    assert "The token may have expired" in fencepost(*at, *broker.trusting, "--token", f"file:{broker.files}/expired", expect=2).err
    assert "without TLS" in fencepost("doctor", "pulsar", *swapped, *broker.trusting, *broker.with_token, expect=2).err
    assert "pulsar+ssl://HOST:PORT" in fencepost("doctor", "pulsar", *without, *broker.with_token, expect=2).err
