@needs:held-ends
Feature: Ends that a participant delayed
  A participant did not answer for a while. When it answers, the coordinator and all participants report the outcome that was decided.

  Background:
    Given the topic "orders"
    And the topic "inputs" with "i1", "i2"
    And the consumer of shared subscription "workers" has received "i1", "i2" from inputs
    And transaction A

  @PIP31-88 @MUST @commits @aborts
  Rule: After a delayed end, the coordinator, the topics and the subscriptions all have the decided outcome.
    A coordinator would report COMMITTED for a transaction whose messages are not visible, or whose input is redelivered.

    Scenario: [1] A delayed commit is completed
      Given A has acknowledged "i1" for "workers"
      And A has written "a1" to orders
      And the commit of A is incomplete
      When the end of A is held up no longer
      Then A went from COMMITTING to COMMITTED
      And readers of orders see "a1"
      And subscription "workers" has "i2" left

    Scenario: [2] A delayed abort is completed
      Given A has acknowledged "i1" for "workers"
      And A has written "a1" to orders
      And the abort of A is incomplete
      When the end of A is held up no longer
      Then A went from ABORTING to ABORTED
      And readers of orders see nothing
      And subscription "workers" has "i1", "i2" left

    @needs:buffer-statistics
    Scenario: [3] A delayed commit is completed after an abort was refused
      Given A has acknowledged "i1" for "workers"
      And the commit of A is incomplete
      And A has tried to abort
      When the end of A is held up no longer
      Then A went from COMMITTING to COMMITTED
      And nothing of A is pending in "workers"
      And subscription "workers" has "i2" left

    Scenario: [4] A delayed abort is completed after a commit was refused
      Given A has written "a1" to orders
      And the abort of A is incomplete
      And A has tried to commit
      When the end of A is held up no longer
      Then A went from ABORTING to ABORTED
      And readers of orders see nothing

    @needs:crash @needs:buffer-statistics
    Scenario: [5] A delayed commit is completed after a crash
      Given A has acknowledged "i1" for "workers"
      And the commit of A is incomplete
      And the system has crashed and restarted
      When the end of A is held up no longer
      Then A went from COMMITTING to COMMITTED
      And nothing of A is pending in "workers"
      And subscription "workers" has "i2" left
