"""The transaction key's own sentences: tasks that connect with a key, what they are given, and what becomes of those who had it before.

All else it says in the words that the Pulsar proposals share. Who sends, acknowledges and ends there has no key: for whom a transaction is
fenced, it is fenced over every connection, and so is the one that these use.
"""
