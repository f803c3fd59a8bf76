"""TLS, logins and properties files of Kafka's clients: the meaning of each option, and the errors if it cannot work."""

import socket
from collections.abc import Callable
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
import trustme
from fake_broker import FakeBroker
from first_bytes import answering
from scramp import ScramMechanism  # type: ignore[import-untyped]  # it has no types
from tls_proxy import over_tls

from fencepost.adapters.common.access_token import Token
from fencepost.adapters.common.address import Address
from fencepost.adapters.common.tls import Tls, TlsRefused
from fencepost.adapters.kafka.client_properties import properties, read
from fencepost.adapters.kafka.kafka_login import BEARER, SCRAM, KafkaLogin, KafkaLoginRefused
from fencepost.adapters.kafka.proxy import ProxiedWire
from fencepost.adapters.kafka.reach import connect, parse_addresses, reach_one
from fencepost.adapters.kafka.security import KafkaSecurity
from fencepost.adapters.kafka.security_options import security_of
from fencepost.contract.errors import AccessRefused, SystemUnreachable, WrongUsage
from fencepost.contract.outcomes import Done, Unknown
from fencepost.wire.kafka.entities import request, response

ASKED = request("api_versions", 0)
AMPLE_S = 10.0
HOST = "127.0.0.1"
SECRET = "a-secret-that-shows-nowhere"  # noqa: S105 - what is looked for
CA = trustme.CA()


def trusting(ca: trustme.CA) -> KafkaSecurity:
    return KafkaSecurity(Tls(ca.cert_pem.bytes().decode(), takes_properties=True))


def asked(address: Address, security: KafkaSecurity) -> object:
    transport = connect("test", address, security)
    try:
        outcomes = [transport.call(ASKED, AMPLE_S) for _ in range(3)]
    finally:
        transport.close()
    return outcomes[-1]


def test_a_client_speaks_tls_with_a_broker_whose_authority_it_trusts() -> None:
    """Directly, through the fault proxy, and in the check whether a node listens."""
    with FakeBroker() as broker, over_tls(broker.port, CA) as address:
        wire = ProxiedWire(trusting(CA))
        transport = wire.connect("A", address)
        through = transport.call(ASKED, AMPLE_S)
        transport.close()
        wire.close()

        assert isinstance(asked(address, trusting(CA)), Done)
        assert isinstance(through, Done)
        assert connect("test", address, trusting(CA)).is_listened_to()


@pytest.mark.parametrize(
    ("name", "trusted", "reported"),
    [(HOST, trustme.CA(), "unable to get local issuer|self-signed"), ("elsewhere.test", CA, "certificate is not valid for '127.0.0.1'")],
)
def test_a_certificate_that_is_wrong_is_reported_with_the_remedy(name: str, trusted: trustme.CA, reported: str) -> None:
    """At once: another attempt would not change it."""
    with FakeBroker() as broker, over_tls(broker.port, CA, name=name) as address, pytest.raises(TlsRefused, match=reported) as refused:
        asked(address, trusting(trusted))

    assert str(address) in str(refused.value)
    assert "--client-properties" in str(refused.value)


def test_a_client_shows_its_certificate_where_one_is_wanted(tmp_path: Path) -> None:
    """Without one, the error is that it was refused."""
    clients = trustme.CA()
    pair = clients.issue_cert("client@fencepost.test")
    (tmp_path / "c.pem").write_bytes(b"".join(one.bytes() for one in pair.cert_chain_pems))
    pair.private_key_pem.write_to_path(tmp_path / "c.key")
    CA.cert_pem.write_to_path(tmp_path / "ca.pem")
    options = {"tls-ca": str(tmp_path / "ca.pem")}
    own = {"tls-certificate": str(tmp_path / "c.pem"), "tls-key": str(tmp_path / "c.key")}
    with FakeBroker() as broker, over_tls(broker.port, CA, wants=clients) as address:
        assert isinstance(asked(address, security_of(options | own)[0]), Done)
        with pytest.raises(TlsRefused, match="--tls-certificate FILE"):
            asked(address, security_of(options)[0])


def test_plaintext_where_tls_was_asked_ends_in_words() -> None:
    """A broker without TLS takes a client's greeting for a frame of 369 MB, and closes; others answer with an alert."""
    with socket.create_server((HOST, 0)) as listener:

        def hang_up() -> None:
            with listener.accept()[0] as connection:
                connection.recv(1)

        thread = Thread(target=hang_up)
        thread.start()
        outcome = connect("test", Address(HOST, listener.getsockname()[1]), trusting(CA)).call(ASKED, AMPLE_S)
        thread.join(AMPLE_S)

    assert isinstance(outcome, Unknown)
    assert "in the TLS handshake, as a listener without TLS does" in outcome.reason


@pytest.mark.parametrize(
    ("first", "reported"),
    [(b"\x15\x03\x03\x00\x02\x02\x50", "answers with TLS. Use --tls-ca FILE"), (b"HTTP/1.1 400 Bad", "answers with HTTP")],
)
def test_another_protocol_is_known_by_its_first_bytes(first: bytes, reported: str) -> None:
    """It is named with the remedy, and not reported as a frame of hundreds of megabytes."""
    with answering(first) as address, pytest.raises(SystemUnreachable, match=reported):
        connect("test", address).call(ASKED, AMPLE_S)


