"""The offsets of consumer groups as part of a transaction: AddOffsetsToTxn, TxnOffsetCommit, and what OffsetFetch tells."""

from collections.abc import Mapping

from pytest_bdd import given, parsers, then, when

from fencepost.adapters.kafka.probe import PartitionResults
from fencepost.adapters.kafka.values import CommittedOffset, ProducerIdAndEpoch, TopicPartition
from fencepost.contract.outcomes import Done, Outcome, Refused, Unknown
from fencepost.steps.outcomes import achieved, observed, unanswered

from .adding import CLAIM, PARTITIONS, claimed, partitions_of
from .world import Producer, World

_OFFSETS_TOPIC = "__consumer_offsets"
_TOO_LARGE = "x" * 4_097
"""Metadata of more bytes than a broker stores by default (`offset.metadata.max.bytes`)."""

_STRANGER = (1, "a stranger")
"""A generation and a member id that no group has given out."""


@given(parsers.parse('the offsets of group "{group}" are in the transaction of {name:w}'))
def offsets_are_in_the_transaction(world: World, group: str, name: str) -> None:
    """AddOffsetsToTxn v3, as an old client does before it sends offsets."""
    producer = world.producer(name)
    outcome = producer.probe.add_offsets(producer.transactional_id, producer.pair, world.session.unique(group))
    achieved(outcome, f"announcing the offsets of {group}")


@given(
    parsers.re(
        r'(?P<name>\w+) has sent offset (?P<offset>\d+) of (?P<partition>\S+) for group "(?P<group>[^"]*)"(?: noting "(?P<note>[^"]*)")?'
    )
)
def has_sent_offset(world: World, name: str, offset: str, partition: str, group: str, note: str | None) -> None:
    """TxnOffsetCommit v5 in the producer's transaction, with a note as the offset's metadata where one is named."""
    producer = world.producer(name)
    entry = {world.partition(partition): CommittedOffset(int(offset), note)}
    results = achieved(_send(world, producer, group, entry), f"sending an offset for {group}")
    for result in results.values():
        achieved(result, f"sending offset {offset} of {partition} for {group}")


@when(parsers.re(r'(?P<name>\w+) announces the offsets of group "(?P<group>[^"]*)"'))
def announces_offsets(world: World, name: str, group: str) -> None:
    """AddOffsetsToTxn v3."""
    producer = world.turn_of(name)
    answer = producer.probe.add_offsets(
        producer.transactional_id, producer.pair, world.session.unique(group), retry=not producer.is_held_back
    )
    world.ask(producer, answer)


@when(
    parsers.re(
        rf'(?P<name>\w+) sends offset (?P<offset>\d+) of (?P<partitions>{PARTITIONS}) for group "(?P<group>[^"]*)"'
        rf"(?: (?:{CLAIM}))?(?: in TxnOffsetCommit v(?P<version>\d+))?"
    )
)
def sends_offset(
    world: World,
    name: str,
    offset: str,
    partitions: str,
    group: str,
    epoch: str | None,
    other: str | None,
    identifier: str | None,
    version: str | None,
) -> None:
    """TxnOffsetCommit, v5 unless another version is named, by nobody's member; with the producer's identity unless another is named."""
    producer = world.turn_of(name)
    offsets = {partition: CommittedOffset(int(offset)) for partition in partitions_of(world, partitions)}
    claim = claimed(world, producer, epoch, other, identifier)
    world.ask(producer, _send(world, producer, group, offsets, claim=claim, version=int(version or 5)))


@when(
    parsers.re(
        rf'(?P<name>\w+) sends offset (?P<offset>\d+) of (?P<partitions>{PARTITIONS}) for group "(?P<group>[^"]*)"'
        r", noting too much on (?P<noted>\S+)"
    )
)
def sends_offset_with_a_large_note(world: World, name: str, offset: str, partitions: str, group: str, noted: str) -> None:
    """TxnOffsetCommit v5; the metadata of one partition is longer than a broker stores by default."""
    producer = world.turn_of(name)
    offsets = {partition: CommittedOffset(int(offset)) for partition in partitions_of(world, partitions)}
    offsets[world.partition(noted)] = CommittedOffset(int(offset), _TOO_LARGE)
    world.ask(producer, _send(world, producer, group, offsets))


@when(parsers.re(r'(?P<name>\w+) sends offset (?P<offset>\d+) of (?P<partition>\S+) for group "(?P<group>[^"]*)" as a member of it'))
def sends_offset_as_a_member(world: World, name: str, offset: str, partition: str, group: str) -> None:
    """TxnOffsetCommit v5 with a generation and a member id, which that group has never given out."""
    producer = world.turn_of(name)
    entry = {world.partition(partition): CommittedOffset(int(offset))}
    generation, member = _STRANGER
    world.ask(producer, _send(world, producer, group, entry, generation=generation, member=member))


