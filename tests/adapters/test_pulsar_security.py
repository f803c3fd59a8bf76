"""TLS and logins of Pulsar's clients and of admin calls: the meaning of each option, and the errors if it cannot work."""

import socket
import struct
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
import trustme
from first_bytes import answering
from google.protobuf.message import Message
from scripted_pulsar import HERE, ScriptedPulsar, ScriptedTime
from tls_proxy import over_tls

from fencepost.adapters.common.access_token import Token
from fencepost.adapters.common.address import LOOPBACK as HOST
from fencepost.adapters.common.address import Address
from fencepost.adapters.common.system_faults import NoFaults
from fencepost.adapters.common.tls import Tls, TlsRefused
from fencepost.adapters.pulsar.http import HttpAdmin
from fencepost.adapters.pulsar.inprocess import InProcessAdmin, InProcessPulsarTransport
from fencepost.adapters.pulsar.pulsar_login import PulsarLoginRefused
from fencepost.adapters.pulsar.pulsar_registration import systems
from fencepost.adapters.pulsar.pulsar_session import PulsarSession
from fencepost.adapters.pulsar.reach import Addresses, ServiceUrls, ask, parse_addresses, reach_one
from fencepost.adapters.pulsar.security import PulsarSecurity
from fencepost.adapters.pulsar.transport import ConnectionLost
from fencepost.contract.errors import AccessRefused, SystemUnreachable, WrongUsage
from fencepost.contract.outcomes import Done, Unknown
from fencepost.contract.registration import SpecifiedSystem
from fencepost.wire.pulsar import messages_pb2 as pb
from fencepost.wire.pulsar.admin import AdminAnswer, AdminRequest
from fencepost.wire.pulsar.commands import body
from fencepost.wire.pulsar.frames import SIZE, decode, encode, frame_of, size_of
from fencepost.wire.pulsar.numbers import MINUS_ONE

AMPLE_S = 10.0
SECRET = "a-secret-that-shows-nowhere"  # noqa: S105 - what is looked for
CA = trustme.CA()
ASKED = AdminRequest("GET", "/admin/v2/namespaces/public/default")
CONNECTED = pb.CommandConnected(server_version="Pulsar Server4.0.7", protocol_version=21)
TRUSTED = Tls(CA.cert_pem.bytes().decode())
WANTS_LOGIN = pb.CommandError(request_id=MINUS_ONE, error=pb.AuthenticationError, message=f"no: {SECRET}")


@contextmanager
def brokers(*answers: Sequence[Message]) -> Iterator[tuple[int, list[Message]]]:
    """A broker's port, and what it received on its one connection: each command is answered with the next of these."""
    heard: list[Message] = []
    with socket.create_server((HOST, 0)) as server:

        def frame(connection: socket.socket) -> bytes:
            return connection.recv(size_of(connection.recv(SIZE.size, socket.MSG_WAITALL)), socket.MSG_WAITALL)

        def serve() -> None:
            with suppress(OSError, struct.error), server.accept()[0] as connection:  # a client may close at any time
                for answer in answers:
                    heard.append(body(decode(frame(connection)).command))
                    for message in answer:
                        connection.sendall(encode(frame_of(message)))
                while connection.recv(1000):
                    pass

        thread = Thread(target=serve)
        thread.start()
        try:
            yield server.getsockname()[1], heard
        finally:
            with suppress(OSError):
                server.shutdown(socket.SHUT_RDWR)
            thread.join(AMPLE_S)


@contextmanager
def admins(answer: Callable[[BaseHTTPRequestHandler], None]) -> Iterator[tuple[int, list[str]]]:
    """An admin interface's port, and its callers' Authorization headers."""
    logins: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            logins.append(self.headers.get("Authorization", ""))
            answer(self)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer((HOST, 0), Handler) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server.server_port, logins
        finally:
            server.shutdown()
            thread.join(AMPLE_S)


def status(number: int, **headers: str) -> Callable[[BaseHTTPRequestHandler], None]:
    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(number)
        for name, value in {"Content-Length": "0", **headers}.items():
            handler.send_header(name, value)
        handler.end_headers()

    return answer


def called(admin: HttpAdmin) -> object:
    with closing(admin):
        return admin.call(ASKED, AMPLE_S)


@pytest.fixture
def token(monkeypatch: pytest.MonkeyPatch) -> Token:
    monkeypatch.setenv("A_TOKEN", SECRET)
    return Token.of("env:A_TOKEN")


