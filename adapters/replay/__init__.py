"""The requests of a red scenario, sent again without Fencepost.

`conversation` pairs what a run kept with a play of the same scenario on the reference and finds the answer that decided; `bindings` finds
the source of each value of a request; `script` writes the program; `runtime` is the part that is the same in every script; `frames_text`
writes the frames; modules that begin with `pulsar_` do the same for Pulsar; `replay_programs` is what other packages call; and
`played_again` is a recording that `fencepost verify` plays.
"""
