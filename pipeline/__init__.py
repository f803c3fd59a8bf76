"""Histories in, anomalies out: the checker that finds what no scenario asked for, on Spark.

The stages are modules: `ingest` reads what recorders wrote, `tables` makes it into the tables that the plans read, `anomalies` has
one function for each anomaly, `verdicts` counts, `witnesses` says it in words and `page` draws it. `check` is the command.

Nothing here is imported from other rooms, and this room imports none of theirs: it knows history files only. Spark is imported by
nobody who did not ask for a check.
"""
