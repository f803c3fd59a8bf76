"""Mutants: references that are broken by a change that nobody chose. Does the suite find them?

`places` finds where one place of the reference can be changed, and draws some; `held` keeps the suite ready in a process that has
collected every scenario under every profile; `server` forks that process for each mutant; `judging` says what the suite made of one;
`lawful` knows the changes that break no promise.
"""
