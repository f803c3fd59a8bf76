"""The places of metadata-driven transactions at which a scenario can crash a node, and what is true there."""

CRASH_POINTS = {
    "after-header-create": "a transaction has its header, and nothing was answered",
    "after-op-record": "an operation record is in the store, and neither the message nor the acknowledgement is in force",
    "after-append": "a message is in the segment and has its operation record, and its producer has no receipt",
    "before-header-cas": "an end was asked for and is allowed, and nothing of it is durable",
    "after-header-cas": "the decision is in the header, nothing was answered, and no participant was notified",
    "after-event": "every participant has its event, and nothing was answered",
    "after-cursor-apply": "a subscription has done what the end asks of it, and its operation records are still there",
    "before-op-delete": "a participant has applied the end and noted that, and its operation records are still there",
    "during-collection": "a header is about to be deleted by the collection",
}
