"""The names of scalable topics and segments, their keys in the metadata store, and the profiles."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis.strategies import integers, text, tuples

from fencepost.reference.kernel.profiles import ProfileError
from fencepost.reference.pulsar.server_errors import CommandRefused, ServerError
from fencepost.reference.scalable import paths
from fencepost.reference.scalable.layout import HashRange, Segment
from fencepost.reference.scalable.names import SegmentName, is_segment, parse_segment, resolved, segment_topic
from fencepost.reference.scalable.scalable_profile import ScalableProfile

TOPIC = "topic://public/default/orders"


@given(tuples(integers(0, 0xFFFF), integers(0, 0xFFFF)).map(sorted), integers(0, 10**15))
def test_the_name_of_a_segment_says_what_it_is(bounds: list[int], number: int) -> None:
    """Its topic, its hashes and its number."""
    hashes = HashRange(*bounds)
    name = segment_topic(TOPIC, Segment(number, hashes))
    assert parse_segment(name) == SegmentName(TOPIC, hashes, number)
    assert resolved(name) == TOPIC


def test_a_segment_has_four_digits_for_each_hash() -> None:
    """In lower case, and its number without leading zeros."""
    assert segment_topic(TOPIC, Segment(12, HashRange(0, 0x7FFF))) == "segment://public/default/orders/0000-7fff-12"


@pytest.mark.parametrize(
    "name",
    [
        "segment://public/default/orders/0000-7FFF-1",
        "segment://public/default/orders/0-7fff-1",
        "segment://public/default/orders/00000-7fff-1",
        "segment://public/default/orders/0000-7fff",
        "segment://public/default/orders/0000-7fff-",
        "segment://public/default/orders/0000-7fff--1",
        "segment://public/default/orders/0000-7fff-01",
        "segment://public/default/orders/0000-7fff-1 ",
        "segment://public/default/orders/0000-7fff-1\n",
        "segment://public/default/orders/0000-7fff-\u0661",
        "segment://public/default/orders/7fff-0000-1",
        "segment://public/default/orders/0000-7fff-" + "1" * 5_000,
        "segment://public/default/0000-7fff-1",
        "segment://public/default/more/orders/0000-7fff-1",
        "segment:///default/orders/0000-7fff-1",
        "topic://public/default/orders/0000-7fff-1",
        "public/default/orders/0000-7fff-1",
        TOPIC,
        "",
    ],
)
def test_what_is_no_name_of_a_segment_is_refused(name: str) -> None:
    """Each segment has one name, so that none has two."""
    assert not is_segment(name)
    with pytest.raises(CommandRefused, match="is no segment; expected segment://TENANT/NAMESPACE/NAME/FIRST-LAST-NUMBER") as refused:
        parse_segment(name)
    assert refused.value.error is ServerError.INVALID_TOPIC_NAME


@pytest.mark.parametrize(
    "name",
    [TOPIC, "persistent://public/default/orders", "public/default/orders", "orders", "segment://public/default/orders/0000-ffff-0"],
)
def test_a_topic_is_meant_by_any_of_its_names(name: str) -> None:
    """Its own, that of a persistent topic, that of a segment, and short ones."""
    assert resolved(name) == TOPIC


@pytest.mark.parametrize(
    "name",
    [
        "",
        "/",
        "a b",
        "topic://orders",
        "topic://default/orders",
        "topic://public/default/",
        "topic://public/default/orders/more",
        "non-persistent://public/default/orders",
        "segment://public/default/orders/ffff-0000-0",
        "TOPIC://public/default/orders",
    ],
)
def test_what_is_no_name_of_a_topic_is_refused(name: str) -> None:
    """The error names what was expected."""
    with pytest.raises(CommandRefused, match="is no scalable topic; expected topic://TENANT/NAMESPACE/NAME") as refused:
        resolved(name)
    assert refused.value.error is ServerError.INVALID_TOPIC_NAME


@given(text())
def test_any_text_is_a_name_or_is_refused(name: str) -> None:
    """And the result is a name of itself."""
    for understood in (resolved, lambda one: parse_segment(one).topic):
        with suppress(CommandRefused):
            topic = understood(name)
            assert resolved(topic) == topic


def test_each_thing_has_its_place() -> None:
    """Names of topics, subscriptions and consumers may have any character, and never lead to the same key."""
    odd = "topic://public/default/a%b:c"
    assert paths.layout(odd) == "/topics/public/default/a%25b%3Ac"
    assert paths.controller(odd) == "/topics/public/default/a%25b%3Ac/controller"
    assert paths.subscription(odd, "x/consumers/y") == "/topics/public/default/a%25b%3Ac/subscriptions/x%2Fconsumers%2Fy"
    assert paths.consumer(odd, "x", "y/z") == "/topics/public/default/a%25b%3Ac/subscriptions/x/consumers/y%2Fz"
    assert paths.change(odd) == "/topic-changes/public/default/a%25b%3Ac"


# --- profiles -------------------------------------------------------------------------------------------------------------------


def test_the_profiles_differ_where_the_release_differs_from_the_text() -> None:
    """Eleven times; both merge two neighbours and use the high half of a key's hash."""
    assert set(ScalableProfile.names()) == {"seed", "pulsar-5.0"}
    text, release = (ScalableProfile.load(name).model_dump() for name in ("seed", "pulsar-5.0"))
    assert {key for key in text if text[key] != release[key]} - {"name", "imitates"} == {
        "remainder",
        "inherited_subscriptions",
        "old_clients",
        "impossible_names",
        "subscriptions_reported",
        "sealed_writes",
        "sealed_segments",
        "pushed_epochs",
        "refused_change",
        "children_wait_for",
        "repeated_messages",
    }
    assert (text["merge"], text["merged_at_once"], text["segment_hash"]) == ("adjacent", 2, "high")
    assert (text["sealed_retention_ms"], text["grace_period_ms"]) == (60_000, 60_000)


def test_a_profile_that_there_is_not_is_reported() -> None:
    """With the known ones."""
    with pytest.raises(ProfileError, match=r"pulsar-5\.0"):
        ScalableProfile.load("pulsar-9")
