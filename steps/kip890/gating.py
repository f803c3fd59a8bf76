"""What a broker says that it offers, and what it does with a version that it does not offer."""

from pytest_bdd import given, parsers, then, when

from fencepost.adapters.kafka.probe import Offer
from fencepost.contract.errors import NotOffered
from fencepost.contract.evidence import Violation
from fencepost.contract.outcomes import Done, Unknown
from fencepost.steps.outcomes import achieved

from .answers import answer_of, told
from .world import World

_FEATURE = "transaction.version"
_NEWEST = 4


@given(parsers.parse("a broker at transaction.version {level:d} or above"))
def a_broker_at(world: World, level: int) -> None:
    """ApiVersions v4 tells that this level or a higher one is finalized; a broker at a lower one is not asked."""
    found = achieved(world.observer.api_versions(_NEWEST), "asking for the features").finalized.get(_FEATURE, 0)
    if found < level:
        raise NotOffered(f"{_FEATURE} {level}: the broker has finalized {found}")


@when(parsers.parse("a client asks for the features in ApiVersions v{version:d}"))
def asks_for_features(world: World, version: int) -> None:
    """ApiVersions of that version."""
    world.note()
    world.ask(None, world.observer.api_versions(version))


@when(parsers.re(r"(?P<name>\w+) initialises in a version that the broker does not offer"))
def initialises_in_a_strange_version(world: World, name: str) -> None:
    """InitProducerId in a well-formed version beyond those that ApiVersions lists, for the producer's transactional id."""
    producer = world.turn_of(name)
    world.ask(producer, producer.probe.init_producer_id_unoffered(producer.transactional_id))


@then(parsers.parse("transaction.version is finalized at level {level:d} or above"))
def is_finalized(world: World, level: int) -> None:
    """The answer lists the feature among the finalized ones, with this level or a higher one."""
    found = _offer(world).finalized.get(_FEATURE)
    world.evidence.expect(found is not None and found >= level, f"{_FEATURE} finalized at {level} or above", str(found))


@then(parsers.parse("transaction.version is supported up to level {level:d} or above"))
def is_supported(world: World, level: int) -> None:
    """The answer lists the feature among the supported ones, with this highest level or a higher one."""
    found = _offer(world).supported.get(_FEATURE)
    world.evidence.expect(found is not None and found.highest >= level, f"{_FEATURE} supported up to {level} or above", str(found))


@then("Produce v12, TxnOffsetCommit v5 and EndTxn v5 are advertised")
def new_requests_are_advertised(world: World) -> None:
    """Each of these is within the range of versions that the answer lists for its API."""
    offer = _offer(world)
    due = {"produce": 12, "txn_offset_commit": 5, "end_txn": 5}
    world.evidence.expect(
        all(offer.has(api, version) for api, version in due.items()),
        "Produce v12, TxnOffsetCommit v5 and EndTxn v5 to be advertised",
        ", ".join(offer.told(api) for api in due),
    )


@then("the connection is closed without an answer")
def the_connection_is_closed(world: World) -> None:
    """The broker ended the connection on which the request came; a broker that only stays silent has not."""
    match world.answer:
        case Unknown(lost=True) as unknown:
            world.evidence.saw(f"the connection closed without an answer: {unknown.reason}")
        case _:
            raise Violation("the connection closed without an answer", told(answer_of(world)))


def _offer(world: World) -> Offer:
    match answer_of(world):
        case Done(Offer() as offer):
            return offer
        case other:
            raise Violation("an answer to ApiVersions", told(other))
