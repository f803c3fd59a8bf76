Feature: Deciding once
  A transaction is committed or aborted, once and for ever; to ask again does no harm.

  Background:
    Given the log "orders"
    And the log "payments"
    And a writer A

  @CORE-10 @MUST @aborts
  Rule: A transaction in which nothing was written can be aborted.
    A writer that opened a transaction and found nothing to do has to get out of it, or its next transaction cannot begin.

    Scenario: [1] An abort of a transaction without writes
      Given A has begun a transaction
      When A aborts
      Then it is done
      And the transaction of A is over

  @CORE-11 @MUST @commits
  Rule: To commit again does no harm: nothing appears twice, and nothing disappears.
    A writer that lost the answer has to ask again. If that counted as a second commit, it would fence the writer, or show its data
    twice.

    Scenario: [1] A commit that is asked for twice
      Given A has committed "a1" to orders
      When A commits the same transaction again
      Then readers of orders see "a1"

    @needs:crash
    Scenario: [2] A commit that is asked for again after a crash
      Given A has committed "a1" to orders
      And the system has crashed and come back
      And A has tried to commit the same transaction again
      When A commits "a2" to orders
      Then readers of orders see "a1", "a2"

  @CORE-12 @MUST @aborts
  Rule: To abort again does no harm: nothing of the transaction appears.
    A writer that lost the answer to its abort asks again; the second abort must not uncover what the first one hid.

    Scenario: [1] An abort that is asked for twice
      Given A has written "a1" to orders
      And A has aborted
      When A aborts the same transaction again
      Then readers of orders see nothing

  @CORE-13 @MUST @commits
  Rule: A committed transaction cannot be aborted: the attempt is refused, and its writes stay visible.
    A writer that hears success for an abort of committed data writes it once more, and readers get it twice.

    Scenario: [1] An abort after the commit
      Given A has committed "a1" to orders
      When A aborts the same transaction again
      Then it is refused
      And readers of orders see "a1"

    @needs:crash
    Scenario: [2] An abort after the commit and a crash
      Given A has committed "a1" to orders
      And the system has crashed and come back
      When A aborts the same transaction again
      Then it is refused
      And readers of orders see "a1"

  @CORE-14 @MUST @aborts
  Rule: An aborted transaction cannot be committed: the attempt is refused, and none of its writes appears.
    A writer that hears success for a commit of aborted data goes on, and what it wrote is lost.

    Scenario: [1] A commit after the abort
      Given A has written "a1" to orders
      And A has aborted
      When A commits the same transaction again
      Then it is refused
      And readers of orders see nothing

    @needs:crash
    Scenario: [2] A commit after the abort and a crash
      Given A has written "a1" to orders
      And A has aborted
      And the system has crashed and come back
      When A commits the same transaction again
      Then it is refused
      And readers of orders see nothing
