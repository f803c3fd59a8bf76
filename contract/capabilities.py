"""What a scenario may need of a system, by the names of its `@needs:` tags."""

CAPABILITIES = {
    "crash": "the system can be killed at any moment and started again",
    "clean-stop": "the system can be stopped as its operator does, so that it may put down what it knows, and started again",
    "reload": "a log can be taken off its node and served again from what is stored",
    "crash-points": "the system can be made to lose its power at a point of its code: when it has decided, when it has notified one log",
    "doubled-answers": "what a partition answers to a marker can come to the coordinator twice, the second time late",
    "failed-appends": "one append to the transaction log, or to that of groups' offsets, can be refused, and the next one be taken again",
    "two-nodes": "coordinator and leader are on different nodes, and the leader's can be paused",
    "hold-markers": "a transaction may be left undecided for ever, so the system is thrown away afterwards",
    "authorizer": "users log in, and may do only what they were given a right to",
    "aged-ids": "transactional ids can be brought near their last epoch in time",
    "known-limits": "what a broker's configuration sets is known: transaction.max.timeout.ms is 900000, and there is no authorizer",
    "verification-off": "leaders take an old client's batches without asking whether they are in a transaction",
    "feature-levels": "the levels of features may be changed; the next scenario finds them as they were, or another system",
    "short-expiry": "transactional ids, and what partitions know of producers, expire soon after they were last used",
    "compaction": "the log cleaner passes over compacted topics soon after there is something to clean: log.cleaner.backoff.ms is short",
    "wire-faults": "on the way between the suite and the system, a request or an answer can be lost, delayed or doubled",
    "sidecar-buffer": "messages of an open transaction are in a separate log next to the topic, as PIP-31's sidecar approach has it",
    "held-ends": "the end of a transaction can be held up and let go: one participant does not answer, as a terminated topic of Pulsar",
    "late-ends": "those who take part in transactions can be made to hear late how one ended",
    "participant-ends": "a client may notify a participant how a transaction ended, as coordinators do: Pulsar's END_TXN_ON_PARTITION",
    "buffer-statistics": "what a topic or a subscription has pending of transactions can be asked for, in Pulsar's admin API v3",
    "batch-index-acknowledgement": "messages of one batch are acknowledged one by one, which Pulsar's brokers may be set to do",
    "sealing": "a log can be made to take no more writes, while transactions are open there, and stays readable: scalable topics of Pulsar",
    "more-brokers": "the system is of several brokers, of which one can be ended while the others go on",
    "more-coordinators": "transaction coordinators may be added; they stay, so a scenario counts on no more than it asked for",
    "metadata-store": "headers and operation records of transactions can be looked at in the metadata store",
    "metadata-indexes": "the secondary indexes of the metadata store can be looked at, and the partition keys of its records",
    "store-faults": "a write to the metadata store can fail, an event of it be lost, late or doubled, a broker's session expire",
    "plain-store": "the metadata store has no sequence keys and no secondary indexes",
    "short-retention": "headers of transactions that have ended are collected a few seconds after the end",
    "entry-counts": "the entries of a log can be counted on the system's disk, markers among them",
    "own-broker": "only the scenario begins transactions there",
    "virtual-time": "the system's clock is virtual, so waiting takes no time",
    "transaction-keys": "a client may name a key to its transaction coordinator, which fences the client that had that key before",
    "principals": "clients say who they are when they connect, and are distinguished by it",
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
