"""Crashes at the points of a connect, ends that are heard of late, and what befalls the topic in which coordinators keep keys."""

from fencepost.contract.ports import DelaysEnds, KeyTopicFaults
from fencepost.steps.pulsar.context import ScenarioContext

from .vocabulary import KEYS

_RECORDS = {
    "has an empty record": b"",
    "has half a record": b"\x08",
    "has a record of another version": b"\xff\xff\xff\xff\xff\xff\xff\xff",
}

COME_BACK = KEYS.act(
    given="the system has come back",
    when="the system comes back",
    meaning="It has crashed at the point that was named, or does so now, and starts with what was durable.",
)


@KEYS.given("the system will crash {point}")
def will_crash(context: ScenarioContext, point: str) -> None:
    """A power cut when a coordinator comes to that point of a connect with a key the next time."""
    context.session.faults.crash_at(point)


@COME_BACK.given
@COME_BACK.when
def comes_back(context: ScenarioContext) -> None:
    context.session.faults.restart()


@KEYS.given("participants hear late of ends")
def hear_late(context: ScenarioContext) -> None:
    """From now on, and also behind a crash, topics and subscriptions follow an end about a second after it was decided."""
    faults = context.session.faults
    assert isinstance(faults, DelaysEnds), "the faults of a system that offers late-ends"
    faults.delay_ends()


@KEYS.given("the key topic {trouble}")
def key_topic_has_trouble(context: ScenarioContext, trouble: str) -> None:
    """Nothing of it shows before a coordinator writes to its key topic, or reads that from the beginning, as after a crash."""
    faults = _faults(context)
    if trouble in _RECORDS:
        faults.damage_key_topic(_RECORDS[trouble])
    elif trouble == "has been compacted":
        faults.compact_key_topic()
    else:
        faults.fail_key_topic()


@KEYS.then("whoever runs the system is told of {count} records that cannot be read")
def is_told_of_records(context: ScenarioContext, count: int) -> None:
    """At least so many, in the key topics, by whoever has read them. Nobody looks for what was in one that is passed over in silence."""
    found = _faults(context).unreadable_key_records()
    context.evidence.expect(found >= count, f"at least {count}", str(found), what="records that were named")


def _faults(context: ScenarioContext) -> KeyTopicFaults:
    faults = context.session.faults
    assert isinstance(faults, KeyTopicFaults), "the faults of a system that offers key-topic-faults"
    return faults
