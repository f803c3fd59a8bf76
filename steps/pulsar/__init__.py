"""The sentences that all Pulsar proposals share: topics, transactions, subscriptions, crashes, and what readers and consumers get.

`vocabulary` has the types of their values, `pulsar_context` the state of a scenario, which consists of `transactions`, `topics`,
`subscriptions` and `participants`. No step waits a fixed time for a decision: an end is awaited at the coordinator, and a sentinel shows
that a message is not delivered, or, where an open transaction blocks every reader, the position up to which the broker lets readers read.
"""