def test_a_client_speaks_tls_with_a_broker_whose_authority_it_trusts(token: Token) -> None:
    """CONNECT has the login; the record of it has not."""
    with brokers([CONNECTED]) as (port, heard), over_tls(port, CA) as address:
        place = ServiceUrls(address, "", PulsarSecurity(TRUSTED, TRUSTED, token))

        assert isinstance(ask(place, AMPLE_S), Done)

    assert heard == [
        pb.CommandConnect(
            client_version="fencepost",
            protocol_version=21,
            auth_method_name="token",
            auth_data=SECRET.encode(),
            feature_flags=pb.FeatureFlags(supports_auth_refresh=True),
        )
    ]


def test_the_login_is_in_nothing_that_a_session_records(token: Token) -> None:
    """It happens below the record: neither the exchanges nor the shown places and options have it."""
    security = PulsarSecurity(token=token)
    with brokers([CONNECTED], [pb.CommandPong()]) as (port, heard):
        place = ServiceUrls(Address(HOST, port), "http://x", security)
        with closing(
            PulsarSession(place.service, place.connect, place.connect_admin, ScriptedTime(ScriptedPulsar()), NoFaults(""), "x")
        ) as session:
            assert session.client("c")._client.ping() == Done(None)
            recorded = [str(one) for one in session.exchanges()]

    assert SECRET in str(heard[0])
    assert len(recorded) == 2
    assert SECRET not in f"{recorded} {security!r} {place!r} {security}"


def test_a_broker_that_asks_again_gets_the_token_of_now(token: Token, monkeypatch: pytest.MonkeyPatch) -> None:
    """AUTH_CHALLENGE comes when a token has expired. The client answers it between other frames."""
    challenge = pb.CommandAuthChallenge(protocol_version=21, challenge=pb.AuthData(auth_method_name="token"))
    with brokers([CONNECTED], [challenge], [pb.CommandPong()]) as (port, heard):
        place = ServiceUrls(Address(HOST, port), "", PulsarSecurity(token=token))
        with closing(place.connect("c", place.service)) as transport:
            transport.send(frame_of(pb.CommandConnect(client_version="x", protocol_version=21)))
            connected = transport.receive(AMPLE_S)
            monkeypatch.setenv("A_TOKEN", "the-next")
            transport.send(frame_of(pb.CommandPing()))
            ponged = transport.receive(AMPLE_S)

    assert [frame and frame.name for frame in (connected, ponged)] == ["CONNECTED", "PONG"]
    assert heard[2] == pb.CommandAuthResponse(response=pb.AuthData(auth_method_name="token", auth_data=b"the-next"), protocol_version=21)


@pytest.mark.parametrize("has_token", [True, False])
def test_a_broker_that_refuses_a_login_is_reported_with_the_remedy(has_token: bool, token: Token) -> None:
    """At once, and without the token, which the broker may quote."""
    with brokers([WANTS_LOGIN]) as (port, _), pytest.raises(PulsarLoginRefused) as refused:
        ask(ServiceUrls(Address(HOST, port), "", PulsarSecurity(token=token if has_token else None)), AMPLE_S)

    assert f"{HOST}:{port}" in str(refused.value)
    assert ("may have expired" if has_token else "Use --token file:PATH") in str(refused.value)
    assert (SECRET in str(refused.value)) is not has_token


def test_without_its_token_a_client_is_not_connected() -> None:
    """The error names the source of the token."""
    with brokers([CONNECTED]) as (port, heard), pytest.raises(AccessRefused, match="no token comes from THERE_IS_NONE"):
        ask(ServiceUrls(Address(HOST, port), "", PulsarSecurity(token=Token.of("env:THERE_IS_NONE"))), AMPLE_S)

    assert heard == []


def test_who_a_scenario_says_that_a_client_is_is_for_the_scenario_to_judge(token: Token) -> None:
    """It is sent unchanged, and its refusal is an answer like another."""
    with brokers([WANTS_LOGIN]) as (port, heard):
        place = ServiceUrls(Address(HOST, port), "", PulsarSecurity(token=token))
        with closing(place.connect("c", place.service)) as transport:
            transport.send(frame_of(pb.CommandConnect(client_version="x", auth_method_name="basic", auth_data=b"me:")))
            answer = transport.receive(AMPLE_S)

    assert answer is not None
    assert answer.name == "ERROR"
    assert heard[0] == pb.CommandConnect(client_version="x", auth_method_name="basic", auth_data=b"me:")


@pytest.mark.parametrize(
    ("name", "trusted", "message"),
    [(HOST, trustme.CA(), "unable to get local issuer|self-signed"), ("elsewhere.test", CA, "certificate is not valid for '127.0.0.1'")],
)
def test_a_certificate_that_is_wrong_is_reported_with_the_remedy(name: str, trusted: trustme.CA, message: str) -> None:
    """For the broker's port and the admin interface alike, and without options that only Kafka's clients have."""
    tls = Tls(trusted.cert_pem.bytes().decode())
    with admins(status(200)) as (port, _), over_tls(port, CA, name=name) as address:
        with pytest.raises(TlsRefused, match=message) as by_broker:
            ask(ServiceUrls(address, "", PulsarSecurity(tls)), AMPLE_S)
        with pytest.raises(TlsRefused, match=message) as by_admin:
            called(HttpAdmin(f"https://{address}", tls))

    for refused in (by_broker, by_admin):
        assert str(address) in str(refused.value)
        assert "--client-properties" not in str(refused.value)


