"""What performs the disturbances of `fixtures/disturbances.yaml` on a session, by their names.

A disturbance that needs only faults is performed alike on every protocol; one that changes requests on their way has code for each.
"""
