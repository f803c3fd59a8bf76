Feature: What readers of committed data see
  All of a transaction when it is committed, nothing of it before that, and nothing of it when it is aborted.

  Background:
    Given the log "orders"
    And the log "payments"
    And a writer A

  @CORE-01 @MUST
  Rule: After a commit all writes of the transaction are visible, in every log that it wrote to.

    Scenario: [1] A commit of one write
      Given A has written "a1" to orders
      When A commits
      Then readers of orders see "a1"

    Scenario: [2] A commit of writes to two logs
      Given A has written "a1" to orders
      And A has written "a2" to payments
      When A commits
      Then readers of orders see "a1"
      And readers of payments see "a2"

  @CORE-02 @MUST
  Rule: While a transaction is open, none of its writes is visible.

    Scenario: [1] The first write of a transaction
      When A writes "a1" to orders
      Then readers of orders see nothing

    Scenario: [2] An open transaction over two logs
      Given A has written "a1" to orders
      When A writes "a2" to payments
      Then readers of orders see nothing
      And readers of payments see nothing

  @CORE-03 @MUST
  Rule: A write of an aborted transaction is never visible, neither to readers of today nor to those who begin later.

    Scenario: [1] An abort of one write
      Given A has written "a1" to orders
      When A aborts
      Then readers of orders see nothing

    Scenario: [2] A plain write behind an aborted transaction over two logs
      Given A has written "a1" to orders
      And A has written "a2" to payments
      And A has aborted
      When "plain" is written to orders
      Then readers of orders see "plain"

  @CORE-04 @MUST
  Rule: The writes of a transaction to one log are visible in the order in which they were written.

    Scenario: [1] Three writes to one log
      Given A has written "a1", "a2", "a3" to orders
      When A commits
      Then readers of orders see "a1", "a2", "a3"

  @CORE-05 @MUST
  Rule: What was written before a transaction began is visible while it is open.

    Scenario: [1] A write that is older than the open transaction
      Given "early" has been written to orders
      When A writes "a1" to orders
      Then readers of orders see "early"

  @CORE-06 @MUST
  Rule: What is written behind an open transaction becomes visible once that is decided, whichever way.

    Scenario: [1] A plain write behind a transaction that commits
      Given A has written "a1" to orders
      And "plain" has been written to orders
      When A commits
      Then readers of orders see "a1", "plain" in some order

    Scenario: [2] A plain write behind a transaction that aborts
      Given A has written "a1" to orders
      And "plain" has been written to orders
      When A aborts
      Then readers of orders see "plain"

  @CORE-07 @MUST
  Rule: Every write that was acknowledged in a transaction is visible after its commit, each once.

    Scenario: [1] Twenty writes in one transaction
      Given A has written "1" up to "20" to orders
      When A commits
      Then readers of orders see "1" up to "20"

  @CORE-08 @MUST
  Rule: An aborted transaction takes nothing with it from the transactions before and after it.

    Scenario: [1] A commit, an abort and a commit of one writer
      Given A has committed "a1" to orders
      And A has written "a2" to orders
      And A has aborted
      When A commits "a3" to orders
      Then readers of orders see "a1", "a3"

  @CORE-09 @MUST
  Rule: Transactions of different writers do not disturb each other, in whatever order they end.

    Scenario: [1] One writer commits, the other aborts
      Given a writer B
      And A has written "a1" to orders
      And B has written "b1" to orders
      And A has aborted
      When B commits
      Then readers of orders see "b1"

    Scenario: [2] The transaction that began later ends first
      Given a writer B
      And A has written "a1" to orders
      And B has written "b1" to orders
      And B has committed
      When A commits
      Then readers of orders see "a1", "b1" in some order
