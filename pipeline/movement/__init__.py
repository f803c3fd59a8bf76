"""How histories reach the laws (`laws`) on Spark: whole runs go to one task each, as Arrow tables, and witnesses are returned.

`events` and `pairing` make operations of lines, and `small_histories` does it in tasks, for small histories. `judging` judges runs of a
bounded size, which are nearly all, and `large` those that are larger, log by log. The plans of `anomalies` judge a run with a log that is
too large even for that.
"""
