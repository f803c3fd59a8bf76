"""Defects of metadata-driven transactions, a module for each feature of `features/pip471`."""
