"""Driving a system under test: what one may offer (`ports`), and the systems that are known.

Steps use `ports` and a protocol's probe and values. Only `reference.py` and the in-process transports may import the
reference; everything else here would judge any implementation.
"""
