"""What every proposal about Kafka's transactions can say: producers, their requests, faults, and what clients can observe of them.

`vocabulary` has the types of values, `kafka_context` the state of a scenario, `requests` how a request meets the faults that were armed
for it. The sentences are grouped by theme.
"""
