Feature: After a crash
  What was decided is completed, and what was open goes on, with all that had been added to it.

  Background:
    Given the topic "orders"
    And transactions A and B

  @PIP31-28 @MUST @recovery
  Rule: Once the end of a transaction was answered, its outcome survives a crash of the coordinator.
    An end that was answered is a promise; a crash that undoes it loses data, or shows what was withdrawn.

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

  @PIP31-30 @MUST @recovery
  Rule: A transaction whose commit was logged is committed when its coordinator comes back.
    A decision that lies in the log and is not carried out leaves topics undecided until somebody asks.

    @needs:crash @needs:held-ends
    Scenario: [1] A crash while the commit is incomplete
      Given A has written "a1" to orders
      And the commit of A is incomplete
      And the system has crashed and come back
      When the end of A is held up no longer
      Then A went from COMMITTING to COMMITTED
      And readers of orders see "a1"

    @needs:crash @needs:held-ends @needs:more-coordinators
    Scenario: [2] A crash while the commit of another coordinator is incomplete
      Given C is a transaction of the second coordinator
      And C has written "c1" to orders
      And the commit of C is incomplete
      And the system has crashed and come back
      When the end of C is held up no longer
      Then C went from COMMITTING to COMMITTED
      And readers of orders see "c1"

    @needs:crash @needs:held-ends
    Scenario Outline: [3] A crash while two commits are incomplete
      Given <one> has written "x1" to orders
      And the commit of A is incomplete
      And the commit of B is incomplete
      And the system has crashed and come back
      When the end of <one> is held up no longer
      Then <one> went from COMMITTING to COMMITTED
      And readers of orders see "x1"

      Examples:
        | one | why                                              |
        | A   | the older one is found as the newer one is       |
        | B   | the newer one does not wait for the older one    |

  @PIP31-31 @MUST @recovery
  Rule: A transaction whose abort was logged is aborted when its coordinator comes back.
    An abort that is not carried out holds back what comes behind it, and keeps input from being processed again.

    @needs:crash @needs:held-ends
    Scenario: [1] A crash while the abort is incomplete
      Given A has written "a1" to orders
      And the abort of A is incomplete
      And the system has crashed and come back
      When the end of A is held up no longer
      Then A went from ABORTING to ABORTED
      And readers of orders see nothing

    @needs:crash @needs:held-ends @needs:more-coordinators
    Scenario: [2] A crash while the abort of another coordinator is incomplete
      Given C is a transaction of the second coordinator
      And C has written "c1" to orders
      And the abort of C is incomplete
      And the system has crashed and come back
      When the end of C is held up no longer
      Then C went from ABORTING to ABORTED
      And readers of orders see nothing

  @PIP31-32 @MUST @recovery
  Rule: A transaction that was not decided before a crash is open after it and may be ended either way.
    A coordinator that decides by itself overrules a client that is alive.

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

  @PIP31-33 @MUST @recovery
  Rule: Replay restores the topics and subscriptions of an open transaction, so that its end reaches all of them.
    An end reaches only those whom the coordinator remembers; the others stay undecided for ever.

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

    @needs:crash @needs:buffer-statistics
    Scenario: [2] A subscription of a commit
      Given B has acknowledged "i1" for "workers"
      And the system has crashed and come back
      When B commits
      Then nothing of B is pending in "workers"
      And subscription "workers" has "i2" left

    @needs:crash
    Scenario: [3] A topic that is added after the crash
      Given the topic "payments"
      And the system has crashed and come back
      And A has written "a2" to payments
      When A commits
      Then readers of orders see "a1"
      And readers of payments see "a2"

    @needs:crash @needs:buffer-statistics
    Scenario: [4] A subscription that is added after the crash
      Given the consumer of shared subscription "auditors" has received "i1", "i2" from inputs
      And B has acknowledged "i1" for "workers"
      And the system has crashed and come back
      And B has acknowledged "i1" for "auditors"
      When B commits
      Then nothing of B is pending in "workers"
      And subscription "workers" has "i2" left
