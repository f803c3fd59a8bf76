"""A Kafka with TLS and SCRAM or tokens, and one with mutual TLS: judged as any other, and no secret is in a run's files."""

import base64
import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import trustme
from commands import fencepost, verdicts
from confluent_kafka.admin import AdminClient, ScramCredentialInfo, ScramMechanism, UserScramCredentialUpsertion
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, load_pem_private_key
from docker_here import IMAGE
from secrets_left import places_with

from fencepost.adapters.common.address import LOOPBACK, Address, free_port
from fencepost.adapters.common.containers import BrokerContainer
from fencepost.adapters.kafka.reach import reach

pytestmark = pytest.mark.docker(IMAGE)

PASSWORD = "a-password-that-nothing-shows"  # noqa: S105 - what is looked for
ASKED = ("--only=CORE-01", "--only=KIP890-060", "--no-html")


@dataclass(frozen=True)
class Secured:
    """The broker's ports, and the folder with the clients' files."""

    plain: int
    scram: int
    mutual: int
    files: Path


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Secured]:
    """One node with a listener of each kind, and its own certificates."""
    files = tmp_path_factory.mktemp("certificates")
    ca = trustme.CA()
    node, client = ca.issue_cert(LOOPBACK), ca.issue_cert("client@fencepost.test")
    key = load_pem_private_key(node.private_key_pem.bytes(), None).private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    ca.cert_pem.write_to_path(files / "ca.pem")
    (files / "node.pem").write_bytes(key + b"".join(one.bytes() for one in node.cert_chain_pems))
    (files / "client.pem").write_bytes(b"".join(one.bytes() for one in client.cert_chain_pems))
    client.private_key_pem.write_to_path(files / "client.key")
    ports = plain, scram, mutual = free_port(), free_port(), free_port()
    environment = {
        "KAFKA_NODE_ID": "1",
        "KAFKA_PROCESS_ROLES": "broker,controller",
        "KAFKA_LISTENERS": f"PLAINTEXT://:{plain},SASL_SSL://:{scram},SSL://:{mutual},CONTROLLER://:9093",
        "KAFKA_ADVERTISED_LISTENERS": f"PLAINTEXT://{LOOPBACK}:{plain},SASL_SSL://{LOOPBACK}:{scram},SSL://{LOOPBACK}:{mutual}",
        "KAFKA_CONTROLLER_LISTENER_NAMES": "CONTROLLER",
        "KAFKA_LISTENER_SECURITY_PROTOCOL_MAP": "CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT,SASL_SSL:SASL_SSL,SSL:SSL",
        "KAFKA_CONTROLLER_QUORUM_VOTERS": "1@localhost:9093",
        "KAFKA_OFFSETS_TOPIC_REPLICATION_FACTOR": "1",
        "KAFKA_TRANSACTION_STATE_LOG_REPLICATION_FACTOR": "1",
        "KAFKA_TRANSACTION_STATE_LOG_MIN_ISR": "1",
        "KAFKA_SASL_ENABLED_MECHANISMS": "SCRAM-SHA-512,OAUTHBEARER",
        "KAFKA_LISTENER_NAME_SASL__SSL_SCRAM___SHA___512_SASL_JAAS_CONFIG": (
            "org.apache.kafka.common.security.scram.ScramLoginModule required;"
        ),
        "KAFKA_LISTENER_NAME_SASL__SSL_OAUTHBEARER_SASL_JAAS_CONFIG": (
            "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule required;"
        ),
        "KAFKA_SSL_KEYSTORE_TYPE": "PEM",
        "KAFKA_SSL_KEYSTORE_LOCATION": "/certificates/node.pem",
        "KAFKA_SSL_TRUSTSTORE_TYPE": "PEM",
        "KAFKA_SSL_TRUSTSTORE_LOCATION": "/certificates/ca.pem",
        "KAFKA_LISTENER_NAME_SSL_SSL_CLIENT_AUTH": "required",
    }
    container = BrokerContainer(IMAGE, environment, ports, user="root").with_volume_mapping(str(files), "/certificates", "ro")
    container.start()
    try:
        reach(Address(LOOPBACK, plain), 60)
        known = UserScramCredentialUpsertion("kit", ScramCredentialInfo(ScramMechanism.SCRAM_SHA_512, 4096), PASSWORD.encode())
        administrator = AdminClient({"bootstrap.servers": f"{LOOPBACK}:{plain}"})
        for done in administrator.alter_user_scram_credentials([known]).values():
            done.result(30)
        yield Secured(plain, scram, mutual, files)
    finally:
        container.stop()


def properties(broker: Secured, folder: Path) -> Path:
    file = folder / "client.properties"
    file.write_text(
        f"bootstrap.servers={LOOPBACK}:{broker.scram}\nsecurity.protocol=SASL_SSL\nsasl.mechanism=SCRAM-SHA-512\n"
        "sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required "
        f'username="kit" password="{PASSWORD}";\n'
        f"ssl.truststore.type=PEM\nssl.truststore.location={broker.files}/ca.pem\n"
    )
    return file


def test_over_tls_with_scram_the_verdicts_are_those_over_plaintext(broker: Secured, tmp_path: Path) -> None:
    """And nothing that the run leaves or prints has the password, in letters or as bytes."""
    secured, plain, settings = tmp_path / "secured", tmp_path / "plain", tmp_path / "settings"
    settings.mkdir()

    finished = fencepost("run", "kafka", "--client-properties", properties(broker, settings), *ASKED, "--results", secured, expect=0)
    fencepost("run", "kafka", "--bootstrap", f"{LOOPBACK}:{broker.plain}", *ASKED, "--results", plain, expect=0)

    assert verdicts(secured) == verdicts(plain)
    assert places_with([PASSWORD], secured, finished) == []


def test_a_client_with_its_certificate_is_let_in_and_one_without_is_reported(broker: Secured) -> None:
    """The error names the remedy; likewise TLS where the user named none."""
    at = ("doctor", "kafka", "--bootstrap", f"{LOOPBACK}:{broker.mutual}")
    trusting = ("--tls-ca", broker.files / "ca.pem")
    own = ("--tls-certificate", broker.files / "client.pem", "--tls-key", broker.files / "client.key")

    assert "reached over SSL and a certificate" in fencepost(*at, *trusting, *own, expect=0).out
    assert "--tls-certificate FILE" in fencepost(*at, *trusting, expect=2).err
    assert "it answers with TLS. Use --tls-ca FILE" in fencepost(*at, expect=2).err


def token(for_s: float) -> str:
    """An access token without a signature, which Kafka's own validator takes unless another one is configured."""
    claims = {"sub": "kit", "iat": time.time() - 3600, "exp": time.time() + for_s}
    header, payload = (base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=") for part in ({"alg": "none"}, claims))
    return f"{header}.{payload}."


def test_an_expired_token_is_refused_as_one_and_is_not_shown(broker: Secured, tmp_path: Path) -> None:
    """The same listener accepts a valid one."""
    at = ("doctor", "kafka", "--bootstrap", f"{LOOPBACK}:{broker.scram}", "--tls-ca", broker.files / "ca.pem")
    valid, expired = tmp_path / "valid", tmp_path / "expired"
    valid.write_text(token(3600))
    expired.write_text(token(-60))

    assert "reached over SASL_SSL with OAUTHBEARER" in fencepost(*at, "--token", f"file:{valid}", expect=0).out
    refused = fencepost(*at, "--token", f"file:{expired}", expect=2)
    assert "token, which may have expired" in refused.err
    assert expired.read_text() not in refused.err + refused.out
