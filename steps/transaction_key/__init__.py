"""The transaction key's own sentences: tasks that connect with a key, what they are granted, and what happens to earlier owners of the key.

For all else the shared Pulsar sentences are used. Their clients, which send, acknowledge and end, have no key: a fenced transaction is
fenced over every connection, so over theirs too.
"""
