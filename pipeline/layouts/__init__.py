"""The layout of a scalable topic over time, as a picture: segments over the hashes of keys, seals, transactions, writes and reads.

`story` reads that from a history, and `layout_picture` draws it. Nothing of Spark is imported here, so that a report can draw as well as a
check.
"""