@then("the announcement is accepted")
def the_announcement_is_accepted(world: World) -> None:
    """AddOffsetsToTxn answers no error."""
    match world.answer:
        case Unknown() as unknown:
            unanswered(unknown, "announcing the offsets")
        case answer:
            world.evidence.expect(isinstance(answer, Done), "an accepted announcement", str(answer))


@then(parsers.parse("the transaction of {name:w} covers a group's offsets and nothing else"))
def covers_offsets(world: World, name: str) -> None:
    """DescribeTransactions shows Ongoing with exactly one partition, and that is one of those in which groups keep their offsets."""
    description = world.describe(world.producer(name))
    world.evidence.expect(
        description.state == "Ongoing" and [partition.topic for partition in description.partitions] == [_OFFSETS_TOPIC],
        f"an Ongoing transaction in a partition of {_OFFSETS_TOPIC} and nowhere else",
        f"{description.state} in {', '.join(map(str, sorted(description.partitions))) or 'no partition'}",
    )


@then(parsers.parse("{name:w} has records in every partition of its transaction"))
def has_records_in_every_partition(world: World, name: str) -> None:
    """DescribeProducers of each partition that the coordinator names shows this producer, at its epoch, with a transaction open."""
    producer = world.producer(name)
    partitions = sorted(world.describe(producer).partitions)
    without = [str(partition) for partition in partitions if not _is_open_in(world, producer, partition)]
    world.evidence.expect(
        bool(partitions) and not without,
        f"a transaction of {producer.pair} open in every partition that its coordinator names",
        f"none in {', '.join(without)}" if without else f"one in {', '.join(map(str, partitions)) or 'no partition'}",
    )


@then(
    parsers.re(r'group "(?P<group>[^"]*)" shows (?:offset (?P<offset>\d+)|no offset) of (?P<partition>\S+?)(?:, noting "(?P<note>[^"]*)")?')
)
def group_shows(world: World, group: str, offset: str | None, partition: str, note: str | None) -> None:
    """OffsetFetch, which does not mind what is pending, answers this, once no marker is on its way; the note is its metadata."""
    world.await_markers()
    found = observed(world.observer.committed(world.session.unique(group), world.partition(partition)), f"fetching the offset of {group}")
    told = None if found is None else found.offset
    holds = told == (None if offset is None else int(offset)) and (note is None or (found is not None and found.metadata == note))
    due = "no offset" if offset is None else f"offset {offset}" + ("" if note is None else f" with metadata {note!r}")
    world.evidence.expect(holds, f"{due} of {partition} in group {group}", _shown(found))


@then(parsers.parse('nothing of {partition} is pending in group "{group}"'))
def nothing_is_pending(world: World, partition: str, group: str) -> None:
    """OffsetFetch that wants only what is stable is answered, once no marker is on its way."""
    world.await_markers()
    outcome = _stable(world, group, partition)
    seen = f"offset {outcome}" if isinstance(outcome, Refused) else "nothing pending"
    world.evidence.expect(isinstance(outcome, Done), f"nothing of {partition} pending in group {group}", seen)


@then(parsers.parse('the offset of {partition} is pending in group "{group}"'))
def is_pending(world: World, partition: str, group: str) -> None:
    """OffsetFetch that wants only what is stable is refused with UNSTABLE_OFFSET_COMMIT for this partition."""
    outcome = _stable(world, group, partition)
    world.evidence.expect(
        isinstance(outcome, Refused) and outcome.error == "UNSTABLE_OFFSET_COMMIT",
        f"a refusal with UNSTABLE_OFFSET_COMMIT for {partition} in group {group}",
        f"a refusal with {outcome}" if isinstance(outcome, Refused) else _shown(outcome.value),
    )


def _send(
    world: World,
    producer: Producer,
    group: str,
    offsets: Mapping[TopicPartition, CommittedOffset],
    *,
    claim: tuple[str, ProducerIdAndEpoch] | None = None,
    version: int = 5,
    generation: int | None = None,
    member: str = "",
) -> Outcome[PartitionResults]:
    transactional_id, pair = claim or (producer.transactional_id, producer.pair)
    return producer.probe.commit_each_offset(
        transactional_id,
        pair,
        world.session.unique(group) if group else "",
        offsets,
        generation=generation,
        member=member,
        version=version,
        retry=not producer.is_held_back,
    )


def _stable(world: World, group: str, partition: str) -> Done[CommittedOffset | None] | Refused:
    doing = f"fetching the stable offset of {partition} in {group}"
    match world.observer.committed(world.session.unique(group), world.partition(partition), require_stable=True):
        case Unknown() as unknown:
            return unanswered(unknown, doing)
        case outcome:
            return outcome


def _is_open_in(world: World, producer: Producer, partition: TopicPartition) -> bool:
    active = observed(world.observer.describe_producers(partition), f"describing the producers of {partition}")
    return any(entry.producer == producer.pair and entry.transaction_start >= 0 for entry in active)


def _shown(found: CommittedOffset | None) -> str:
    return "no offset" if found is None else f"offset {found.offset} with metadata {found.metadata!r}"
