Feature: Inputs that move with the outcome
  What a group has read as the input of a transaction is taken when that commits, and comes again when it aborts.

  Background:
    Given the log "inputs" with "i1", "i2", "i3"
    And the log "results"
    And a writer A

  @CORE-20 @MUST @commits
  Rule: After a commit, the input that the transaction took is not given to its group again.
    Input that is given out again after its commit is processed twice, and its output stands in the log twice.

    Scenario: [1] A commit that took one value of three
      Given A has taken "i1" from inputs for group "workers"
      When A commits
      Then group "workers" has "i2", "i3" of inputs left

    Scenario: [2] A commit that took all values
      Given A has taken "i1", "i2", "i3" from inputs for group "workers"
      When A commits
      Then group "workers" has nothing of inputs left

    Scenario: [3] A commit that took input for two groups
      Given A has taken "i1" from inputs for group "workers"
      And A has taken "i1", "i2" from inputs for group "others"
      When A commits
      Then group "workers" has "i2", "i3" of inputs left
      And group "others" has "i3" of inputs left

  @CORE-21 @MUST @aborts
  Rule: After an abort, the input that the transaction took is given to its group again.
    Input that is not given out again after an abort is lost: its output was undone, and nobody makes it again.

    Scenario: [1] An abort that took two values of three
      Given A has taken "i1", "i2" from inputs for group "workers"
      When A aborts
      Then group "workers" has "i1", "i2", "i3" of inputs left

    Scenario: [2] The next transaction of the writer takes from another log, and commits
      Given the log "orders"
      And "o1" has been written to orders
      And A has taken "i1" from inputs for group "workers"
      And A has aborted
      And A has taken "o1" from orders for group "workers"
      When A commits
      Then group "workers" has "i1", "i2", "i3" of inputs left

  @CORE-22 @MUST @commits @aborts
  Rule: Input and output of a transaction are in force together: with the output visible its input is taken, and with the output gone it is not.
    With the input taken and the output gone a record is lost; with the output there and the input free it is processed twice.

    Scenario: [1] A commit of input and output
      Given A has taken "i1" from inputs for group "workers"
      And A has written "r1" to results
      When A commits
      Then readers of results see "r1"
      And group "workers" is done with "i1" of inputs
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
    A transaction that moves the place of a group which has not read makes that group skip records.

    Scenario: [1] Another group that reads the same log
      Given A has taken "i1", "i2" from inputs for group "workers"
      When A commits
      Then group "others" has "i1", "i2", "i3" of inputs left
