"""The metadata store on Oxia, as far as it can be tested without one: how keys are spelt, and the error if its client is missing."""

import subprocess
import sys
from threading import Event

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fencepost.reference.metadata import oxia_keys
from fencepost.reference.metadata.oxia_turns import lock_file, turn
from fencepost.reference.metadata.timely import Patience, within

KEYS = st.text(alphabet=st.sampled_from("\0\1\2\3\4\5-./0a!%é\uffff\U00010000"))


@given(KEYS, KEYS)
def test_spelt_keys_are_in_the_order_of_their_bytes(one: str, other: str) -> None:
    """Whatever slashes they have: a key that Oxia gets has no slash, no character 1, and is not empty."""
    spelt = oxia_keys.spelt(one).encode(), oxia_keys.spelt(other).encode()

    assert (spelt[0] < spelt[1]) == (one.encode() < other.encode())
    assert all(spelling and b"/" not in spelling and b"\1" not in spelling for spelling in spelt)


@given(KEYS)
def test_a_spelt_key_is_read_as_it_was(key: str) -> None:
    """A key of no caller's record is read as none."""
    assert oxia_keys.read(oxia_keys.spelt(key)) == key
    assert [oxia_keys.read(own) for own in (oxia_keys.ticket(key, 1), oxia_keys.tickets(key), oxia_keys.fence(0))] == [None] * 3


@given(KEYS, KEYS, st.integers(1, 10**20 - 1))
def test_the_tickets_of_a_sequence_are_its_own(prefix: str, other: str, number: int) -> None:
    """No sequence continues another, and no ticket's key is the prefix of a sequence, which would break Oxia's log."""
    ticket = oxia_keys.ticket(prefix, number)

    assert oxia_keys.number_of(ticket, prefix) == number
    assert oxia_keys.number_of(ticket, other) == (number if prefix == other else None)
    assert ticket != oxia_keys.tickets(other)
    assert ticket <= oxia_keys.last_ticket(prefix)


@given(KEYS)
def test_the_name_of_an_index_has_no_slash(index: str) -> None:
    """Oxia's server panics at one."""
    name = oxia_keys.index_name(index)

    assert name
    assert "/" not in name


def test_two_indexes_have_two_names() -> None:
    """Whatever characters they have."""
    assert len({oxia_keys.index_name(index) for index in ("a", "a/b", "a%2Fb", "a.b", "")}) == 5


@pytest.mark.parametrize("package", ["oxia", "grpc"])
def test_a_missing_package_is_reported_with_what_to_install(package: str) -> None:
    """Importing the module raises that error, and no other module imports it."""
    program = f"import sys; sys.modules[{package!r}] = None; import fencepost.reference.metadata.plain, fencepost.reference.metadata.oxia"

    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)

    assert ended.returncode == 1
    assert f"a metadata store on Oxia needs {package}, which is not there: pip install 'fencepost[oxia]'" in ended.stderr


def test_a_call_that_takes_too_long_is_left_alone() -> None:
    """Its caller gets an error; a call that ends in time returns or raises its own result."""

    def fail() -> None:
        raise KeyError("a")

    assert within(60, lambda: 1) == 1
    with pytest.raises(KeyError):
        within(60, fail)
    with pytest.raises(TimeoutError):
        within(0, input_that_never_comes)


def test_while_a_call_hangs_no_other_is_begun() -> None:
    """Another caller gets an error at once; when the call has ended after all, the next one is made."""
    patience, hangs, made = Patience(0.05), Event(), Event()
    with pytest.raises(TimeoutError):
        patience.ask(hangs.wait)

    patience_of_a_minute = Patience(60)
    patience_of_a_minute._late = patience._late  # otherwise it would wait for a minute
    with pytest.raises(TimeoutError):
        patience_of_a_minute.ask(made.set)

    assert not made.is_set()
    hangs.set()
    within(60, lambda: [None for _ in iter(lambda: bool(patience._late), False)])
    assert patience.ask(lambda: 1) == 1
    patience.close()
    patience_of_a_minute.close()


def test_processes_take_turns() -> None:
    """While another process has the turn at an address, this one does not get it; at another address it does; a dead one has none."""
    address = "127.0.0.1:1"
    holds = (
        f"import fcntl; file = open({str(lock_file(address))!r}, 'a'); fcntl.flock(file, fcntl.LOCK_EX); print('held', flush=True); input()"
    )

    with subprocess.Popen([sys.executable, "-c", holds], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout
        assert other.stdout.readline() == "held\n"
        with pytest.raises(TimeoutError):
            within(0.05, lambda: take(address, 60))
        take("127.0.0.1:2", 60)
        other.kill()

    take(address, 60)
    lock_file(address).unlink()
    lock_file("127.0.0.1:2").unlink()


def test_a_turn_that_comes_too_late_is_not_taken() -> None:
    """Its caller no longer waits for it. `localhost` and 127.0.0.1 are one address."""
    with turn("localhost:3", 60), pytest.raises(TimeoutError):
        within(60, lambda: take("127.0.0.1:3", 0.01))

    lock_file("127.0.0.1:3").unlink()


def take(address: str, within_s: float) -> None:
    """Take the turn, and do nothing in it."""
    with turn(address, within_s):
        pass


def input_that_never_comes() -> None:
    Event().wait(60)
