Feature: Requests that come late or twice
  A request that was held up on its way, or is sent again for want of an answer, reaches a system that has gone on in the meantime.

  Background:
    Given the log "orders"
    And a writer A

  @CORE-30 @MUST @commits @aborts
  Rule: To end a transaction again leaves the writer's next one alone, which stays open and undecided.
    A commit that is sent again for want of an answer would commit half of the next transaction, and a late abort would lose what the
    writer has written to it since.

    Scenario: [1] The commit comes again while the next transaction is open
      Given A has committed "a1" to orders
      And A has written "a2" to orders
      And A has tried to commit the same transaction again
      When A aborts
      Then readers of orders see "a1"

    Scenario: [2] The abort comes again while the next transaction is open
      Given A has written "a1" to orders
      And A has aborted
      And A has written "a2" to orders
      And A has tried to abort the same transaction again
      When A commits "a3" to orders
      Then readers of orders see "a2", "a3"

  @CORE-31 @MUST @commits
  Rule: A write that comes behind the commit of its own transaction neither appears, nor hides what was committed, nor holds up readers.
    A write that was held up on its way would open its transaction again. Nobody will ever end that, so readers wait for ever; or the
    next end takes it for aborted, and what was committed is gone.

    Scenario: [1] A new reader behind the late write
      Given A has committed "a1" to orders
      When A writes "late" to orders in the transaction that it ended
      Then readers of orders see "a1"

    Scenario: [2] What others write behind the late write
      Given A has committed "a1" to orders
      And A has tried to write "late" to orders in the transaction that it ended
      When "plain" is written to orders
      Then readers of orders see "a1", "plain"

    Scenario: [3] The writer's next transaction behind the late write
      Given A has committed "a1" to orders
      And A has tried to write "late" to orders in the transaction that it ended
      When A commits "a2" to orders
      Then readers of orders see "a1", "a2"

  @CORE-38 @MUST
  Rule: A write of a transaction that is sent again is stored once.
    A writer whose receipt is lost cannot know whether its write is stored, so it sends it again; an order would be
    there twice.

    Scenario: [1] The write comes again
      Given the deduplicating log "payments"
      And A has written "a1", "a2" to payments
      And A has sent its last write to payments again
      When A commits
      Then readers of payments see "a1", "a2"

    @needs:reload
    Scenario: [2] The log is reloaded in between
      Given the deduplicating log "payments"
      And A has written "a1", "a2" to payments
      And payments has been reloaded
      And A has sent its last write to payments again
      When A commits
      Then readers of payments see "a1", "a2"
