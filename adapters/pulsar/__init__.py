"""Pulsar as a system: the probe with its transports, the admin interface, and containers."""
