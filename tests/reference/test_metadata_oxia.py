"""What can be said of the metadata store on Oxia without one: how keys are spelt there, and what is said where its client is missing."""

import subprocess
import sys
from threading import Event

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fencepost.reference.metadata import oxia_keys
from fencepost.reference.metadata.timely import within

KEYS = st.text(alphabet=st.sampled_from("\0\1\2-./0a!%é\uffff\U00010000"))


@given(KEYS, KEYS)
def test_spelt_keys_are_in_the_order_of_their_bytes(one: str, other: str) -> None:
    """Whatever slashes they have: there is none in what Oxia sees, and nothing is empty there."""
    spelt = oxia_keys.spelt(one).encode(), oxia_keys.spelt(other).encode()

    assert (spelt[0] < spelt[1]) == (one.encode() < other.encode())
    assert all(spelling and b"/" not in spelling for spelling in spelt)


@given(KEYS)
def test_a_spelt_key_is_read_as_it_was(key: str) -> None:
    """And what is no record of a caller's is read as none."""
    assert oxia_keys.read(oxia_keys.spelt(key)) == key
    assert [oxia_keys.read(own) for own in (oxia_keys.ticket(key, 1), oxia_keys.tickets(key), oxia_keys.fence(0))] == [None] * 3


@given(KEYS, KEYS, st.integers(1, 10**20 - 1))
def test_the_tickets_of_a_sequence_are_its_own(prefix: str, other: str, number: int) -> None:
    """No sequence goes on where another ends, and no ticket's key is a sequence's prefix, which would break Oxia's log."""
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
    """Whatever is in them."""
    assert len({oxia_keys.index_name(index) for index in ("a", "a/b", "a%2Fb", "a.b", "")}) == 5


@pytest.mark.parametrize("package", ["oxia", "grpc"])
def test_a_missing_package_is_told_with_what_to_install(package: str) -> None:
    """The module says so when it is imported, and nobody else imports it."""
    program = f"import sys; sys.modules[{package!r}] = None; import fencepost.reference.metadata.plain, fencepost.reference.metadata.oxia"

    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)

    assert ended.returncode == 1
    assert f"a metadata store on Oxia needs {package}, which is not there: pip install 'fencepost[oxia]'" in ended.stderr


def test_a_call_that_takes_too_long_is_left_alone() -> None:
    """Its caller is told so; one that ends in time is answered with what it returns or raises."""

    def fail() -> None:
        raise KeyError("a")

    assert within(60, lambda: 1) == 1
    with pytest.raises(KeyError):
        within(60, fail)
    with pytest.raises(TimeoutError):
        within(0, input_that_never_comes)


def input_that_never_comes() -> None:
    Event().wait(60)
