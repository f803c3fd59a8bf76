"""Defects of the transaction key. Each is tried on both coordinators."""
