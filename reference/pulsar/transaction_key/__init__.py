"""The transaction key: fencing for Pulsar's transactions, on coordinators of every kind.

`coordinator_keys` is the coordinator's side, `key_topic` what survives a crash, `node_keys` what one node has of both. No release has the
proposal; docs/transaction-key-design.md says how each of its gaps is decided.
"""
