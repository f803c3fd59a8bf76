Feature: Inputs that move with the outcome
  What a group has read as the input of a transaction is taken when that commits, and comes again when it aborts.

  Background:
    Given the log "inputs" with "i1", "i2", "i3"
    And the log "results"
    And a writer A

  @CORE-20 @MUST
  Rule: After a commit, the input that the transaction took is not given to its group again.

    Scenario: [1] A commit that took one value of three
      Given A has taken "i1" from inputs for group "workers"
      When A commits
      Then group "workers" has "i2", "i3" of inputs left

    Scenario: [2] A commit that took all values
      Given A has taken "i1", "i2", "i3" from inputs for group "workers"
      When A commits
      Then group "workers" has nothing of inputs left

  @CORE-21 @MUST
  Rule: After an abort, the input that the transaction took is given to its group again.

    Scenario: [1] An abort that took two values of three
      Given A has taken "i1", "i2" from inputs for group "workers"
      When A aborts
      Then group "workers" has "i1", "i2", "i3" of inputs left

  @CORE-22 @MUST
  Rule: Input and output of a transaction are in force together: with the output visible its input is taken, and with the output gone it is not.

    Scenario: [1] A commit of input and output
      Given A has taken "i1" from inputs for group "workers"
      And A has written "r1" to results
      When A commits
      Then readers of results see "r1"
      And group "workers" has "i2", "i3" of inputs left

    Scenario: [2] An abort of input and output
      Given A has taken "i1" from inputs for group "workers"
      And A has written "r1" to results
      When A aborts
      Then readers of results see nothing
      And group "workers" has "i1", "i2", "i3" of inputs left

    Scenario: [3] A second attempt after an abort
      Given A has taken "i1" from inputs for group "workers"
      And A has aborted
      And A has taken "i1", "i2", "i3" from inputs for group "workers"
      When A commits "r1" to results
      Then readers of results see "r1"
      And group "workers" has nothing of inputs left

  @CORE-23 @MUST
  Rule: What one group takes in a transaction does not move the place of another group.

    Scenario: [1] Another group that reads the same log
      Given A has taken "i1", "i2" from inputs for group "workers"
      When A commits
      Then group "others" has "i1", "i2", "i3" of inputs left
