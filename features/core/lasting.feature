Feature: Durable outcomes
  A log is read by later readers, from other nodes, and after the node that served it has failed.

  Background:
    Given the log "orders"
    And a writer A

  @CORE-32 @MUST @recovery
  Rule: Every later reader sees what readers of committed data have seen, wherever and whenever the log is served.
    A reader acts on what it received. If a reload or a crash removes that, later readers find an effect without its cause.

    @needs:reload
    Scenario: [1] The log is reloaded after a commit and an abort
      Given A has committed "a1" to orders
      And A has written "a2" to orders
      And A has aborted
      And orders has been reloaded
      When "plain" is written to orders
      Then readers of orders see "a1", "plain"

    @needs:crash
    Scenario: [2] The system crashes after a commit and an abort
      Given A has committed "a1" to orders
      And A has written "a2" to orders
      And A has aborted
      And the system has crashed and restarted
      When "plain" is written to orders
      Then readers of orders see "a1", "plain"

    Scenario: [3] A later transaction commits after a commit and an abort
      Given A has committed "a1" to orders
      And A has written "a2" to orders
      And A has aborted
      When A commits "a3" to orders
      Then readers of orders see "a1", "a3"

  @CORE-40 @MUST @recovery
  Rule: A transaction that is open when its log is reloaded stays open, and its outcome applies to all of its writes.
    A log that is reloaded without its open transactions would show what is not decided, or withhold what is committed later.

    @needs:reload
    Scenario: [1] A transaction commits after the reload
      Given A has written "a1" to orders
      And orders has been reloaded
      When A commits "a2" to orders
      Then readers of orders see "a1", "a2"

    @needs:reload
    Scenario: [2] A transaction aborts after the reload
      Given A has written "a1" to orders
      And orders has been reloaded
      And A has aborted
      When "plain" is written to orders
      Then readers of orders see "plain"

    @needs:reload
    Scenario: [3] A transaction writes again after the reload
      Given A has written "a1", "a2" to orders
      And orders has been reloaded
      When A writes "a3" to orders
      Then readers of orders see nothing

    @needs:reload
    Scenario: [4] A younger transaction was aborted before the reload
      Given a writer B
      And A has written "a1" to orders
      And B has written "b1" to orders
      And B has aborted
      And orders has been reloaded
      When A commits
      Then readers of orders see "a1"

    @needs:reload
    Scenario: [5] Two transactions are open at the reload, and the older one commits
      Given a writer B
      And A has written "a1" to orders
      And B has written "b1" to orders
      And orders has been reloaded
      When A commits
      Then readers of orders see "a1"

    @needs:reload
    Scenario: [6] A log is reloaded twice between the writes of a transaction
      Given A has written "a1" to orders
      And orders has been reloaded
      And A has written "a2" to orders
      And orders has been reloaded
      When A commits "a3" to orders
      Then readers of orders see "a1", "a2", "a3"

    @needs:reload
    Scenario: [7] Two transactions are open at the reload, and the younger one commits
      Given a writer B
      And A has written "a1" to orders
      And B has written "b1" to orders
      And orders has been reloaded
      When B commits
      Then readers of orders do not see "a1"

    @needs:reload
    Scenario: [8] A younger transaction was committed before the reload
      Given a writer B
      And A has written "a1" to orders
      And B has written "b1" to orders
      And B has committed
      And orders has been reloaded
      When A commits
      Then readers of orders see "a1", "b1" in some order
