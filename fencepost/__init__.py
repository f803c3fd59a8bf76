"""Fencepost: the conformance suite and executable reference for streaming transactions."""

from fencepost.contract import version

__all__ = ["__version__"]

__version__ = version.VERSION
