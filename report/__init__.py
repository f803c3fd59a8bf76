"""What people look at after a run: the Allure report, and the compliance report of many runs. Judges nothing.

It reads what pytest and the system under test said, and what the pipeline found in the results of runs.
"""
