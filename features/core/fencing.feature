Feature: Writers that have lost their transaction
  The system ends a transaction that its writer abandons, and a writer cannot change a transaction that another client has ended.

  Background:
    Given the log "orders"
    And the log "payments"

  @CORE-15 @MUST @aborts
  Rule: The system aborts a transaction that its writer abandons, and the transaction no longer blocks readers.
    A writer that crashed with its transaction open would block every reader of its logs for ever.

    Background:
      Given a writer A with a short timeout
      And A has written "a1" to orders

    Scenario: [1] The writes of an abandoned transaction stay invisible
      When A leaves its transaction open past its timeout
      Then the transaction of A is over
      And readers of orders see nothing

    Scenario: [2] Writes after an abandoned transaction become visible
      Given "plain" has been written to orders
      When A leaves its transaction open past its timeout
      Then readers of orders see "plain"

  @CORE-16 @MUST @fencing
  Rule: A commit of a transaction that was abandoned past its timeout is refused.
    A commit after the system has aborted the transaction must not be answered with success: its data is aborted already.

    Scenario: [1] A writer commits after the timeout
      Given a writer A with a short timeout
      And A has written "a1" to orders
      And A has left its transaction open past its timeout
      When A commits
      Then it is refused
      And readers of orders see nothing

  @CORE-17 @MUST @fencing
  Rule: A write to a transaction that another client has ended never becomes visible.
    A writer that does not yet know that it was replaced would add records to a transaction that is already complete.

    Scenario: [1] A replaced writer writes to a log of its ended transaction
      Given a writer A
      And A has written "a1" to orders
      And A has lost its transaction to another client
      And A has tried to write "late" to orders
      When "plain" is written to orders
      Then readers of orders do not see "late"

    Scenario: [2] A replaced writer writes to a log that its ended transaction had not written to
      Given a writer A
      And A has written "a1" to orders
      And A has lost its transaction to another client
      And A has tried to write "late" to payments
      When "plain" is written to payments
      Then readers of payments do not see "late"

    Scenario: [3] A replaced writer writes before its successor commits
      Given a writer A
      And A has written "a1" to orders
      And A has lost its transaction to another client
      And A has tried to write "late" to orders
      And a new instance of A
      When A commits "n1" to orders
      Then readers of orders see "n1"

  @CORE-18 @MUST @fencing
  Rule: A writer's commit of a transaction that another client has ended is refused.
    A writer that was replaced and still commits decides a transaction that its successor has taken over.

    Scenario: [1] A writer commits a transaction that another client has aborted
      Given a writer A
      And A has written "a1" to orders
      And A has lost its transaction to another client
      When A commits
      Then it is refused
      And readers of orders see nothing

  @CORE-19 @MUST @fencing
  Rule: If a writer writes to a transaction that another client has ended, readers still receive every later committed value of that log.
    A write that reopens its ended transaction leaves a transaction that is never ended, and readers wait for ever.

    Scenario: [1] Another writer writes after a late write
      Given a writer A
      And A has written "a1" to orders
      And A has lost its transaction to another client
      And A has tried to write "late" to orders
      When "plain" is written to orders
      Then readers of orders see "plain"

    Scenario: [2] Another writer writes after a late write to a log that the ended transaction had not written to
      Given a writer A
      And A has written "a1" to orders
      And A has lost its transaction to another client
      And A has tried to write "late" to payments
      When "plain" is written to payments
      Then readers of payments see "plain"
