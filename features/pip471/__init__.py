"""PIP-31, transactions in Apache Pulsar."""
