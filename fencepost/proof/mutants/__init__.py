"""Mutants: references that are broken by a change that nobody chose. Does the suite find them?

`mutation_sites` finds where one place of the reference can be changed, and draws some; `prepared_scenarios` has the scenarios of a profile
ready to be played; `judge_process` forks a process that has those of every profile for each mutant; `mutant_verdicts` says what the suite
made of one; `known_mutants` has the changes that break no promise.
"""
