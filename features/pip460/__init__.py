"""PIP-460, scalable topics of Apache Pulsar."""
