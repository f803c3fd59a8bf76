"""Numbers without a sign, and sets of messages, as the wire has them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fencepost.wire.pulsar import numbers
from fencepost.wire.pulsar.ack_sets import holds, outside, words_of


@given(st.integers(-(2**63), 2**63 - 1))
def test_a_signed_number_comes_back(number: int) -> None:
    """The field accepts every signed number."""
    assert 0 <= numbers.unsigned(number) < 2**64
    assert numbers.signed(numbers.unsigned(number)) == number


@pytest.mark.parametrize(
    ("messages", "size", "words"),
    [({0}, 1, [1]), ({1, 2}, 3, [6]), ({63}, 64, [-(2**63)]), ({0, 64}, 65, [1, 1]), (set(), 70, [0, 0])],
)
def test_a_set_has_words_of_64_bits(messages: set[int], size: int, words: list[int]) -> None:
    """As many as the batch needs, each a signed number."""
    assert words_of(messages, size) == words


@given(st.sets(st.integers(0, 199)), st.integers(0, 4))
def test_a_set_holds_what_was_put_in(messages: set[int], more: int) -> None:
    """Also when it is longer than the batch; what it does not reach is not in it."""
    words = [*words_of(messages, 200), *[0] * more]

    assert {message for message in range(300) if holds(words, message)} == messages
    assert outside(words, range(200)) == frozenset(range(200)) - messages
