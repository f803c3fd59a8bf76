Feature: Inputs that follow the outcome
  What a transaction reads is removed when it commits and redelivered when it aborts, together with what it writes.

  Background:
    Given the topic "inputs" with "i1", "i2"
    And the consumer of shared subscription "workers" has received "i1", "i2" from inputs
    And the topic "results"
    And transaction A

  @PIP31-03 @MUST @commits
  Rule: A commit makes the output of a transaction visible and deletes its input from the subscription.
    If the output is visible and the input is not deleted, the input is processed again.

    Scenario: [1] A transaction that processed one of two inputs commits
      Given A has acknowledged "i1" for "workers"
      And A has written "r1" to results
      When A commits
      Then readers of results see "r1"
      And subscription "workers" has "i2" left

  @PIP31-04 @MUST @aborts
  Rule: An abort hides the output of a transaction and redelivers its input.
    If the output is discarded and the input is not redelivered, the input is lost.

    Scenario: [1] A transaction that processed one of two inputs aborts
      Given A has acknowledged "i1" for "workers"
      And A has written "r1" to results
      When A aborts
      Then readers of results see nothing
      And subscription "workers" has "i1", "i2" left
