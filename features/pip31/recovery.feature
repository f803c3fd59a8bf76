Feature: After a crash
  What was decided is completed, and what was open goes on, with all that had been added to it.

  Background:
    Given the topic "orders"
    And transactions A and B

  @PIP31-28 @MUST
  Rule: Once the end of a transaction was answered, its outcome survives a crash of the coordinator.

    Background:
      Given B has written "b1" to orders
      And A has written "a1" to orders

    @needs:crash
    Scenario: [1] A crash after the answers to an abort and a commit
      Given B has been asked to abort
      And A has been asked to commit
      When the system crashes and comes back
      Then readers of orders see "a1"
      And B is ABORTED

  @PIP31-30 @MUST
  Rule: A transaction whose commit was logged is committed when its coordinator comes back.

    @needs:crash
    Scenario: [1] A crash while the commit is incomplete
      Given A has written "a1" to orders
      And the commit of A is incomplete
      And the system has crashed and come back
      When the end of A is held up no longer
      Then A went from COMMITTING to COMMITTED
      And readers of orders see "a1"

  @PIP31-31 @MUST
  Rule: A transaction whose abort was logged is aborted when its coordinator comes back.

    @needs:crash
    Scenario: [1] A crash while the abort is incomplete
      Given A has written "a1" to orders
      And the abort of A is incomplete
      And the system has crashed and come back
      When the end of A is held up no longer
      Then A went from ABORTING to ABORTED
      And readers of orders see nothing

  @PIP31-32 @MUST
  Rule: A transaction that was not decided before a crash is open after it and may be ended either way.

    Background:
      Given B has written "b1" to orders
      And A has written "a1" to orders

    @needs:crash
    Scenario: [1] A commit and an abort after the crash
      Given the system has crashed and come back
      And B has been asked to abort
      When A commits
      Then it is done
      And readers of orders see "a1"
      And B is ABORTED

  @PIP31-33 @MUST
  Rule: Replay restores the topics and subscriptions of an open transaction, so that its end reaches all of them.

    Background:
      Given the topic "inputs" with "i1", "i2"
      And the consumer of shared subscription "workers" has received "i1", "i2" from inputs
      And A has written "a1" to orders

    @needs:crash
    Scenario: [1] A topic of a commit and a subscription of an abort
      Given B has acknowledged "i1" for "workers"
      And the system has crashed and come back
      And A has been asked to commit
      When B aborts
      Then readers of orders see "a1"
      And subscription "workers" has "i1", "i2" left
