"""The protocols' own messages as values: built, encoded, decoded, shown.

Both sides use this package, the probes that send requests and the reference that answers, so it knows bytes and fields and no rule.
May be imported from anywhere; imports no other top package.
"""