def test_one_address_of_several_may_be_dead() -> None:
    """The first that answers is used; if none does, all are reported."""
    with socket.socket() as bound, FakeBroker() as broker:
        bound.bind((HOST, 0))
        dead = f"{HOST}:{bound.getsockname()[1]}"
        found, _ = reach_one(parse_addresses(f"{dead}, {HOST}:{broker.port}"), AMPLE_S)
        with pytest.raises(SystemUnreachable, match=f"no Kafka broker answers at {dead} within .*--client-properties FILE"):
            reach_one(parse_addresses(dead), 0.05)

    assert found.port == broker.port


class ScramNode:
    """A node that knows a user by SCRAM; with `knows_password` False it only pretends to at the end."""

    def __init__(self, mechanism: str, password: str) -> None:
        self._mechanism = ScramMechanism(mechanism)
        self._server = self._mechanism.make_server(lambda _: self._mechanism.make_auth_info(password))
        self._steps: list[Callable[[str], str]] = [self._first, self._final]

    def exchange(self, asked: Any) -> Any:
        if type(asked).__name__.startswith("SaslHandshake"):
            return response(asked, error_code=0, mechanisms=[])
        try:
            said, error = self._steps.pop(0)(asked.auth_bytes.decode()), 0
        except Exception:
            said, error = "", 58
        return response(asked, error_code=error, error_message=f"no: {SECRET}", auth_bytes=said.encode(), session_lifetime=5000)

    def _first(self, said: str) -> str:
        self._server.set_client_first(said)
        return str(self._server.get_server_first())

    def _final(self, said: str) -> str:
        self._server.set_client_final(said)
        return str(self._server.get_server_final())


@pytest.mark.parametrize("mechanism", SCRAM)
def test_scram_lets_in_a_user_with_the_password(mechanism: str) -> None:
    """For the lifetime in the answer; with another password the error names the user and hides the password."""
    assert KafkaLogin("kit", SECRET, mechanism).over(ScramNode(mechanism, SECRET).exchange, "a node") == 5.0

    with pytest.raises(KafkaLoginRefused, match="refuses the login of the user 'kit'") as refused:
        KafkaLogin("kit", SECRET, mechanism).over(ScramNode(mechanism, "another").exchange, "a node")
    assert SECRET not in str(refused.value)


def test_a_node_that_does_not_know_the_password_is_no_node_of_scram() -> None:
    """It could accept any client: the client detects it by the signature."""

    def lets_in(asked: Any) -> Any:
        if type(asked).__name__.startswith("SaslHandshake"):
            return response(asked, error_code=0, mechanisms=[])
        return response(asked, error_code=0, error_message=None, auth_bytes=b"v=" + b"A" * 43 + b"=", session_lifetime=0)

    with pytest.raises(KafkaLoginRefused, match="does not prove that it knows the password"):
        KafkaLogin("kit", SECRET, SCRAM[0]).over(lets_in, "a node")


def test_an_expired_token_is_reported_and_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    """RFC 7628: the node sends the reason, the client sends one more byte, and the node ends the conversation."""
    monkeypatch.setenv("A_TOKEN", SECRET)
    said: list[bytes] = []

    def expired(asked: Any) -> Any:
        if type(asked).__name__.startswith("SaslHandshake"):
            return response(asked, error_code=0, mechanisms=[])
        said.append(asked.auth_bytes)
        error, reported = (0, b'{"status":"invalid_token"}') if len(said) == 1 else (58, b"")
        return response(asked, error_code=error, error_message=f"expired: {SECRET}", auth_bytes=reported, session_lifetime=0)

    login = KafkaLogin("token", Token.of("env:A_TOKEN"), BEARER)
    with pytest.raises(KafkaLoginRefused, match=r"expired: .hidden.*token, which may have expired") as refused:
        login.over(expired, "a node")

    assert said == [f"n,,\x01auth=Bearer {SECRET}\x01\x01".encode(), b"\x01"]
    assert SECRET not in str(refused.value) + repr(login)


def test_a_token_comes_from_a_file_the_environment_or_a_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is read again each time, without blanks around it."""
    (tmp_path / "token").write_text(f"{SECRET}\n")
    monkeypatch.setenv("A_TOKEN", SECRET)

    for source in (f"file:{tmp_path / 'token'}", "env:A_TOKEN", f"command:cat '{tmp_path / 'token'}'"):
        assert Token.of(source).read() == SECRET


@pytest.mark.parametrize(
    ("source", "reported"),
    [
        ("file:/no/such/file", "No such file"),
        ("env:THERE_IS_NONE", "nothing in it"),
        ("command:false", "exit code 1"),
        (f"command:echo two {SECRET}", "blanks"),
        ("command:/no/such/program", "cannot be run"),
    ],
)
def test_a_token_that_cannot_be_had_is_reported_without_it(source: str, reported: str) -> None:
    """With its source, and never with the command's output."""
    with pytest.raises(SystemUnreachable, match=reported) as failed:
        Token.of(source).read()

    assert SECRET not in str(failed.value)


