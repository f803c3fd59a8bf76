"""Crashes at the points of a connect, ends that participants learn of late, and faults of the topic in which coordinators keep keys."""

from fencepost.contract.ports import DisturbsMessages, KeyTopicFaults, PassesTime
from fencepost.steps.pulsar.pulsar_context import PulsarContext

from .vocabulary import KEYS

_SECOND_MS = 1000
_MINUTE_MS = 60 * 1000
_HOW_LATE_MS = {None: _SECOND_MS, "two minutes": 2 * _MINUTE_MS}
_RECORDS = {
    "has an empty record": b"",
    "has half a record": b"\x08",
    "has a record of another version": b"\xff\xff\xff\xff\xff\xff\xff\xff",
}


@KEYS.when("a minute passes")
def minute_passes(context: PulsarContext) -> None:
    """Longer than clients wait for an answer."""
    _let_pass(context, _MINUTE_MS)


@KEYS.given("participants hear[ {how_late}] late of ends")
def hear_late(context: PulsarContext, how_late: str | None) -> None:
    """From now on, and after a crash too, topics and subscriptions follow an end about a second after it was decided, or as much later as
    the sentence names.
    """
    faults = context.session.faults
    assert isinstance(faults, DisturbsMessages), "the faults of a system that offers late-ends"
    faults.delay_messages(_HOW_LATE_MS[how_late])


@KEYS.given("the key topic {trouble}")
def key_topic_has_trouble(context: PulsarContext, trouble: str) -> None:
    """It shows only when a coordinator writes to its key topic, or reads that from the beginning, as after a crash."""
    faults = _faults(context)
    if trouble in _RECORDS:
        faults.damage_key_topic(_RECORDS[trouble])
    elif trouble == "has been compacted":
        faults.compact_key_topic()
    else:
        faults.fail_key_topic()


@KEYS.then("operators are notified of {count} records that cannot be read")
def is_notified_of_records(context: PulsarContext, count: int) -> None:
    """At least so many, in the key topics, reported by the brokers that have read them. The content of a record that is skipped silently is
    not examined.
    """
    found = _faults(context).unreadable_key_records()
    context.evidence.expect(found >= count, f"at least {count}", str(found), what="records that were named")


def _let_pass(context: PulsarContext, ms: int) -> None:
    time = context.session.time
    assert isinstance(time, PassesTime), "the time of a system that offers virtual-time"
    time.let_pass(ms)


def _faults(context: PulsarContext) -> KeyTopicFaults:
    faults = context.session.faults
    assert isinstance(faults, KeyTopicFaults), "the faults of a system that offers key-topic-faults"
    return faults
