"""Which pass of the log cleaner a sentence waits for."""

from contextlib import closing
from dataclasses import replace
from typing import cast

from fencepost.adapters import registry
from fencepost.adapters.kafka.kafka_session import KafkaSession
from fencepost.adapters.kafka.kafka_values import IsolationLevel
from fencepost.contract.evidence import Evidence
from fencepost.contract.registration import SpecifiedSystem
from fencepost.steps.kafka.kafka_context import KafkaContext
from fencepost.steps.kip890 import compaction
from fencepost.wire.kafka.batches import Record


def test_an_earlier_pass_is_not_taken_for_the_one_that_is_asked_for() -> None:
    """The cleaner passes when it wants, also right after a segment has begun: what was written after that is still there."""
    with closing(registry.build(registry.REFERENCE, SpecifiedSystem())["kafka"]) as system:
        system.open()
        with closing(cast(KafkaSession, system.session("a pass"))) as session:
            context, passes = KafkaContext(session, Evidence()), compaction.passes()
            compaction.a_compacted_topic(context, passes, "ledger", "for no time")
            compaction.has_begun_a_segment(context, passes, "ledger-0")
            (where,) = passes.partitions
            seen = list(passes.partitions[where].looks())
            for value in ("old", "new"):
                batch = context.observer.batch_of([value], transactional=False)
                record = Record(value.encode(), b"x", batch.records[0].timestamp)
                context.observer.produce_one_batch(where, replace(batch, records=(record,)), transactional_id=None)

            compaction.is_compacted(context, passes, "ledger-0", None)

            left = context.read(where, IsolationLevel.READ_COMMITTED)
            assert len(seen) > 1
            assert (left.offset_of("old"), left.offset_of("new") is None) == (None, False)
