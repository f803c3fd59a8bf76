"""How histories reach the laws (`laws`) on Spark: whole runs go to one task each, as Arrow tables, and witnesses come back.

`judging` does it for runs of a bounded size, which is nearly all of them. A run that is larger is judged by the plans of `anomalies`.
"""