def test_a_token_that_a_shell_put_where_the_variable_stands_is_not_shown() -> None:
    """`--token env:$TOKEN` names a variable by the token itself; the message has the expected form, and not the text."""
    with pytest.raises(AccessRefused, match=r"that variable \(not shown\): .*without \$, such as env:TOKEN") as refused:
        Token.of(f"env:{SECRET}").read()

    assert SECRET not in str(refused.value)


def test_the_token_itself_is_no_value_of_an_option() -> None:
    """It would be in the process list; the refusal does not repeat it."""
    with pytest.raises(WrongUsage, match="file:PATH, env:VARIABLE or command:CMD") as refused:
        Token.of(SECRET)

    assert SECRET not in str(refused.value)


def test_a_properties_file_is_read_as_java_reads_it() -> None:
    """Comments, continued lines, escapes, and each of the three signs between name and value."""
    text = "# no\n! no\n a = 1 \\\n    2\nb:x\\u0041\\=\nc d\\\\\n\ne\n"

    assert properties(text) == {"a": "1 2", "b": "xA=", "c": "d\\", "e": ""}


SCRAM_FILE = (
    "bootstrap.servers=one:9092,two:9092\nsecurity.protocol=SASL_PLAINTEXT\nsasl.mechanism=SCRAM-SHA-512\nlinger.ms=5\n"
    "sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required \\\n"
    '  username="kit" password="${env:PW}";\n'
)


def test_a_clients_file_has_the_user_and_the_address(tmp_path: Path) -> None:
    """A password may be a variable of the environment, as with Kafka's own provider; other properties are ignored."""
    file = tmp_path / "client.properties"
    file.write_text(SCRAM_FILE)

    security, servers = read(file, None, {"PW": SECRET})

    assert (security.login, servers) == (KafkaLogin("kit", SECRET, "SCRAM-SHA-512"), "one:9092,two:9092")
    assert str(security) == "SASL_PLAINTEXT with SCRAM-SHA-512"
    assert SECRET not in repr(security)


@pytest.mark.parametrize(
    ("lines", "reported"),
    [
        ("security.protocol=TLS", "security.protocol=TLS: expected one of PLAINTEXT, SSL"),
        ("security.protocol=SSL\nssl.truststore.location=x.jks", "ssl.truststore.type=JKS, which is the default.* keytool"),
        (
            "security.protocol=SSL\nssl.keystore.type=PKCS12\nssl.keystore.location=x",
            "ssl.keystore.type=PKCS12: expected PEM.*openssl pkcs12",
        ),
        ("security.protocol=SASL_SSL", "sasl.mechanism=GSSAPI: expected one of PLAIN"),
        ("security.protocol=SASL_SSL\nsasl.mechanism=OAUTHBEARER", "use --token file:PATH, env:VARIABLE"),
        (f"security.protocol=SASL_SSL\nsasl.mechanism=PLAIN\nsasl.jaas.config=nonsense {SECRET}", "PlainLoginModule required username"),
        ("sasl.oauthbearer.token.endpoint.url=https://here", "use --token command:CMD"),
        (f"ssl.truststore.password={SECRET}", "a PEM file needs none"),
        ("security.protocol=SSL\nssl.endpoint.identification.algorithm=ldaps", "expected https, or nothing after the ="),
        ("ssl.protocol=TLSv1", "ssl.protocol=TLSv1: it is none of"),
    ],
)
def test_what_a_clients_file_asks_and_cannot_be_had_is_refused(lines: str, reported: str, tmp_path: Path) -> None:
    """With the file, the property and the remedy, and without a secret."""
    file = tmp_path / "client.properties"
    file.write_text(lines)
    with pytest.raises(WrongUsage, match=reported) as refused:
        read(file, None, {})

    assert str(file) in str(refused.value)
    assert SECRET not in str(refused.value)


def test_a_name_is_not_checked_where_the_algorithm_is_empty(tmp_path: Path) -> None:
    """As in a Java client; the authority is still checked."""
    CA.cert_pem.write_to_path(tmp_path / "ca.pem")
    file = tmp_path / "client.properties"
    file.write_text(
        f"security.protocol=SSL\nssl.truststore.type=PEM\nssl.truststore.location={tmp_path}/ca.pem\nssl.endpoint.identification.algorithm=\n"
    )
    with FakeBroker() as broker, over_tls(broker.port, CA, name="elsewhere.test") as address:
        assert isinstance(asked(address, read(file, None, {})[0]), Done)


@pytest.mark.parametrize(
    ("options", "reported"),
    [
        ({"tls-certificate": "c"}, "need --tls-ca"),
        ({"tls-ca": "system", "tls-key": "k"}, "belong together"),
        ({"tls-ca": "/no/such"}, "No such file"),
        ({"tls-ca": "system", "client-properties": "f"}, "exclude each other"),
    ],
)
def test_options_that_do_not_fit_are_refused(options: dict[str, str], reported: str) -> None:
    """Before any connection is opened."""
    with pytest.raises(WrongUsage, match=reported):
        security_of(options)
