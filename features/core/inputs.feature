Feature: Inputs that follow the outcome
  Input that a group has read in a transaction is consumed when the transaction commits, and redelivered when it aborts.

  Background:
    Given the log "inputs" with "i1", "i2", "i3"
    And the log "results"
    And a writer A

  @CORE-20 @MUST @commits
  Rule: The system does not redeliver to a group the input that a committed transaction has taken for it.
    Input that is redelivered after the commit is processed twice, and its output is in the log twice.

    Scenario: [1] A commit takes one of three values
      Given A has taken "i1" from inputs for group "workers"
      When A commits
      Then group "workers" has "i2", "i3" of inputs left

    Scenario: [2] A commit takes all values
      Given A has taken "i1", "i2", "i3" from inputs for group "workers"
      When A commits
      Then group "workers" has nothing of inputs left

    Scenario: [3] A commit takes input for two groups
      Given A has taken "i1" from inputs for group "workers"
      And A has taken "i1", "i2" from inputs for group "others"
      When A commits
      Then group "workers" has "i2", "i3" of inputs left
      And group "others" has "i3" of inputs left

  @CORE-21 @MUST @aborts
  Rule: After an abort, the group receives again the input that the transaction took.
    Input that is not redelivered after an abort is lost: its output was undone, and is not produced again.

    Scenario: [1] An abort returns two of three values
      Given A has taken "i1", "i2" from inputs for group "workers"
      When A aborts
      Then group "workers" has "i1", "i2", "i3" of inputs left

    Scenario: [2] The writer's next transaction takes input from another log and commits
      Given the log "orders"
      And "o1" has been written to orders
      And A has taken "i1" from inputs for group "workers"
      And A has aborted
      And A has taken "o1" from orders for group "workers"
      When A commits
      Then group "workers" has "i1", "i2", "i3" of inputs left

    Scenario: [3] Another writer's commit has taken earlier input
      Given a writer B
      And B has taken "i1" from inputs for group "workers"
      And B has committed
      And A has taken "i2" from inputs for group "workers"
      When A aborts
      Then group "workers" has "i2", "i3" of inputs left

  @CORE-22 @MUST @commits @aborts
  Rule: Input and output of a transaction take effect together: if the output is visible, the input is consumed; if the output is discarded, the input is not consumed.
    If the input is consumed and the output discarded, a record is lost; if the output is visible and the input is not consumed, it is
    processed twice.

    Scenario: [1] A transaction with input and output commits
      Given A has taken "i1" from inputs for group "workers"
      And A has written "r1" to results
      When A commits
      Then readers of results see "r1"
      And group "workers" is done with "i1" of inputs
      And group "workers" has "i2", "i3" of inputs left

    Scenario: [2] A transaction with input and output aborts
      Given A has taken "i1" from inputs for group "workers"
      And A has written "r1" to results
      When A aborts
      Then readers of results see nothing
      And group "workers" has "i1", "i2", "i3" of inputs left

    Scenario: [3] A second attempt commits after an abort
      Given A has taken "i1" from inputs for group "workers"
      And A has aborted
      And A has taken "i1", "i2", "i3" from inputs for group "workers"
      When A commits "r1" to results
      Then readers of results see "r1"
      And group "workers" has nothing of inputs left

  @CORE-23 @MUST
  Rule: A transaction that takes input for one group does not move the position of another group.
    A transaction that moves the position of a group which has not read makes that group skip records.

    Scenario: [1] Another group reads the same log
      Given A has taken "i1", "i2" from inputs for group "workers"
      When A commits
      Then group "others" has "i1", "i2", "i3" of inputs left
