@needs:crash
Feature: After a crash
  What was decided is completed, and what was open continues with all its participants.

  Background:
    Given the topic "orders"
    And transactions A and B

  @PIP31-28 @MUST @recovery
  Rule: A commit or abort that a coordinator has answered survives a crash of the coordinator.
    An end that was answered is a promise; a crash that undoes it loses data, or shows what was withdrawn.

    Background:
      Given B has written "b1" to orders
      And A has written "a1" to orders

    Scenario: [1] The system crashes after a commit and an abort were answered
      Given B has been asked to abort
      And A has been asked to commit
      When the system crashes and restarts
      Then readers of orders see "a1"
      And B is ABORTED

  @PIP31-30 @MUST @recovery
  Rule: A coordinator that recovers commits each transaction whose commit is in its log.
    A logged decision that is not carried out leaves topics undecided until a client retries.

    @needs:held-ends
    Scenario: [1] The system crashes while the commit is incomplete
      Given A has written "a1" to orders
      And the commit of A is incomplete
      And the system has crashed and restarted
      When the end of A is held up no longer
      Then A went from COMMITTING to COMMITTED
      And readers of orders see "a1"

    @needs:held-ends @needs:more-coordinators
    Scenario: [2] The system crashes while the commit of another coordinator is incomplete
      Given C is a transaction of the second coordinator
      And C has written "c1" to orders
      And the commit of C is incomplete
      And the system has crashed and restarted
      When the end of C is held up no longer
      Then C went from COMMITTING to COMMITTED
      And readers of orders see "c1"

    @needs:held-ends
    Scenario Outline: [3] The system crashes while two commits are incomplete
      Given <one> has written "x1" to orders
      And the commit of A is incomplete
      And the commit of B is incomplete
      And the system has crashed and restarted
      When the end of <one> is held up no longer
      Then <one> went from COMMITTING to COMMITTED
      And readers of orders see "x1"

      Examples:
        | one | why                                              |
        | A   | the older commit is found like the newer one     |
        | B   | the newer commit does not wait for the older one |

  @PIP31-31 @MUST @recovery
  Rule: A coordinator that recovers aborts each transaction whose abort is in its log.
    An abort that is not carried out withholds later messages, and keeps input from being processed again.

    @needs:held-ends
    Scenario: [1] The system crashes while the abort is incomplete
      Given A has written "a1" to orders
      And the abort of A is incomplete
      And the system has crashed and restarted
      When the end of A is held up no longer
      Then A went from ABORTING to ABORTED
      And readers of orders see nothing

    @needs:held-ends @needs:more-coordinators
    Scenario: [2] The system crashes while the abort of another coordinator is incomplete
      Given C is a transaction of the second coordinator
      And C has written "c1" to orders
      And the abort of C is incomplete
      And the system has crashed and restarted
      When the end of C is held up no longer
      Then C went from ABORTING to ABORTED
      And readers of orders see nothing

    @needs:held-ends
    Scenario Outline: [3] The system crashes while two aborts are incomplete
      Given <one> has written "x1" to orders
      And the abort of A is incomplete
      And the abort of B is incomplete
      And the system has crashed and restarted
      When the end of <one> is held up no longer
      Then <one> went from ABORTING to ABORTED
      And readers of orders see nothing

      Examples:
        | one | why                                             |
        | A   | the older abort is found like the newer one     |
        | B   | the newer abort does not wait for the older one |

  @PIP31-32 @MUST @recovery
  Rule: A transaction that was not decided before a crash is open after it, and can be committed or aborted.
    A coordinator that decides by itself overrules a client that is still running.

    Background:
      Given B has written "b1" to orders
      And A has written "a1" to orders

    Scenario: [1] One transaction commits and another aborts after the crash
      Given the system has crashed and restarted
      And B has been asked to abort
      When A commits
      Then it is done
      And readers of orders see "a1"
      And B is ABORTED

    Scenario Outline: [2] A newer transaction has ended before the crash
      Given B has <ended>
      And transaction C
      And C has <ended>
      And the system has crashed and restarted
      When A commits
      Then it is done

      Examples:
        | ended     | why                                                       |
        | committed | what was logged of an older transaction is needed further |
        | aborted   | the same for an abort                                     |

  @PIP31-33 @MUST @recovery
  Rule: A coordinator that recovers restores the topics and subscriptions of each open transaction, so that its end reaches all of them.
    An end reaches only the participants that the coordinator remembers; the others stay undecided for ever.

    Background:
      Given the topic "inputs" with "i1", "i2"
      And the consumer of shared subscription "workers" has received "i1", "i2" from inputs
      And A has written "a1" to orders

    Scenario: [1] A transaction with a topic commits and one with a subscription aborts after the crash
      Given B has acknowledged "i1" for "workers"
      And the system has crashed and restarted
      And A has been asked to commit
      When B aborts
      Then readers of orders see "a1"
      And subscription "workers" has "i1", "i2" left

    @needs:buffer-statistics
    Scenario: [2] A transaction with a subscription commits after the crash
      Given B has acknowledged "i1" for "workers"
      And the system has crashed and restarted
      When B commits
      Then nothing of B is pending in "workers"
      And subscription "workers" has "i2" left

    Scenario: [3] A transaction adds a topic after the crash and commits
      Given the topic "payments"
      And the system has crashed and restarted
      And A has written "a2" to payments
      When A commits
      Then readers of orders see "a1"
      And readers of payments see "a2"

    @needs:buffer-statistics
    Scenario: [4] A transaction adds a subscription after the crash and commits
      Given the consumer of shared subscription "auditors" has received "i1", "i2" from inputs
      And B has acknowledged "i1" for "workers"
      And the system has crashed and restarted
      And B has acknowledged "i1" for "auditors"
      When B commits
      Then nothing of B is pending in "workers"
      And subscription "workers" has "i2" left

    @needs:buffer-statistics
    Scenario: [5] A transaction with two subscriptions commits after the crash
      Given the consumer of shared subscription "auditors" has received "i1", "i2" from inputs
      And B has acknowledged "i1" for "workers"
      And B has acknowledged "i1" for "auditors"
      And the system has crashed and restarted
      When B commits
      Then nothing of B is pending in "auditors"
      And subscription "auditors" has "i2" left

    Scenario: [6] A transaction that added three topics one by one commits after the crash
      Given the topics "payments" and "refunds"
      And A has written "a2" to payments
      And A has written "a3" to refunds
      And the system has crashed and restarted
      When A commits
      Then readers of orders see "a1"
      And readers of payments see "a2"

    @needs:buffer-statistics
    Scenario: [7] The first of two subscriptions follows the commit after the crash
      Given the consumer of shared subscription "auditors" has received "i1", "i2" from inputs
      And B has acknowledged "i1" for "workers"
      And B has acknowledged "i1" for "auditors"
      And the system has crashed and restarted
      When B commits
      Then nothing of B is pending in "workers"
      And subscription "workers" has "i2" left

    @needs:buffer-statistics
    Scenario: [8] A transaction with a topic aborts after the crash
      Given the system has crashed and restarted
      When A aborts
      Then nothing of A is pending in orders
      And readers of orders see nothing
