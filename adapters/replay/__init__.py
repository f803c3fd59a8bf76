"""The requests of a scenario that deviates, sent again without Fencepost: Kafka's only.

`conversation` pairs what a run kept with a play of the same scenario on the reference and finds the answer that decided, `bindings` finds
where each value of a request comes from, `script` writes the program, `runtime` is the part of it that is the same in every script,
`frames_text` writes the frames, `making` is how others ask for these, and `played_again` is a recording that `fencepost verify` plays.
"""
