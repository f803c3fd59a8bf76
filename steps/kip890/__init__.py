"""The sentences that only KIP-890 uses, in addition to Kafka's vocabulary."""
