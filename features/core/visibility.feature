Feature: What readers of committed data see
  All of a transaction when it is committed, nothing of it before that, and nothing of it when it is aborted.

  Background:
    Given the logs "orders" and "payments"

  @CORE-01 @MUST
  Rule: After a commit all writes of the transaction are visible, in every log that it wrote to.

    Scenario: [1] One log
      Given a writer A
      And A has written "a1" to orders
      When A commits
      Then readers of orders see "a1"

    Scenario: [2] Two logs
      Given a writer A
      And A has written "a1" to orders
      And A has written "a2" to payments
      When A commits
      Then readers of orders see "a1"
      And readers of payments see "a2"

  @CORE-02 @MUST
  Rule: While a transaction is open, none of its writes is visible.

    Scenario: [1] The first write
      Given a writer A
      When A writes "a1" to orders
      Then readers of orders see nothing

    Scenario: [2] After a reader has looked
      Given a writer A
      And A has written "a1" to orders
      When A writes "a2" to payments
      Then readers of orders see nothing
      And readers of payments see nothing

  @CORE-03 @MUST
  Rule: A write of an aborted transaction is never visible, neither to readers of today nor to those who begin later.

    Scenario: [1] An abort
      Given a writer A
      And A has written "a1" to orders
      When A aborts
      Then readers of orders see nothing

    Scenario: [2] Two logs, and something behind it
      Given a writer A
      And A has written "a1" to orders
      And A has written "a2" to payments
      And A has aborted
      When "plain" is written to orders
      Then readers of orders see "plain"

  @CORE-04 @MUST
  Rule: The writes of a transaction to one log are visible in the order in which they were written.

    Scenario: [1] Three writes
      Given a writer A
      And A has written "a1", "a2", "a3" to orders
      When A commits
      Then readers of orders see "a1", "a2", "a3"

  @CORE-05 @MUST
  Rule: What was written before a transaction began is visible while it is open.

    Scenario: [1] What stood there before
      Given a writer A
      And "early" has been written to orders
      When A writes "a1" to orders
      Then readers of orders see "early"

  @CORE-06 @MUST
  Rule: What is written behind an open transaction becomes visible once that is decided, whichever way.

    Scenario: [1] A commit before it
      Given a writer A
      And A has written "a1" to orders
      And "plain" has been written to orders
      When A commits
      Then readers of orders see "a1" and "plain" in some order

    Scenario: [2] An abort before it
      Given a writer A
      And A has written "a1" to orders
      And "plain" has been written to orders
      When A aborts
      Then readers of orders see "plain"

  @CORE-07 @MUST
  Rule: Every write that was acknowledged in a transaction is visible after its commit, each once.

    Scenario: [1] Twenty writes
      Given a writer A
      And A has written 20 values to orders
      When A commits
      Then readers of orders see all 20 values, each once and in order

  @CORE-08 @MUST
  Rule: An aborted transaction takes nothing with it from the transactions before and after it.

    Scenario: [1] A commit, an abort and a commit
      Given a writer A
      And A has committed "a1" to orders
      And A has written "a2" to orders
      And A has aborted
      When A writes "a3" to orders and commits
      Then readers of orders see "a1", "a3"

  @CORE-09 @MUST
  Rule: Transactions of different writers do not disturb each other, in whatever order they end.

    Scenario: [1] One commits, the other aborts
      Given writers A and B
      And A has written "a1" to orders
      And B has written "b1" to orders
      And A has aborted
      When B commits
      Then readers of orders see "b1"

    Scenario: [2] The one that began later ends first
      Given writers A and B
      And A has written "a1" to orders
      And B has written "b1" to orders
      And B has committed
      When A commits
      Then readers of orders see "a1" and "b1" in some order
