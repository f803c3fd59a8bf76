Feature: What readers of committed data see
  All of a transaction after the commit, none of it before, and none of it ever after an abort.

  Background:
    Given the log "orders"
    And the log "payments"
    And a writer A

  @CORE-01 @MUST @commits
  Rule: A commit makes all writes of the transaction visible, in every log that it wrote to.
    If one log is not notified of the commit, its part of the transaction is missing for ever, and only half of the promised result
    exists.

    Scenario: [1] A transaction with one write commits
      Given A has written "a1" to orders
      When A commits
      Then readers of orders see "a1"

    Scenario: [2] A transaction with writes to two logs commits
      Given A has written "a1" to orders
      And A has written "a2" to payments
      When A commits
      Then readers of orders see "a1"
      And readers of payments see "a2"

  @CORE-02 @MUST
  Rule: No write of an open transaction is visible to readers of committed data.
    A reader that acts on an undecided write cannot undo its action when the transaction aborts.

    Scenario: [1] The first write of an open transaction is invisible
      When A writes "a1" to orders
      Then readers of orders see nothing

    Scenario: [2] Another writer commits after an open transaction
      Given a writer B
      And A has written "a1" to orders
      When B commits "b1" to orders
      Then readers of orders do not see "a1"

  @CORE-03 @MUST @aborts
  Rule: No write of an aborted transaction is ever visible, neither to present readers nor to later ones.
    A later reader must not receive what all others were spared.

    Scenario: [1] A transaction with one write aborts
      Given A has written "a1" to orders
      When A aborts
      Then readers of orders see nothing

    Scenario: [2] A plain write follows an aborted transaction over two logs
      Given A has written "a1" to orders
      And A has written "a2" to payments
      And A has aborted
      When "plain" is written to orders
      Then readers of orders see "plain"

  @CORE-04 @MUST
  Rule: The writes of a transaction to one log are visible in the order in which they were written.
    A reader that applies updates in the order of the log ends in a wrong state if the log delivers them in another order.

    Scenario: [1] A transaction writes three values to one log
      Given A has written "a1", "a2", "a3" to orders
      When A commits
      Then readers of orders see "a1", "a2", "a3"

    Scenario: [2] A transaction has three writes in flight at once
      Given A has written "a0" to orders
      And A has written "a1", "a2", "a3" to orders all at once
      When A commits
      Then readers of orders see "a0", "a1", "a2", "a3"

  @CORE-05 @MUST
  Rule: An open transaction does not hide from readers what precedes its first write in a log.
    A transaction that stays open must not hide what readers could already see; only later writes have to wait.

    Scenario: [1] A write precedes an open transaction
      Given "early" has been written to orders
      When A writes "a1" to orders
      Then readers of orders see "early"

  @CORE-06 @MUST @commits @aborts
  Rule: Readers see what is written after an open transaction once the transaction is committed or aborted.
    A reader that is blocked at a decided transaction waits for ever, although nothing is wrong with the log.

    Scenario: [1] A plain write follows a transaction that commits
      Given A has written "a1" to orders
      And "plain" has been written to orders
      When A commits
      Then readers of orders see "a1", "plain" in some order

    Scenario: [2] A plain write follows a transaction that aborts
      Given A has written "a1" to orders
      And "plain" has been written to orders
      When A aborts
      Then readers of orders see "plain"

  @CORE-07 @MUST @commits
  Rule: Every write that was acknowledged in a transaction is visible exactly once after its commit.
    A write that was acknowledged and is missing was lost without an error; one that is there twice is counted twice.

    Scenario: [1] A transaction makes twenty writes
      Given A has written "1" up to "20" to orders
      When A commits
      Then readers of orders see "1" up to "20"

    Scenario: [2] A transaction has eight writes in flight at once
      Given A has written "1" to orders
      And A has written "2", "3", "4", "5", "6", "7", "8", "9" to orders all at once
      When A commits
      Then readers of orders see "1" up to "9"

  @CORE-08 @MUST @aborts
  Rule: An aborted transaction does not affect the transactions before and after it.
    An abort that reaches too far hides what its writer has committed before, without an error.

    Scenario: [1] One writer commits, aborts and commits
      Given A has committed "a1" to orders
      And A has written "a2" to orders
      And A has aborted
      When A commits "a3" to orders
      Then readers of orders see "a1", "a3"

  @CORE-09 @MUST
  Rule: Transactions of different writers do not affect each other, in whatever order they end.
    An abort of one writer must not hide committed writes of another one between its own.

    Scenario: [1] One writer commits while the other aborts
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

    Scenario: [3] The transactions of two writers both abort
      Given a writer B
      And A has written "a1" to orders
      And B has written "b1" to orders
      And A has written "a2" to orders
      And A has aborted
      When B aborts
      Then readers of orders see nothing

    Scenario: [4] A transaction that began earlier writes for the first time after another one has committed
      Given a writer B
      And A has begun a transaction
      And B has committed "b1" to orders
      When A commits "a1" to orders
      Then readers of orders see "b1", "a1"
