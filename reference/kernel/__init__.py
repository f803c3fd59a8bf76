"""What every reference broker stands on: a clock, a disk, a network and crash points, all deterministic and without threads.

Nothing here knows a protocol. A broker gets these four as one `Machine`, and tells with `rule` which requirement a branch fulfils.
"""
