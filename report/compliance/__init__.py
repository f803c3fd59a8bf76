"""The compliance report: what many runs say of systems and their versions, for people and for programs.

`command` is `fencepost report`. The pipeline reads the runs and answers with facts; `view` arranges them by requirement and
system, `trend` places them in a picture, and `compliance_page`, `markdown` and `badge` write them down. All that comes from results is
escaped where it is written.
"""
