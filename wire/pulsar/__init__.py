"""Pulsar on the wire: commands (`messages.proto`), frames with their payloads, batches, and the calls of the admin interface."""
