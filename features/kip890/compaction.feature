Feature: Compaction of topics with transactions
  A log cleaner keeps the newest record of each key. It must know how each transaction has ended, and what readers and the broker still need.

  Background:
    Given a compacted topic "ledger" that keeps markers for no time
    And producers A and B with transactional ids "transfer" and "refund"

  @KIP890-440 @MUST @retention @commits
  Rule: After compaction, readers of committed data receive the newest committed record of each key, at its offset.
    A service that rebuilds its state from the topic would lose a key, or find its positions moved.

    @needs:compaction
    Scenario: [1] A key has two committed records
      Given A has committed "a1" under key "x" to ledger-0
      And A has committed "a2" under key "y" to ledger-0
      And B has committed "b1" under key "x" to ledger-0
      When ledger-0 is compacted
      Then readers of compacted ledger-0 see "a2", "b1"
      And each record that is left in ledger-0 has its offset from before

    @needs:compaction
    Scenario: [2] A batch loses its first record
      Given A has written "a1" under key "x" and "a2" under key "y" to ledger-0 in one batch
      And A has committed
      And B has committed "b1" under key "x" to ledger-0
      When ledger-0 is compacted
      Then readers of compacted ledger-0 see "a2", "b1"
      And each record that is left in ledger-0 has its offset from before

    @needs:compaction
    Scenario: [3] A key gets a newer record after a pass
      Given A has committed "a1" under key "x" to ledger-0
      And A has committed "a2" under key "y" to ledger-0
      And ledger-0 has been compacted
      And B has committed "b1" under key "x" to ledger-0
      When ledger-0 is compacted
      Then readers of compacted ledger-0 see "a2", "b1"

    @needs:compaction @needs:crash
    Scenario: [4] The system crashes after passes
      Given A has committed "a1" under key "x" to ledger-0
      And A has committed "a2" under key "y" to ledger-0
      And B has committed "b1" under key "x" to ledger-0
      And ledger-0 has been compacted twice
      When the system crashes and comes back
      Then readers of compacted ledger-0 see "a2", "b1"
      And the last stable offset of ledger-0 is the high watermark

  @KIP890-441 @MUST @retention @aborts
  Rule: Readers of committed data never receive a record of an aborted transaction from a compacted topic.
    What was withdrawn would come back as soon as the cleaner has dropped the marker that says so.

    @needs:compaction
    Scenario: [1] Several transactions have aborted before a pass
      Given A has aborted "a1" under key "x" to ledger-0
      And B has aborted "b1" under key "y" to ledger-0
      And A has aborted "a2" under key "z" to ledger-0
      When ledger-0 is compacted
      Then readers of compacted ledger-0 see nothing
      And the last stable offset of ledger-0 is the high watermark

    @needs:compaction
    Scenario: [2] A transaction aborts after a pass over the log before it
      Given a new segment of ledger-0 has begun
      And A has written "a1" under key "x" to ledger-0
      And ledger-0 has been compacted
      And A has aborted "a2" under key "y" to ledger-0
      When ledger-0 is compacted
      Then readers of compacted ledger-0 see nothing
      And the last stable offset of ledger-0 is the high watermark

    @needs:compaction
    Scenario: [3] A transaction has aborted after an open one has begun
      Given a new segment of ledger-0 has begun
      And A has written "a1" under key "x" to ledger-0
      And B has aborted "b1" under key "y" to ledger-0
      And ledger-0 has been compacted
      When A commits
      Then readers of compacted ledger-0 see "a1"

    @needs:compaction @needs:crash
    Scenario: [4] The system crashes after passes over an abort and the producer's next transaction
      Given A has aborted "a1" under key "x" to ledger-0
      And A has committed "a2" under key "y" to ledger-0
      And ledger-0 has been compacted twice
      When the system crashes and comes back
      Then readers of compacted ledger-0 see "a2"
      And the last stable offset of ledger-0 is the high watermark

  @KIP890-442 @MUST @retention @aborts
  Rule: An aborted record takes no committed record's place when the log is compacted.
    The last committed state of a key would be lost to a state that never was.

    @needs:compaction
    Scenario: [1] A record of the same key has aborted
      Given B has committed "b1" under key "x" to ledger-0
      And A has aborted "a1" under key "x" to ledger-0
      When ledger-0 is compacted
      Then readers of compacted ledger-0 see "b1"

    @needs:compaction
    Scenario: [2] A record of the same key has aborted in a later segment
      Given B has committed "b1" under key "x" to ledger-0
      And A has written "a1" under key "x" to ledger-0
      And a new segment of ledger-0 has begun
      And A has aborted "a2" under key "y" to ledger-0
      When ledger-0 is compacted
      Then readers of compacted ledger-0 see "b1"

  @KIP890-443 @MUST @retention @commits @aborts
  Rule: A pass removes no record of an open transaction, and none for the sake of one.
    A commit would show a part of its records only, or an abort could not bring back what was there before.

    @needs:compaction
    Scenario: [1] A topic is compacted while a transaction with a newer record is open
      Given B has committed "b1" under key "x" to ledger-0
      And a new segment of ledger-0 has begun
      And A has written "a1" under key "x" to ledger-0
      When ledger-0 is compacted
      Then readers of compacted ledger-0 see "b1"
      And the last stable offset of ledger-0 is the offset of "a1"

    @needs:compaction
    Scenario: [2] The open transaction aborts after the pass
      Given B has committed "b1" under key "x" to ledger-0
      And a new segment of ledger-0 has begun
      And A has written "a1" under key "x" to ledger-0
      And ledger-0 has been compacted
      When A aborts
      Then readers of compacted ledger-0 see "b1"

    @needs:compaction
    Scenario: [3] The open transaction commits after the pass
      Given a new segment of ledger-0 has begun
      And A has written "a1" under key "x" to ledger-0
      And A has written "a2" under key "x" to ledger-0
      And A has written "a3" under key "y" to ledger-0
      And ledger-0 has been compacted
      When A commits
      Then readers of compacted ledger-0 see "a1", "a2", "a3"

    @needs:compaction
    Scenario: [4] The transaction is compacted after its commit
      Given a new segment of ledger-0 has begun
      And A has written "a1" under key "x" to ledger-0
      And ledger-0 has been compacted
      And A has written "a2" under key "x" to ledger-0
      And A has committed "a3" under key "y" to ledger-0
      When ledger-0 is compacted
      Then readers of compacted ledger-0 see "a2", "a3"

    @needs:compaction @needs:crash
    Scenario: [5] The system crashes after a pass, and the transaction is still open
      Given B has committed "b1" under key "x" to ledger-0
      And a new segment of ledger-0 has begun
      And A has written "a1" under key "x" to ledger-0
      And ledger-0 has been compacted
      When the system crashes and comes back
      Then readers of compacted ledger-0 see "b1"
      And the last stable offset of ledger-0 is the offset of "a1"

  @KIP890-444 @MUST @retention
  Rule: A record whose key has the bytes of a marker's key removes no marker, and no marker removes it.
    Without its marker a transaction hangs, or is taken for a part of the next one of its producer.

    @needs:compaction
    Scenario: [1] A marker follows a record with its key
      Given B has committed "b1" under the key of an ABORT marker to ledger-0
      And A has aborted "a1" under key "x" to ledger-0
      When ledger-0 is compacted twice
      Then readers of compacted ledger-0 see "b1"

    @needs:compaction @needs:crash
    Scenario: [2] A record with the key of a COMMIT marker follows a commit
      Given A has committed "a1" under key "x" to ledger-0
      And B has committed "b1" under the key of a COMMIT marker to ledger-0
      And ledger-0 has been compacted twice
      And A has aborted "a2" under key "y" to ledger-0
      When the system crashes and comes back
      Then readers of compacted ledger-0 see "a1", "b1"
      And the last stable offset of ledger-0 is the high watermark

  @KIP890-445 @MUST @retention @recovery
  Rule: The marker of a transaction stays in a compacted log as long as a record of the transaction does.
    After a restart its records would be undecided again, or share the fate of the producer's next transaction.

    @needs:compaction @needs:crash
    Scenario: [1] A committed transaction lies in several segments
      Given A has written "a1" under key "x" to ledger-0
      And a new segment of ledger-0 has begun
      And A has committed "a2" under key "y" to ledger-0
      And ledger-0 has been compacted 3 times
      When the system crashes and comes back
      Then readers of compacted ledger-0 see "a1", "a2"
      And the last stable offset of ledger-0 is the high watermark

    @needs:compaction @needs:crash
    Scenario: [2] The producer aborts its next transaction
      Given A has written "a1" under key "x" to ledger-0
      And a new segment of ledger-0 has begun
      And A has committed
      And A has aborted "a2" under key "y" to ledger-0
      And ledger-0 has been compacted 3 times
      When the system crashes and comes back
      Then readers of compacted ledger-0 see "a1"

  @KIP890-446 @MUST @retention
  Rule: Compaction never moves the last stable offset back.
    Readers would receive records for a second time, or lose the place that they have come to.

    @needs:compaction
    Scenario: [1] A transaction is open while the log before it is compacted
      Given B has committed "b1" under key "x" to ledger-0
      And B has committed "b2" under key "x" to ledger-0
      And a new segment of ledger-0 has begun
      And A has written "a1" under key "y" to ledger-0
      When ledger-0 is compacted
      Then the last stable offset of compacted ledger-0 has never gone back
      And the last stable offset of ledger-0 is the offset of "a1"

    @needs:compaction
    Scenario: [2] Everything is decided
      Given A has aborted "a1" under key "x" to ledger-0
      And A has committed "a2" under key "x" to ledger-0
      And B has committed "b1" under key "x" to ledger-0
      When ledger-0 is compacted 3 times
      Then the last stable offset of compacted ledger-0 has never gone back
      And the last stable offset of ledger-0 is the high watermark

  @KIP890-447 @MUST @retention @fencing @recovery
  Rule: A partition knows a producer's epoch and sequence numbers after all its records are compacted away, also after a restart.
    A batch that is sent again would be appended a second time, and a lost one would not be missed.

    @needs:compaction @needs:crash
    Scenario: [1] A batch is sent again
      Given idempotent producer C
      And C has written "c1" under key "x" to ledger-0
      And B has committed "b1" under key "x" to ledger-0
      And ledger-0 has been compacted twice
      And the system has crashed and come back
      When C writes "c1" under key "x" to ledger-0 at sequence 0
      Then readers of compacted ledger-0 see "b1"

    @needs:compaction @needs:crash
    Scenario: [2] A batch is missing
      Given A is an old client (transaction version 0)
      And A has aborted "a1" under key "x" to ledger-0
      And ledger-0 has been compacted twice
      And A has added ledger-0
      And the system has crashed and come back
      When A writes "a3" under key "x" to ledger-0 at sequence 2
      Then it is refused with OUT_OF_ORDER_SEQUENCE_NUMBER

    @needs:compaction @needs:crash
    Scenario: [3] A batch of an earlier epoch is late
      Given idempotent producer C
      And C has raised its own epoch
      And C has written "c1" under key "x" to ledger-0
      And B has committed "b1" under key "x" to ledger-0
      And ledger-0 has been compacted twice
      When C writes "c0" under key "x" to ledger-0 with its previous epoch
      Then it is refused with INVALID_PRODUCER_EPOCH

  @KIP890-448 @SHOULD @retention @aborts
  Rule: A marker stays for the topic's delete.retention.ms after all records of its transaction are gone.
    A reader that has come as far as the records, and reads on, would wait for an end that never comes.

    @needs:compaction
    Scenario: [1] A topic keeps markers for a day
      Given a compacted topic "archive" that keeps markers for a day
      And A has aborted "a1" under key "x" to archive-0
      And A has committed "a2" under key "y" to archive-0
      And archive-0 has been compacted
      When archive-0 is compacted twice
      Then archive-0 still holds the ABORT marker of A
      And readers of compacted archive-0 see "a2"
