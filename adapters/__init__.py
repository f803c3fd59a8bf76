"""Driving a system under test, and the systems that are known.

Steps use the ports of `contract` and a protocol's probe and values. Only the modules of this folder itself import the reference, such as
`reference_kafka`; the packages in it can judge any implementation.
"""
