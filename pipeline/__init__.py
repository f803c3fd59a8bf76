"""Histories in, anomalies out: the checker, which finds what no scenario asked for, on Spark.

The stages are modules: `ingest` reads what recorders wrote, `pairing` makes operations of events and `tables` the tables that the plans
read, `value_rows` and `neighbours` find in one pass each what most plans need, `anomalies` has one function for each anomaly, `verdicts`
counts, `witnesses` describes them in words and `check_page` draws it. `check` is the command, and `start` what it starts from.

Nothing here is imported from other rooms, and this room imports none of theirs: it knows history files only. Spark is imported only
for a check.
"""
