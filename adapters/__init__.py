"""Driving a system under test, and the systems that are known.

Steps use the ports of `contract` and a protocol's probe and values. Only the modules `reference_*` and the in-process transports may import
the reference; everything else here can judge any implementation.
"""
