@needs:compaction
Feature: Compaction of topics with transactions
  A log cleaner keeps the newest record of each key. It must know how each transaction has ended, and what readers and the broker still need.

  Background:
    Given a compacted topic "ledger" that keeps markers for no time
    And producers A and B with transactional ids "transfer" and "refund"

  @KIP890-440 @MUST @retention @commits
  Rule: After compaction, read_committed readers receive the newest committed record of each key, at its original offset.
    A service that rebuilds its state from the topic would lose a key, or find its positions moved.

    Scenario: [1] A key has two committed records
      Given A has committed "a1" under key "x" to ledger-0
      And A has committed "a2" under key "y" to ledger-0
      And B has committed "b1" under key "x" to ledger-0
      When ledger-0 is compacted
      Then readers of compacted ledger-0 see "a2", "b1"
      And each record that is left in ledger-0 has its offset from before

    Scenario: [2] A batch loses its first record
      Given A has written "a1" under key "x" and "a2" under key "y" to ledger-0
      And A has committed
      And B has committed "b1" under key "x" to ledger-0
      When ledger-0 is compacted
      Then readers of compacted ledger-0 see "a2", "b1"
      And each record that is left in ledger-0 has its offset from before

    Scenario: [3] A key gets a newer record after a pass
      Given A has committed "a1" under key "x" to ledger-0
      And A has committed "a2" under key "y" to ledger-0
      And ledger-0 has been compacted
      And B has committed "b1" under key "x" to ledger-0
      When ledger-0 is compacted
      Then readers of compacted ledger-0 see "a2", "b1"

    @needs:crash
    Scenario: [4] The system crashes after passes
      Given A has committed "a1" under key "x" to ledger-0
      And A has committed "a2" under key "y" to ledger-0
      And B has committed "b1" under key "x" to ledger-0
      And ledger-0 has been compacted twice
      When the system crashes and restarts
      Then readers of compacted ledger-0 see "a2", "b1"
      And the last stable offset of ledger-0 is the high watermark

    Scenario: [5] A batch has the newest records of two keys
      Given A has committed "a1" under key "x" to ledger-0
      And A has committed "a2" under key "y" to ledger-0
      And B has written "b1" under key "x" and "b2" under key "y" to ledger-0
      And B has committed
      When ledger-0 is compacted
      Then readers of compacted ledger-0 see "b1", "b2"

  @KIP890-441 @MUST @retention @aborts
  Rule: A read_committed Fetch returns no record of an aborted transaction from a compacted topic.
    What was withdrawn would become visible as soon as the cleaner has removed the abort marker.

    Scenario: [1] Several transactions have aborted before a pass
      Given A has aborted "a1" under key "x" to ledger-0
      And B has aborted "b1" under key "y" to ledger-0
      And A has aborted "a2" under key "z" to ledger-0
      When ledger-0 is compacted
      Then readers of compacted ledger-0 see nothing
      And the last stable offset of ledger-0 is the high watermark

    Scenario: [2] A transaction aborts after a pass over the log before it
      Given a new segment of ledger-0 has begun
      And A has written "a1" under key "x" to ledger-0
      And ledger-0 has been compacted
      And A has aborted "a2" under key "y" to ledger-0
      When ledger-0 is compacted
      Then readers of compacted ledger-0 see nothing
      And the last stable offset of ledger-0 is the high watermark

    Scenario: [3] A transaction has aborted after an open one has begun
      Given a new segment of ledger-0 has begun
      And A has written "a1" under key "x" to ledger-0
      And B has aborted "b1" under key "y" to ledger-0
      And ledger-0 has been compacted
      When A commits
      Then readers of compacted ledger-0 see "a1"

    @needs:crash
    Scenario: [4] The system crashes after passes over an abort and the producer's next transaction
      Given A has aborted "a1" under key "x" to ledger-0
      And A has committed "a2" under key "y" to ledger-0
      And ledger-0 has been compacted twice
      When the system crashes and restarts
      Then readers of compacted ledger-0 see "a2"
      And the last stable offset of ledger-0 is the high watermark

    Scenario: [5] Two transactions have aborted after an open one has begun
      Given a new segment of ledger-0 has begun
      And A has written "a1" under key "x" to ledger-0
      And B has aborted "b1" under key "y" to ledger-0
      And B has aborted "b2" under key "z" to ledger-0
      And ledger-0 has been compacted
      When A commits
      Then readers of compacted ledger-0 see "a1"

  @KIP890-442 @MUST @retention @aborts
  Rule: The cleaner removes no committed record because of an aborted record with the same key.
    The last committed state of a key would be lost to a state that was withdrawn.

    Scenario: [1] A record of the same key has aborted
      Given B has committed "b1" under key "x" to ledger-0
      And A has aborted "a1" under key "x" to ledger-0
      When ledger-0 is compacted
      Then readers of compacted ledger-0 see "b1"

    Scenario: [2] A record of the same key has aborted in a later segment
      Given B has committed "b1" under key "x" to ledger-0
      And A has written "a1" under key "x" to ledger-0
      And a new segment of ledger-0 has begun
      And A has aborted "a2" under key "y" to ledger-0
      When ledger-0 is compacted
      Then readers of compacted ledger-0 see "b1"

    Scenario: [3] A transaction has aborted within one that commits
      Given A has written "a1" under key "x" to ledger-0
      And B has written "b1" under key "y" to ledger-0
      And B has aborted
      And A has committed "a2" under key "z" to ledger-0
      When ledger-0 is compacted
      Then readers of compacted ledger-0 see "a1", "a2"

    Scenario: [4] A record of the same key has aborted around a transaction that commits
      Given B has committed "b1" under key "x" to ledger-0
      And A has written "a1" under key "x" to ledger-0
      And B has committed "b2" under key "y" to ledger-0
      And A has aborted
      When ledger-0 is compacted
      Then readers of compacted ledger-0 see "b1", "b2"

  @KIP890-443 @MUST @retention @commits @aborts
  Rule: The cleaner removes no record of an open transaction, and no older record because an open transaction has a newer one of its key.
    A commit would show only a part of its records, or an abort could not restore the previous state.

    Scenario: [1] A topic is compacted while a transaction with a newer record is open
      Given B has committed "b1" under key "x" to ledger-0
      And a new segment of ledger-0 has begun
      And A has written "a1" under key "x" to ledger-0
      When ledger-0 is compacted
      Then readers of compacted ledger-0 see "b1"
      And the last stable offset of ledger-0 is the offset of "a1"

    Scenario: [2] The open transaction aborts after the pass
      Given B has committed "b1" under key "x" to ledger-0
      And a new segment of ledger-0 has begun
      And A has written "a1" under key "x" to ledger-0
      And ledger-0 has been compacted
      When A aborts
      Then readers of compacted ledger-0 see "b1"

    Scenario: [3] The open transaction commits after the pass
      Given a new segment of ledger-0 has begun
      And A has written "a1" under key "x" to ledger-0
      And A has written "a2" under key "y" to ledger-0
      And ledger-0 has been compacted
      When A commits
      Then readers of compacted ledger-0 see "a1", "a2"

    Scenario: [4] The transaction is compacted after its commit
      Given a new segment of ledger-0 has begun
      And A has written "a1" under key "x" to ledger-0
      And ledger-0 has been compacted
      And A has written "a2" under key "x" to ledger-0
      And A has committed "a3" under key "y" to ledger-0
      When ledger-0 is compacted
      Then readers of compacted ledger-0 see "a2", "a3"

    @needs:crash
    Scenario: [5] The system crashes after a pass, and the transaction is still open
      Given B has committed "b1" under key "x" to ledger-0
      And a new segment of ledger-0 has begun
      And A has written "a1" under key "x" to ledger-0
      And ledger-0 has been compacted
      When the system crashes and restarts
      Then readers of compacted ledger-0 see "b1"
      And the last stable offset of ledger-0 is the offset of "a1"

  @KIP890-444 @MUST @retention
  Rule: The cleaner treats a marker and a record whose keys have the same bytes as different keys, and removes neither because of the other.
    Without its marker a transaction hangs, or its records become part of the producer's next transaction.

    Scenario: [1] A marker follows a record with its key
      Given B has committed "b1" under the key of an ABORT marker to ledger-0
      And A has aborted "a1" under key "x" to ledger-0
      When ledger-0 is compacted twice
      Then readers of compacted ledger-0 see "b1"

    @needs:crash
    Scenario: [2] A record with the key of a COMMIT marker follows a commit
      Given A has committed "a1" under key "x" to ledger-0
      And B has committed "b1" under the key of a COMMIT marker to ledger-0
      And ledger-0 has been compacted twice
      And A has aborted "a2" under key "y" to ledger-0
      When the system crashes and restarts
      Then readers of compacted ledger-0 see "a1", "b1"
      And the last stable offset of ledger-0 is the high watermark

  @KIP890-445 @MUST @retention @recovery
  Rule: The cleaner keeps the marker of a transaction as long as a record of the transaction is in the log.
    After a restart the records would be undecided again, or follow the outcome of the producer's next transaction.

    @needs:crash
    Scenario: [1] A committed transaction lies in several segments
      Given A has written "a1" under key "x" to ledger-0
      And a new segment of ledger-0 has begun
      And A has committed "a2" under key "y" to ledger-0
      And ledger-0 has been compacted 3 times
      When the system crashes and restarts
      Then readers of compacted ledger-0 see "a1", "a2"
      And the last stable offset of ledger-0 is the high watermark

    @needs:crash
    Scenario: [2] The producer aborts its next transaction
      Given A has written "a1" under key "x" to ledger-0
      And a new segment of ledger-0 has begun
      And A has committed
      And A has aborted "a2" under key "y" to ledger-0
      And ledger-0 has been compacted 3 times
      When the system crashes and restarts
      Then readers of compacted ledger-0 see "a1"

  @KIP890-446 @MUST @retention
  Rule: Compaction never moves the last stable offset back.
    Readers would receive records a second time, or lose their position.

    Scenario: [1] A transaction is open while the log before it is compacted
      Given B has committed "b1" under key "x" to ledger-0
      And B has committed "b2" under key "x" to ledger-0
      And a new segment of ledger-0 has begun
      And A has written "a1" under key "y" to ledger-0
      When ledger-0 is compacted
      Then the last stable offset of compacted ledger-0 has never gone back
      And the last stable offset of ledger-0 is the offset of "a1"

    Scenario: [2] Everything is decided
      Given A has aborted "a1" under key "x" to ledger-0
      And A has committed "a2" under key "x" to ledger-0
      And B has committed "b1" under key "x" to ledger-0
      When ledger-0 is compacted 3 times
      Then the last stable offset of compacted ledger-0 has never gone back
      And the last stable offset of ledger-0 is the high watermark

  @KIP890-447 @MUST @retention @fencing @recovery
  Rule: A partition knows a producer's epoch and sequence numbers after compaction has removed all of its records, also after a restart.
    A batch that is sent again would be appended a second time, and a lost one would go unnoticed.

    @needs:crash
    Scenario: [1] A batch is sent again
      Given idempotent producer C
      And C has written "c1" under key "x" to ledger-0
      And B has committed "b1" under key "x" to ledger-0
      And ledger-0 has been compacted twice
      And the system has crashed and restarted
      When C writes "c1" under key "x" to ledger-0 at sequence 0
      Then readers of compacted ledger-0 see "b1"

    @needs:crash
    Scenario: [2] A batch is missing
      Given A is an old client (transaction version 0)
      And A has aborted "a1" under key "x" to ledger-0
      And ledger-0 has been compacted twice
      And A has added ledger-0
      And the system has crashed and restarted
      When A writes "a3" under key "x" to ledger-0 at sequence 2
      Then it is refused with OUT_OF_ORDER_SEQUENCE_NUMBER

    @needs:crash
    Scenario: [3] A batch of an earlier epoch is late
      Given idempotent producer C
      And C has raised its own epoch
      And C has written "c1" under key "x" to ledger-0
      And B has committed "b1" under key "x" to ledger-0
      And ledger-0 has been compacted twice
      When C writes "c0" under key "x" to ledger-0 with its previous epoch
      Then it is refused with INVALID_PRODUCER_EPOCH

    @needs:crash
    Scenario: [4] A marker of an earlier epoch is late
      Given A has aborted "a1" under key "x" to ledger-0
      And B has committed "b1" under key "x" to ledger-0
      And ledger-0 has been compacted 3 times
      And the system has crashed and restarted
      When an ABORT marker for A reaches ledger-0 with its previous epoch
      Then it is refused with INVALID_PRODUCER_EPOCH

  @KIP890-448 @SHOULD @retention @aborts
  Rule: The cleaner keeps a marker for the topic's delete.retention.ms after all records of its transaction are gone.
    A reader that has read the records and continues would wait for an end that never arrives.

    Scenario: [1] A topic keeps markers for a day
      Given a compacted topic "archive" that keeps markers for a day
      And A has aborted "a1" under key "x" to archive-0
      And A has committed "a2" under key "y" to archive-0
      And archive-0 has been compacted
      When archive-0 is compacted twice
      Then archive-0 still holds the ABORT marker of A
      And readers of compacted archive-0 see "a2"
