"""The core's vocabulary: the sentences about every transactional log.

`vocabulary` has the types of values, `context` the state of a scenario, `setting` its logs and writers, `transactions` what writers do in
transactions, `late` what is sent late or twice, `racing` concurrent requests, `processing` input that becomes output, `faults` what happens
to the system, and `observations` what is judged.
"""
