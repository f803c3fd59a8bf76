"""The transaction key: fencing for transactions in Apache Pulsar."""
