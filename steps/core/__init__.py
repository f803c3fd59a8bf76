"""The core's vocabulary: the sentences about every transactional log.

`vocabulary` has the types of values, `core_context` the state of a scenario, `setting` its logs and writers, `writer_transactions` what
writers do in transactions, `late` what is sent late or twice, `concurrent_requests` concurrent requests, `processing` input that becomes
output, `core_crashes` what happens to the system, and `observations` what is judged.
"""
