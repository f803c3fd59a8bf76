"""Mutants: references with a random change. Does the suite find them?

`mutation_sites` finds the places where the reference can be changed, and draws some; `prepared_scenarios` has the scenarios of a profile
ready to be played; `judge_process` forks a process that has those of every profile for each mutant; `mutant_verdicts` has the suite's
result for one; `known_mutants` has the changes that break no promise.
"""
