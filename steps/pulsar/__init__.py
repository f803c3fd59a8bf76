"""The sentences that every Pulsar proposal speaks: topics, transactions, subscriptions, crashes, and what readers and consumers get.

`vocabulary` has the types of their values, `context` what a scenario knows; it stands on `transactions`, `topics`, `subscriptions` and
`participants`. Nobody waits a while for a decision: what was ended is awaited at the coordinator, and what nobody gets is shown by a
sentinel, or, where an open transaction holds up every reader, by the position up to which anybody may read.
"""
