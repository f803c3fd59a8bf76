Feature: What readers of committed data see
  All of a transaction when it is committed, nothing of it before that, and nothing of it when it is aborted.

  Background:
    Given the log "orders"
    And the log "payments"
    And a writer A

  @CORE-01 @MUST @commits
  Rule: After a commit all writes of the transaction are visible, in every log that it wrote to.
    If one log is not told of the commit, its part of the transaction is missing for ever, and the result is half of what was promised.

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
    A reader that acts on an undecided write cannot take its action back when the transaction is aborted.

    Scenario: [1] The first write of a transaction
      When A writes "a1" to orders
      Then readers of orders see nothing

    Scenario: [2] Another writer commits behind the open transaction
      Given a writer B
      And A has written "a1" to orders
      When B commits "b1" to orders
      Then readers of orders do not see "a1"

  @CORE-03 @MUST @aborts
  Rule: A write of an aborted transaction is never visible, neither to readers of today nor to those who begin later.
    A reader that begins later must not find what everybody else was spared: an abort has to outlive those who saw it happen.

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
    Whoever applies updates in the order of the log ends in a wrong state when the log hands them over in another one.

    Scenario: [1] Three writes to one log
      Given A has written "a1", "a2", "a3" to orders
      When A commits
      Then readers of orders see "a1", "a2", "a3"

    Scenario: [2] Three writes that are under way at once
      Given A has written "a0" to orders
      And A has written "a1", "a2", "a3" to orders all at once
      When A commits
      Then readers of orders see "a0", "a1", "a2", "a3"

  @CORE-05 @MUST
  Rule: What was written before a transaction began is visible while it is open.
    A transaction that stays open must not take away what readers had already; only what comes behind it has to wait.

    Scenario: [1] A write that is older than the open transaction
      Given "early" has been written to orders
      When A writes "a1" to orders
      Then readers of orders see "early"

  @CORE-06 @MUST @commits @aborts
  Rule: What is written behind an open transaction becomes visible once that is decided, whichever way.
    A reader that is held at a decided transaction stands still for ever, though nothing is wrong with the log.

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

  @CORE-07 @MUST @commits
  Rule: Every write that was acknowledged in a transaction is visible after its commit, each once.
    A write that was acknowledged and is not there is lost without anybody having been told; one that is there twice is counted twice.

    Scenario: [1] Twenty writes in one transaction
      Given A has written "1" up to "20" to orders
      When A commits
      Then readers of orders see "1" up to "20"

    Scenario: [2] Eight writes that are under way at once
      Given A has written "1" to orders
      And A has written "2", "3", "4", "5", "6", "7", "8", "9" to orders all at once
      When A commits
      Then readers of orders see "1" up to "9"

  @CORE-08 @MUST @aborts
  Rule: An aborted transaction takes nothing with it from the transactions before and after it.
    An abort that reaches too far hides what its writer has committed before, and nobody learns of it.

    Scenario: [1] A commit, an abort and a commit of one writer
      Given A has committed "a1" to orders
      And A has written "a2" to orders
      And A has aborted
      When A commits "a3" to orders
      Then readers of orders see "a1", "a3"

  @CORE-09 @MUST
  Rule: Transactions of different writers do not disturb each other, in whatever order they end.
    An abort of one writer must not hide the committed writes of another that stand between its own.

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

    Scenario: [3] Both abort
      Given a writer B
      And A has written "a1" to orders
      And B has written "b1" to orders
      And A has written "a2" to orders
      And A has aborted
      When B aborts
      Then readers of orders see nothing
