"""Defects of scalable topics and of the changes of their layouts: PIP-460 and PIP-468."""
