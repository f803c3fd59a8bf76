Feature: Writers that have lost their transaction
  A transaction that its writer leaves alone ends by itself, and one that somebody else has ended is out of its writer's hands.

  Background:
    Given the log "orders"
    And the log "payments"

  @CORE-15 @MUST @aborts
  Rule: A transaction that its writer abandons is aborted by the system, and holds up nobody for ever.
    A writer that died with its transaction open would hold up every reader of its logs for ever.

    Scenario: [1] What an abandoned transaction wrote
      Given a writer A with a short time-out
      And A has written "a1" to orders
      When A leaves its transaction open past its time-out
      Then the transaction of A is over
      And readers of orders see nothing

    Scenario: [2] What others wrote behind an abandoned transaction
      Given a writer A with a short time-out
      And A has written "a1" to orders
      And "plain" has been written to orders
      When A leaves its transaction open past its time-out
      Then readers of orders see "plain"

  @CORE-16 @MUST @fencing
  Rule: A transaction that was abandoned for too long cannot be committed any more.
    A commit that comes after the system has given up must not be answered as done: its data is aborted already.

    Scenario: [1] A commit after the time-out
      Given a writer A with a short time-out
      And A has written "a1" to orders
      And A has left its transaction open past its time-out
      When A commits
      Then it is refused
      And readers of orders see nothing

  @CORE-17 @MUST @fencing
  Rule: Nothing becomes visible that a writer writes to a transaction which somebody else has ended.
    A writer that does not know yet that it was replaced would add records to a transaction that others have finished.

    Scenario: [1] A late write to a log of the ended transaction
      Given a writer A
      And A has written "a1" to orders
      And A has lost its transaction to somebody else
      And A has tried to write "late" to orders
      When "plain" is written to orders
      Then readers of orders do not see "late"

    Scenario: [2] A late write to a log that the ended transaction left alone
      Given a writer A
      And A has written "a1" to orders
      And A has lost its transaction to somebody else
      And A has tried to write "late" to payments
      When "plain" is written to payments
      Then readers of payments do not see "late"

    Scenario: [3] A late write before the commit of the one who goes on
      Given a writer A
      And A has written "a1" to orders
      And A has lost its transaction to somebody else
      And A has tried to write "late" to orders
      And a new instance of A
      When A commits "n1" to orders
      Then readers of orders see "n1"

  @CORE-18 @MUST @fencing
  Rule: A writer cannot commit a transaction that somebody else has ended.
    A writer that was replaced and still commits decides a transaction that its successor has taken over.

    Scenario: [1] A commit of a transaction that somebody else has ended
      Given a writer A
      And A has written "a1" to orders
      And A has lost its transaction to somebody else
      When A commits
      Then it is refused
      And readers of orders see nothing

  @CORE-19 @MUST @fencing
  Rule: A late write to a transaction that somebody else has ended holds up no reader.
    A write that opens its ended transaction anew leaves a transaction that nobody will end, and readers wait behind it for ever.

    Scenario: [1] What others write behind a late write
      Given a writer A
      And A has written "a1" to orders
      And A has lost its transaction to somebody else
      And A has tried to write "late" to orders
      When "plain" is written to orders
      Then readers of orders see "plain"

    Scenario: [2] What others write behind a late write to a log that the ended transaction left alone
      Given a writer A
      And A has written "a1" to orders
      And A has lost its transaction to somebody else
      And A has tried to write "late" to payments
      When "plain" is written to payments
      Then readers of payments see "plain"
