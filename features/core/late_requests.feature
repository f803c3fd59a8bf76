Feature: Late and duplicate requests
  A request that was delayed, or is retried for lack of an answer, reaches a system that has moved on.

  Background:
    Given the log "orders"
    And a writer A

  @CORE-30 @MUST @commits @aborts
  Rule: A repeated commit or abort of a transaction does not end the writer's next transaction.
    A retried commit would commit half of the next transaction, and a late abort would lose what the writer has written to it.

    Scenario: [1] A commit is repeated while the next transaction is open
      Given A has committed "a1" to orders
      And A has written "a2" to orders
      And A has tried to commit the same transaction again
      When A aborts
      Then readers of orders see "a1"

    Scenario: [2] An abort is repeated while the next transaction is open
      Given A has written "a1" to orders
      And A has aborted
      And A has written "a2" to orders
      And A has tried to abort the same transaction again
      When A commits "a3" to orders
      Then readers of orders see "a2", "a3"

    Scenario: [3] The previous instance of a writer repeats its commit while the next transaction is open
      Given A has committed "a1" to orders
      And a new instance of A
      And A has written "a2" to orders
      And A has tried to commit the same transaction again
      When A aborts
      Then readers of orders see "a1"

  @CORE-31 @MUST @commits
  Rule: A write that arrives after the commit of its transaction does not become visible, hides no committed write and blocks no reader.
    A delayed write would reopen its transaction. Either it is never ended and readers wait for ever, or the next end treats it as aborted
    and committed data disappears.

    Scenario: [1] A new reader reads after a late write
      Given A has committed "a1" to orders
      When A writes "late" to orders in the transaction that it ended
      Then readers of orders see "a1"

    Scenario: [2] Another writer writes after a late write
      Given A has committed "a1" to orders
      And A has tried to write "late" to orders in the transaction that it ended
      When "plain" is written to orders
      Then readers of orders see "a1", "plain"

    Scenario: [3] The writer's next transaction commits after a late write
      Given A has committed "a1" to orders
      And A has tried to write "late" to orders in the transaction that it ended
      When A commits "a2" to orders
      Then readers of orders see "a1", "a2"

  @CORE-38 @MUST
  Rule: A log stores a write in a transaction once, even if the writer sends it again.
    A writer that receives no acknowledgement cannot know whether its write is stored, so it sends it again; an order would be there
    twice.

    Scenario: [1] A write is sent again
      Given the deduplicating log "payments"
      And A has written "a1", "a2" to payments
      And A has sent its last write to payments again
      When A commits
      Then readers of payments see "a1", "a2"

    @needs:reload
    Scenario: [2] A write is sent again after the log was reloaded
      Given the deduplicating log "payments"
      And A has written "a1", "a2" to payments
      And payments has been reloaded
      And A has sent its last write to payments again
      When A commits
      Then readers of payments see "a1", "a2"
