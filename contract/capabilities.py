"""What a scenario may need of a system, by the names of its `@needs:` tags."""

CAPABILITIES = {
    "crash": "the system can be killed at any moment and started again",
    "crash-points": "the system can be made to lose its power at a point of its own code: when it has decided, when it has told one log",
    "two-nodes": "coordinator and leader are on different nodes, and the leader's can be paused",
    "hold-markers": "a transaction may be left undecided for ever, so the system is thrown away afterwards",
    "authorizer": "users log in, and may do only what they were given a right to",
    "aged-ids": "transactional ids can be brought near their last epoch in time, by tens of thousands of requests each",
    "verification-off": "leaders take an old client's batches without asking whether they are in a transaction",
    "feature-levels": "the levels of features may be changed, so the system is thrown away after the scenario",
    "short-expiry": "transactional ids, and what partitions know of producers, expire soon after they were last used",
    "wire-faults": "on the way between the suite and the system, a request or an answer can be lost, delayed or doubled",
    "sidecar-buffer": "messages of an open transaction stand in a log beside the topic, as PIP-31's sidecar approach has it",
    "more-coordinators": "transaction coordinators may be added, so the system is thrown away after the scenario",
    "virtual-time": "the system's clock is virtual, so waiting takes no time",
    "transactions-v2": "the system offers the requests of KIP-890's second part: Produce v12, TxnOffsetCommit v5, EndTxn v5",
}
"""Every capability that a scenario may need with `@needs:...`, and what it means."""
