"""The executable reference implementation: the specifications in code, written to be read.

Nothing here knows adapters, steps or pytest; it is driven through the protocols' own messages.
"""