def test_a_client_shows_its_certificate_where_one_is_wanted(tmp_path: Path) -> None:
    """CONNECT names it as the login method; without one the error is that the client was refused."""
    clients = trustme.CA()
    pair = clients.issue_cert("client@fencepost.test")
    (tmp_path / "c.pem").write_bytes(b"".join(one.bytes() for one in pair.cert_chain_pems))
    pair.private_key_pem.write_to_path(tmp_path / "c.key")
    CA.cert_pem.write_to_path(tmp_path / "ca.pem")
    options = {"tls-ca": str(tmp_path / "ca.pem")}
    own = {"tls-certificate": str(tmp_path / "c.pem"), "tls-key": str(tmp_path / "c.key")}
    with brokers([CONNECTED]) as (port, heard), over_tls(port, CA, wants=clients) as address, admins(status(200)) as (admin_port, _):
        urls = (f"pulsar+ssl://{address}", "https://x")

        assert isinstance(ask(parse_addresses(*urls, options | own).place(), AMPLE_S), Done)
        with pytest.raises(TlsRefused, match="--tls-certificate FILE"):
            ask(parse_addresses(*urls, options).place(), AMPLE_S)
        with over_tls(admin_port, CA, wants=clients) as admin:
            assert called(HttpAdmin(f"https://{admin}", PulsarSecurity.of(options | own, True, True).admin)) == Done(AdminAnswer(200, b""))
            with pytest.raises(TlsRefused, match="--tls-certificate FILE"):
                called(HttpAdmin(f"https://{admin}", TRUSTED))

    assert isinstance(heard[0], pb.CommandConnect)
    assert heard[0].auth_method_name == "tls"


@pytest.mark.parametrize(
    ("first", "message"),
    [(b"\x15\x03\x03\x00\x02\x02\x50", "answers with TLS. Use pulsar"), (b"HTTP/1.1 400 Bad", "answers with HTTP")],
)
def test_another_protocol_is_known_by_its_first_bytes(first: bytes, message: str) -> None:
    """It is named with the remedy."""
    with answering(first) as address, pytest.raises(SystemUnreachable, match=message):
        ask(ServiceUrls(address, ""), AMPLE_S)


def test_tls_where_none_was_asked_and_none_where_it_was_are_named() -> None:
    """For each of both ports, also if it closes without an answer."""
    with admins(status(200)) as (port, _), over_tls(port, CA) as address:
        plain = f"{HOST}:{port}"
        with pytest.raises(TlsRefused, match=f"{plain} does not speak TLS"):
            ask(ServiceUrls(Address(HOST, port), "", PulsarSecurity(TRUSTED)), AMPLE_S)
        with pytest.raises(TlsRefused, match=f"{plain} does not speak TLS"):
            called(HttpAdmin(f"https://{plain}", TRUSTED))
        with brokers([CONNECTED]) as (service, _), pytest.raises(SystemUnreachable, match="TLS at the admin interface: use https://"):
            reach_one(parse_addresses(f"pulsar://{HOST}:{service}", f"http://{address}", {}), 0.3)
        with pytest.raises(SystemUnreachable, match=r"use pulsar\+ssl://HOST:PORT|Use pulsar\+ssl://HOST:PORT"):
            reach_one(parse_addresses(f"pulsar://{address}", f"http://{plain}", {}), 0.3)


def test_an_admin_call_over_tls_carries_the_token(token: Token) -> None:
    """Also after a redirect to the broker that owns a topic; if it is refused, the error has the remedy and not the token."""
    with (
        admins(status(200)) as (port, logins),
        over_tls(port, CA) as owner,
        admins(status(307, Location=f"https://{owner}/")) as (first, _),
        over_tls(first, CA) as address,
    ):
        answer = called(HttpAdmin(f"https://{address}", TRUSTED, token))
    with admins(status(401)) as (port, _):
        with pytest.raises(PulsarLoginRefused, match="may have expired") as refused:
            called(HttpAdmin(f"http://{HOST}:{port}", token=token))
        with pytest.raises(PulsarLoginRefused, match=f"http://{HOST}:{port} wants a login: 401.*Use --token"):
            called(HttpAdmin(f"http://{HOST}:{port}"))

    assert answer == Done(AdminAnswer(200, b""))
    assert logins == [f"Bearer {SECRET}"]
    assert SECRET not in str(refused.value)


