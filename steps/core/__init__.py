"""The core's vocabulary: what is said of every transactional log.

`vocabulary` has the types of values, `context` what a scenario knows, `setting` its logs and writers, `transactions` what is done in
them, `late` what comes late or twice, `racing` what is under way at once, `processing` input that becomes output, `faults` what happens
to the system, and `observations` what is judged.
"""
