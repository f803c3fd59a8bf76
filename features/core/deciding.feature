Feature: Deciding once
  A transaction is committed or aborted once and for ever; a repeated request changes nothing.

  Background:
    Given the log "orders"
    And the log "payments"
    And a writer A

  @CORE-10 @MUST @aborts
  Rule: A writer can abort a transaction without writes.
    A writer that opened a transaction and found nothing to do must be able to end it, or its next transaction cannot begin.

    Scenario: [1] A writer aborts a transaction without writes
      Given A has begun a transaction
      When A aborts
      Then it is done
      And the transaction of A is over

  @CORE-11 @MUST @commits
  Rule: A repeated commit changes nothing: no write appears twice, and none disappears.
    A writer that lost the answer has to retry. A retry that counted as a second commit would fence the writer, or show its data twice.

    Scenario: [1] A writer repeats a commit
      Given A has committed "a1" to orders
      When A commits the same transaction again
      Then readers of orders see "a1"

    @needs:crash
    Scenario: [2] A writer repeats a commit after a crash
      Given A has committed "a1" to orders
      And the system has crashed and restarted
      And A has tried to commit the same transaction again
      When A commits "a2" to orders
      Then readers of orders see "a1", "a2"

  @CORE-12 @MUST @aborts
  Rule: A repeated abort changes nothing: no write of the transaction appears.
    A writer that lost the answer to its abort retries; the second abort must not uncover what the first one hid.

    Scenario: [1] A writer repeats an abort
      Given A has written "a1" to orders
      And A has aborted
      When A aborts the same transaction again
      Then readers of orders see nothing

  @CORE-13 @MUST @commits
  Rule: An abort of a committed transaction is refused, and the writes stay visible.
    A writer that receives a success for an abort of committed data writes it once more, and readers receive it twice.

    Scenario: [1] A writer aborts after the commit
      Given A has committed "a1" to orders
      When A aborts the same transaction again
      Then it is refused
      And readers of orders see "a1"

    @needs:crash
    Scenario: [2] A writer aborts after the commit and a crash
      Given A has committed "a1" to orders
      And the system has crashed and restarted
      When A aborts the same transaction again
      Then it is refused
      And readers of orders see "a1"

    Scenario: [3] A writer repeats an abort that was refused after the commit
      Given A has committed "a1" to orders
      And A has tried to abort the same transaction again
      When A aborts the same transaction again
      Then it is refused
      And readers of orders see "a1"

  @CORE-14 @MUST @aborts
  Rule: A commit of an aborted transaction is refused, and none of the writes appears.
    A writer that receives a success for a commit of aborted data continues, and what it wrote is lost.

    Scenario: [1] A writer commits after the abort
      Given A has written "a1" to orders
      And A has aborted
      When A commits the same transaction again
      Then it is refused
      And readers of orders see nothing

    @needs:crash
    Scenario: [2] A writer commits after the abort and a crash
      Given A has written "a1" to orders
      And A has aborted
      And the system has crashed and restarted
      When A commits the same transaction again
      Then it is refused
      And readers of orders see nothing

    Scenario: [3] A writer repeats a commit that was refused after the abort
      Given A has written "a1" to orders
      And A has aborted
      And A has tried to commit the same transaction again
      When A commits the same transaction again
      Then it is refused
      And readers of orders see nothing
