"""What a scenario may need of a system, by the names of its `@needs:` tags."""

CAPABILITIES = {
    "crash": "the system can be killed at any moment and restarted",
    "clean-stop": "an operator can stop the system cleanly, so that it can store its state, and restart it",
    "reload": "a log can be unloaded, and reloaded from what is stored",
    "crash-points": "the system can lose its power at a named point of its code, such as after a decision",
    "doubled-answers": "a partition's answer to a marker can reach the coordinator twice, the second time late",
    "failed-appends": "one append to the transaction log or to the log of groups' offsets can be refused, and the next one accepted",
    "two-nodes": "coordinator and leader are on different nodes, and the leader's node can be paused",
    "hold-markers": "a transaction may stay undecided for ever, so the system is thrown away afterwards",
    "authorizer": "users log in, and may do only what they have a right to",
    "aged-ids": "transactional ids can be brought near their last epoch in a short time",
    "known-limits": "the broker's configuration is known: transaction.max.timeout.ms is 900000, and there is no authorizer",
    "verification-off": "leaders accept an old client's batches without a check that their transaction is open",
    "feature-levels": "feature levels can be changed; the next scenario gets the levels restored, or another system",
    "short-expiry": "transactional ids and producer state expire soon after their last use",
    "compaction": "the log cleaner compacts topics soon after there is something to clean: log.cleaner.backoff.ms is short",
    "wire-faults": "a request or an answer between Fencepost and the system can be lost, delayed or doubled",
    "sidecar-buffer": "messages of an open transaction are in a separate log next to the topic, as in PIP-31's sidecar approach",
    "held-ends": "the end of a transaction can be delayed: one participant, such as a terminated topic of Pulsar, does not answer",
    "late-ends": "participants can be made to learn late how a transaction ended",
    "node-messages": "what coordinators and participants send each other can be lost, delayed or repeated",
    "participant-ends": "a client can notify a participant how a transaction ended, as coordinators do: Pulsar's END_TXN_ON_PARTITION",
    "buffer-statistics": "Pulsar's admin API v3 reports what transactions have pending in a topic or a subscription",
    "batch-index-acknowledgement": "the messages of a batch can be acknowledged one by one, for which Pulsar's brokers have a setting",
    "sealing": "a log can be sealed while transactions are open in it, and stays readable: scalable topics of Pulsar",
    "more-brokers": "the system has several brokers, and one can be ended while the others continue",
    "more-coordinators": "transaction coordinators can be added; they stay, so a scenario relies only on those that it has requested",
    "metadata-store": "transaction headers and operation records in the metadata store can be read",
    "metadata-indexes": "the secondary indexes of the metadata store and the partition keys of its records can be read",
    "store-faults": "a write to the metadata store can fail, its events can be lost, late or doubled, and a broker's session can expire",
    "plain-store": "the metadata store has no sequence keys and no secondary indexes",
    "short-retention": "headers of ended transactions are removed a few seconds after the end",
    "entry-counts": "the entries of a log on the system's disk can be counted, with its markers",
    "own-broker": "no other client begins transactions on the broker",
    "virtual-time": "the system's clock is virtual, so waiting takes no time",
    "transaction-keys": "a client can give its transaction coordinator a key, which fences the previous client with that key",
    "principals": "clients name their user when they connect, and the system distinguishes the users",
    "key-topic-faults": "the topic in which coordinators keep transaction keys can fail, be damaged and be compacted",
    "transactions-v2": "the system offers the requests of KIP-890's second part: Produce v12, TxnOffsetCommit v5, EndTxn v5",
}
"""Every capability that a scenario may need with `@needs:...`, and what it means."""

ALONE = "alone"
"""The tag `@alone` of a scenario whose observation is about all that is open on the system, such as how far a coordinator's low watermark
has advanced: nothing else may be in flight there.
"""

DISTURBING = frozenset(
    {"clean-stop", "crash", "crash-points", "doubled-answers", "feature-levels", "key-topic-faults", "more-brokers", "more-coordinators"}
    | {"own-broker", "reload", "store-faults", "two-nodes", "virtual-time"}
)
"""The capabilities whose scenarios disturb others on the same broker."""
