"""Sentences: each step turns words into one call on a probe, or judges one observation.

No protocol and no waiting loops here; those are the probe's. Uses `adapters.ports`, a protocol's values and probe, and
`evidence` from the front door.
"""
