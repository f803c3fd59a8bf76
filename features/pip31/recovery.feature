Feature: After a crash
  What was decided is completed, and what was open goes on, with all that had been added to it.

  Background:
    Given the topic "orders"
    And transactions A and B

  @PIP31-28 @MUST
  Rule: Once the end of a transaction was answered, its outcome survives a crash of the coordinator.

    @needs:crash
    Scenario: [1] An abort and a commit
      Given B has written "b1" to orders
      And A has written "a1" to orders
      When B aborts, A commits, and the system crashes right after the answers
      Then readers of orders see "a1"
      And B is ABORTED

  @PIP31-30 @MUST
  Rule: A transaction whose commit was logged is committed when its coordinator comes back.

    @needs:crash
    Scenario: [1] A commit that something held back
      Given A has written "a1" to orders
      And the end of A is held back
      And A has committed
      When the system crashes and comes back
      Then A is COMMITTING, and COMMITTED once its end is held back no longer
      And readers of orders see "a1"

  @PIP31-31 @MUST
  Rule: A transaction whose abort was logged is aborted when its coordinator comes back.

    @needs:crash
    Scenario: [1] An abort that something held back
      Given A has written "a1" to orders
      And the end of A is held back
      And A has aborted
      When the system crashes and comes back
      Then A is ABORTING, and ABORTED once its end is held back no longer
      And readers of orders see nothing

  @PIP31-32 @MUST
  Rule: A transaction that was not decided before a crash is open after it and may be ended either way.

    @needs:crash
    Scenario: [1] A commit and an abort
      Given B has written "b1" to orders
      And A has written "a1" to orders
      And the system has crashed and come back
      When A commits and B aborts
      Then both are done
      And readers of orders see "a1"

  @PIP31-33 @MUST
  Rule: Replay restores the topics and subscriptions of an open transaction, so that its end reaches all of them.

    Background:
      Given the topic "inputs" with "i1", "i2"
      And subscription "workers" has been given "i1", "i2" of inputs

    @needs:crash
    Scenario: [1] A topic of a commit and a subscription of an abort
      Given A has written "a1" to orders
      And B has acknowledged "i1" for "workers"
      And the system has crashed and come back
      When A commits and B aborts
      Then readers of orders see "a1"
      And subscription "workers" has "i1", "i2" left
