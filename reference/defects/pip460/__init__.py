"""Defects of scalable topics and of what changes their layouts. PIP-460 and PIP-468."""
