"""The sentences of PIP-31."""
