"""The places at which a scenario can crash the coordinator of a transaction key, and what is true there."""

CRASH_POINTS = {
    "after-epoch-persisted": "a connection's epoch is durable with what it fences, and nothing else was done",
    "before-abort": "the previous connection of the key is closed, and its transaction is open",
    "after-abort": "the abort of the previous connection's transaction is decided, and no client was answered",
    "after-answer": "the answer with the epoch is on its way",
}
