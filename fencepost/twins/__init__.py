"""Twins: scenarios that are played again with a disturbance that no client may notice in its results.

`disturbances` has the disturbances, `allowed_differences` what they may change, `twin` plays and compares, `twin_run` is the command.
"""
