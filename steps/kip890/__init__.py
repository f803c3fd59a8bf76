"""What only KIP-890 says, beyond Kafka's vocabulary."""
