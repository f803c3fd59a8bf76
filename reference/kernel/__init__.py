"""What every reference broker uses: a clock, a disk, a network and crash points, all deterministic and without threads.

`reference_broker` is the life that they all have, node by node, and `profiles` reads where releases differ.

Nothing here knows a protocol. A broker gets these four as one `Machine`, and reports with `rule` which requirement a branch fulfils.
"""
