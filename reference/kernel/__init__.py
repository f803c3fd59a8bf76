"""What every reference broker stands on: a clock, a disk, a network and crash points, all deterministic and without threads.

`broker` is the life that they all lead, node by node, and `profiles` reads where releases differ.

Nothing here knows a protocol. A broker gets these four as one `Machine`, and says with `rule` which requirement a branch fulfils.
"""
