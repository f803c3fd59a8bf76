"""Mutants: references that are broken by a change that nobody chose. Does the suite find them?

`places` finds where one place of the reference can be changed, and draws some; `held` has the scenarios of a profile ready to be played;
`server` forks a process that has those of every profile for each mutant; `judging` says what the suite made of one; `known` has the
changes that break no promise.
"""
