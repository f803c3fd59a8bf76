"""Twins: scenarios that are played again with a disturbance that no client may notice in what it asked about.

`disturbances` has what may be done, `exceptions` what that may lawfully change, `twin` plays and compares, `run` is the command.
"""
