"""The classes that perform the disturbances of `fixtures/disturbances.yaml` on a session, by the names of the disturbances.

A disturbance that needs only faults has one class for every protocol; one that changes requests in flight has a class for each protocol.
"""
