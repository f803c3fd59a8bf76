Feature: Inputs that move with the outcome
  What a transaction reads is taken when it commits, and comes again when it aborts, together with what it writes.

  Background:
    Given the topic "inputs" with "i1", "i2"
    And the consumer of shared subscription "workers" has received "i1", "i2" from inputs
    And the topic "results"
    And transaction A

  @PIP31-03 @MUST @commits
  Rule: A commit makes the output of a transaction visible and takes its input away for good.
    With the output visible and the input not taken, the same input is processed again.

    Scenario: [1] A commit with one of two inputs
      Given A has acknowledged "i1" for "workers"
      And A has written "r1" to results
      When A commits
      Then readers of results see "r1"
      And subscription "workers" has "i2" left

  @PIP31-04 @MUST @aborts
  Rule: An abort hides the output of a transaction and gives its input back.
    With the output gone and the input not given back, the input is lost.

    Scenario: [1] An abort with one of two inputs
      Given A has acknowledged "i1" for "workers"
      And A has written "r1" to results
      When A aborts
      Then readers of results see nothing
      And subscription "workers" has "i1", "i2" left
