"""How histories reach the laws (`laws`) on Spark: whole runs go to one task each, as Arrow tables, and witnesses come back.

`events` and `pairing` make operations of lines, and `reading` does it in tasks, for small histories. `judging` judges runs of a bounded
size, which are nearly all, and `large` those that are larger, log by log. A run with a log that is too large even for that is judged by the
plans of `anomalies`.
"""
