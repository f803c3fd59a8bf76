"""The core's defects, for each protocol."""
