"""Kafka on the wire: entities by API and version, frames, and record batches of magic 2."""
