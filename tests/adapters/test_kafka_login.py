"""Logging in over SASL/PLAIN: a client's user, the content of a refusal, and that no password is shown."""

import json
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager

import fake_broker
import pytest
from fake_broker import FakeBroker
from hypothesis import given
from hypothesis import strategies as st
from served import Served, served_here

from fencepost.adapters.common.address import Address
from fencepost.adapters.common.system_faults import NoFaults
from fencepost.adapters.kafka.handshake import ask
from fencepost.adapters.kafka.kafka_login import KafkaLogin, KafkaLoginRefused, Passwords
from fencepost.adapters.kafka.kafka_session import KafkaSession
from fencepost.adapters.kafka.reach import NO_USERS, Users, wall_session
from fencepost.adapters.kafka.tcp import KafkaTcpTransport
from fencepost.contract.errors import Malformed, NotOffered, SystemUnreachable
from fencepost.contract.outcomes import Done, Refused, Unknown
from fencepost.reference.kafka import Settings
from fencepost.wire.kafka.acl_codes import AclOperation, Resource, ResourceKind, Right, principal_of
from fencepost.wire.kafka.entities import request, response

AMPLE_S = 10.0
PASSWORDS = Passwords.made_up_for(["kit", "ordinary"])
LOOK = request("list_transactions", 0, state_filters=[], producer_id_filters=[])


def guarded(passwords: Mapping[str, str]) -> AbstractContextManager[Served]:
    """The reference on a socket, with logins required. `kit` has all rights; without passwords, no user can log in."""
    return served_here(settings=Settings(has_authorizer=True, super_users=frozenset({"User:kit"}), passwords=passwords))


def address_of(broker: Served) -> Address:
    return Address("127.0.0.1", broker.port)


@pytest.fixture(scope="module")
def broker() -> Iterator[Served]:
    with guarded(PASSWORDS.by_user) as served:
        yield served


@pytest.fixture
def session(broker: Served) -> Iterator[KafkaSession]:
    users = Users(PASSWORDS)
    transport = users.connect("test", address_of(broker))
    offer = ask(transport, AMPLE_S)
    transport.close()
    assert isinstance(offer, Done)
    opened = wall_session(address_of(broker), offer.value, AMPLE_S, NoFaults("the test's broker"), users=users)
    yield opened
    opened.close()


def refusal(broker: Served, login: KafkaLogin) -> KafkaLoginRefused:
    transport = KafkaTcpTransport("test", address_of(broker), login)
    with pytest.raises(KafkaLoginRefused) as refused:
        transport.call(LOOK, AMPLE_S)
    transport.close()
    return refused.value


def test_a_client_is_the_kits_own_user_until_it_logs_in_as_another(session: KafkaSession) -> None:
    """The same client with the same request: the default user has all rights, the other has none yet."""
    probe = session.client("A")
    before = probe.init_producer_id(session.unique("x"))
    probe.log_in_as("ordinary")

    after = probe.init_producer_id(session.unique("x"))

    assert isinstance(before, Done)
    assert isinstance(after, Refused)
    assert after.error == "TRANSACTIONAL_ID_AUTHORIZATION_FAILED"


def test_a_right_counts_when_it_is_granted_and_until_it_is_revoked(session: KafkaSession) -> None:
    """The answer to the first request after each change follows the change."""
    observer, probe = session.client("observer"), session.client("A")
    probe.log_in_as("ordinary")
    name = session.unique("y")
    right = Right(principal_of("ordinary"), AclOperation.WRITE, Resource(ResourceKind.TRANSACTIONAL_ID, name))

    assert observer.grant(right) == Done(None)
    assert isinstance(probe.init_producer_id(name), Done)
    assert observer.revoke(right) == Done(None)
    assert isinstance(probe.init_producer_id(name), Refused)


def test_who_may_not_change_rights_is_reported_so(session: KafkaSession) -> None:
    """By the broker's error, and at once."""
    probe = session.client("A")
    probe.log_in_as("ordinary")
    right = Right(principal_of("ordinary"), AclOperation.WRITE, Resource(ResourceKind.TRANSACTIONAL_ID, "z"))

    for outcome in (probe.grant(right), probe.revoke(right)):
        assert isinstance(outcome, Refused)
        assert outcome.error == "CLUSTER_AUTHORIZATION_FAILED"


