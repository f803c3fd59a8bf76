Feature: Inputs that move with the outcome
  What a group has read as the input of a transaction is taken when that commits, and comes again when it aborts.

  Background:
    Given the log "inputs" with "i1", "i2", "i3"
    And the log "results"

  @CORE-20 @MUST
  Rule: After a commit, the input that the transaction took is not given to its group again.

    Scenario: [1] One of three
      Given a writer A
      And A has taken 1 value of inputs for group "workers"
      When A commits
      Then group "workers" has "i2", "i3" of inputs left

    Scenario: [2] All of them
      Given a writer A
      And A has taken 3 values of inputs for group "workers"
      When A commits
      Then group "workers" has nothing of inputs left

  @CORE-21 @MUST
  Rule: After an abort, the input that the transaction took is given to its group again.

    Scenario: [1] Two of three
      Given a writer A
      And A has taken 2 values of inputs for group "workers"
      When A aborts
      Then group "workers" has "i1", "i2", "i3" of inputs left

  @CORE-22 @MUST
  Rule: Input and output of a transaction are in force together: with the output visible its input is taken, and with the output gone it is not.

    Scenario: [1] A commit
      Given a writer A
      And A has taken 1 value of inputs for group "workers"
      And A has written "r1" to results
      When A commits
      Then readers of results see "r1"
      And group "workers" has "i2", "i3" of inputs left

    Scenario: [2] An abort
      Given a writer A
      And A has taken 1 value of inputs for group "workers"
      And A has written "r1" to results
      When A aborts
      Then readers of results see nothing
      And group "workers" has "i1", "i2", "i3" of inputs left

    Scenario: [3] Another attempt after an abort
      Given a writer A
      And A has taken 1 value of inputs for group "workers"
      And A has aborted
      When A takes 3 values of inputs for group "workers", writes "r1" to results and commits
      Then readers of results see "r1"
      And group "workers" has nothing of inputs left

  @CORE-23 @MUST
  Rule: What one group takes in a transaction does not move the place of another group.

    Scenario: [1] Two groups
      Given a writer A
      And A has taken 2 values of inputs for group "workers"
      When A commits
      Then group "others" has "i1", "i2", "i3" of inputs left
