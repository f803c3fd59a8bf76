"""The places at which a scenario can crash the broker, and what is true there."""

CRASH_POINTS = {
    "after-open-logged": "a transaction is in the log, and nothing was answered",
    "after-partition-added": "the coordinator has logged that a partition takes part, and nothing is in the partition",
    "after-message-stored": "a message is stored, and its producer has no receipt",
    "before-decision-logged": "the end of a transaction was asked for and is allowed, and nothing of it is durable",
    "after-decision-logged": "the decision is durable, nothing was answered, and no participant knows of it",
    "before-acknowledgement-ended": "a subscription has done what the end asks of it, and what was pending there still is in its journal",
    "after-marker-written": "one topic or subscription holds the end of the transaction, and the coordinator has no answer",
    "before-complete-logged": "every participant has done its part, and the transaction log does not know",
}