def test_a_redirect_out_of_tls_is_not_followed(token: Token) -> None:
    """The token would be readable on the wire."""
    with (
        admins(status(200)) as (port, logins),
        admins(status(307, Location=f"http://{HOST}:{port}/")) as (first, _),
        over_tls(first, CA) as address,
        pytest.raises(SystemUnreachable, match="expected another https:// URL"),
    ):
        called(HttpAdmin(f"https://{address}", TRUSTED, token))

    assert logins == []


def test_one_address_of_several_may_be_dead() -> None:
    """Of brokers and of admin interfaces: the first that answers is used, and those before it are noted."""
    with socket.socket() as bound, brokers([CONNECTED]) as (port, _), admins(status(200)) as (admin, _):
        bound.bind((HOST, 0))
        dead = f"{HOST}:{bound.getsockname()[1]}"
        addresses = parse_addresses(f"pulsar://{dead},{HOST}:{port}", f"http://{dead},{HOST}:{admin}/", {})
        place, _ = reach_one(addresses, AMPLE_S)

    assert str(place) == f"pulsar://{HOST}:{port} with http://{HOST}:{admin}"
    assert addresses.passed_over(place) == [f"no answer from {dead}, http://{dead}"]
    assert str(addresses) == f"pulsar://{dead},{HOST}:{port} with http://{dead},http://{HOST}:{admin}"


def test_over_tls_a_topic_is_looked_for_at_its_address_with_tls() -> None:
    """If a broker advertises none, the error names what it lacks."""
    broker = ScriptedPulsar()

    def connect(_client: str, address: Address) -> InProcessPulsarTransport:
        if address != HERE:
            raise ConnectionLost(f"{address} is elsewhere")
        return InProcessPulsarTransport(broker)

    session = PulsarSession(HERE, connect, lambda: InProcessAdmin(broker), ScriptedTime(broker), NoFaults(""), "x", over_tls=True)
    kind = pb.CommandLookupTopicResponse.Connect
    looked_up: dict[str, Any] = {"broker_service_url": "pulsar://there:1", "response": kind}
    broker.on(
        "LOOKUP",
        lambda asked: [
            pb.CommandLookupTopicResponse(request_id=asked.request_id, broker_service_url_tls="pulsar+ssl://there", **looked_up)
        ],
        lambda asked: [pb.CommandLookupTopicResponse(request_id=asked.request_id, **looked_up)],
    )

    outcome = session.client("c")._client.owner("persistent://public/default/t")
    assert isinstance(outcome, Unknown)
    assert "there:6651 is elsewhere" in outcome.reason
    with pytest.raises(SystemUnreachable, match="expected an address with TLS too"):
        session.client("c")._client.owner("persistent://public/default/t")
    session.close()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"tls-ca": "system"}, "--tls-ca system: neither URL asks for TLS"),
        ({"service-url": "pulsar+ssl://a", "tls-certificate": "c"}, "belong together"),
        ({"service-url": "pulsar+ssl://a", "tls-ca": "/no/such"}, "No such file"),
        ({"admin-url": "https://a", "token": SECRET}, "file:PATH, env:VARIABLE or command:CMD"),
        ({"service-url": "pulsar://me:pw@a"}, "--token says where a token is"),
    ],
)
def test_options_that_do_not_fit_are_refused(options: dict[str, str], message: str) -> None:
    """Before any connection is opened, and without a secret."""
    with pytest.raises(WrongUsage, match=message) as refused:
        systems(SpecifiedSystem({"service-url": "pulsar://a", "admin-url": "http://a"} | options))

    assert SECRET not in str(refused.value)


def test_what_fencepost_starts_has_no_logins() -> None:
    """With classic and with scalable topics."""
    for specs in ((), ("pip471",)):
        with pytest.raises(WrongUsage, match="--token and --container exclude each other"):
            systems(SpecifiedSystem({"container": "apachepulsar/pulsar:4.0.7", "token": "env:X"}, specs=specs))


def test_what_is_reached_and_how_is_noted() -> None:
    """In the note of a handshake."""
    token = Token("env", "X")

    assert str(PulsarSecurity(TRUSTED, TRUSTED, token)) == "TLS and a token"
    assert str(PulsarSecurity(Tls(certificate=Path("c")), None, token)) == "TLS (brokers only), a certificate and a token"
    assert str(PulsarSecurity(None, TRUSTED)) == "TLS (admin interface only)"
    assert str(PulsarSecurity(token=token)) == "a token"
    assert str(Addresses([Address("a", 1)], ["https://b"], PulsarSecurity(TRUSTED, TRUSTED)).place()) == "pulsar+ssl://a:1 with https://b"