def test_a_new_connection_logs_in_again(broker: Served) -> None:
    """After the old one was closed, as after a crash."""
    transport = KafkaTcpTransport("test", address_of(broker), PASSWORDS.login("kit"))

    for _ in range(2):
        assert isinstance(transport.call(LOOK, AMPLE_S), Done)
        transport.close()


def test_without_a_login_the_connection_is_closed(broker: Served) -> None:
    """That is no refusal of the request: the broker did not read it."""
    transport = NO_USERS.connect("test", address_of(broker))

    outcome = transport.call(LOOK, AMPLE_S)
    transport.close()

    assert isinstance(outcome, Unknown)
    assert outcome.lost


def test_no_client_can_log_in_without_users() -> None:
    """A scenario that needs a login is not offered, with the user's name."""
    with pytest.raises(NotOffered, match="no client can log in here as the user 'ordinary'"):
        NO_USERS.connect_as("ordinary")


def test_a_refused_login_names_the_node_the_user_and_the_reason(broker: Served) -> None:
    """It is a system that cannot be reached, and no verdict on it."""
    error = refusal(broker, KafkaLogin("kit", "not the password"))

    assert isinstance(error, SystemUnreachable)
    assert str(error) == (
        f"{address_of(broker)} refuses the login of the user 'kit': SASL_AUTHENTICATION_FAILED (58): Authentication failed: "
        "Invalid username or password. Its listener must know this user and password."
    )


def test_a_listener_without_logins_is_reported() -> None:
    """With the mechanisms that it has."""
    with guarded({}) as open_to_all:
        error = refusal(open_to_all, KafkaLogin("kit", "secret"))

    assert "ILLEGAL_SASL_STATE (34); it offers the SASL mechanisms: none, and PLAIN is needed" in str(error)


@given(password=st.text("0123456789abcdef", min_size=12, max_size=40), echoed=st.text(max_size=20))
def test_a_password_shows_in_no_text_about_it(password: str, echoed: str) -> None:
    """Neither in a repr nor in the error, also if a node quotes what it received."""

    answers = iter(
        [
            response(request("sasl_handshake", 1, mechanism="PLAIN"), error_code=0, mechanisms=["PLAIN"]),
            response(
                request("sasl_authenticate", 2, auth_bytes=b""),
                error_code=58,
                error_message=f"{echoed}{password}{echoed}",
                auth_bytes=b"",
                session_lifetime=0,
            ),
        ]
    )
    login, passwords = KafkaLogin("kit", password), Passwords({"kit": password})
    with pytest.raises(KafkaLoginRefused) as refused:
        login.over(lambda _: next(answers), "a node")

    reported = [
        repr(login),
        repr(passwords),
        repr(Users(passwords)),
        str(refused.value),
        repr(refused.value),
        passwords.hidden_in(password),
    ]
    assert not any(password in text for text in reported)


def test_bytes_that_answer_a_login_are_not_shown() -> None:
    """Other malformed answers show their bytes, but these may quote the client's; the node is at fault all the same."""
    with FakeBroker(fake_broker.swaps_correlation_ids) as broker:
        transport = KafkaTcpTransport("test", Address("127.0.0.1", broker.port), KafkaLogin("kit", "secret"))
        with pytest.raises(Malformed, match="login of the user 'kit' is none that the protocol allows") as malformed:
            transport.call(LOOK, AMPLE_S)
        transport.close()

    assert "the bytes:" not in str(malformed.value)
    assert malformed.value.__suppress_context__


def test_a_password_is_in_nothing_that_a_session_remembers(session: KafkaSession) -> None:
    """Neither the exchanges, which reports show, nor the history have a password or a login."""
    probe = session.client("A")
    probe.init_producer_id(session.unique("x"))
    probe.log_in_as("ordinary")
    probe.init_producer_id(session.unique("x"))

    remembered = json.dumps([vars(exchange) for exchange in session.exchanges()]) + json.dumps(session.history("run"))

    assert "InitProducerId" in remembered
    assert "sasl" not in remembered.lower()
    for password in PASSWORDS.by_user.values():
        assert password not in remembered
        assert password.encode().hex() not in remembered


def test_every_broker_has_its_own_passwords() -> None:
    """So a password that leaks does not work elsewhere."""
    others = Passwords.made_up_for(["kit", "ordinary"])

    assert len({*PASSWORDS.by_user.values(), *others.by_user.values()}) == 4
    with pytest.raises(ValueError, match="there is no user 'mallory'; there are kit, ordinary"):
        others.login("mallory")
