"""The places at which a scenario can crash the broker, and what is true there."""

CRASH_POINTS = {
    "after-partition-added": "the coordinator has logged that a partition is in the transaction, and nothing is in the partition",
    "after-data-appended": "a batch is in the log of its partition, and its producer has no answer",
    "before-decision-logged": "the end of a transaction was asked for and is allowed, and nothing of it is durable",
    "after-decision-logged": "the decision is durable, no client has an answer, and no marker was sent",
    "after-marker-written": "a marker is in the log of one partition, and the coordinator has no answer",
    "before-complete-logged": "every partition has its marker, and the transaction log does not know",
}
