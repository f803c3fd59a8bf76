"""Fencepost: the conformance suite and executable reference for streaming transactions."""

__version__ = "0.1.0"
