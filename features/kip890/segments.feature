Feature: Transactions over several segments
  A log is stored in segments, and aborted transactions are recorded with the segment that has the marker. Readers must not notice.

  Background:
    Given a topic "ledger" with 1 partition and a new segment for each batch

  @KIP890-145 @MUST @aborts
  Rule: A read_committed Fetch lists an aborted transaction over several log segments for every range that it overlaps.
    A reader that starts in the middle of a long transaction must learn of its abort too, or it delivers aborted records.

    Scenario: [1] A transaction over four segments aborts
      Given producer A with transactional id "transfer"
      And A has written 4 batches to ledger-0
      When A aborts
      Then a read_committed Fetch of any batch of A in ledger-0 lists its aborted transaction
      And readers of ledger-0 see nothing

    Scenario: [2] A transaction over four segments aborts around a committed one
      Given producers A and B with transactional ids "transfer" and "refund"
      And A has written 4 batches to ledger-0
      And B has written "b1" to ledger-0
      When B commits and A aborts
      Then a read_committed Fetch of any batch of A in ledger-0 lists its aborted transaction
      And readers of ledger-0 see "b1"

    Scenario: [3] A shorter transaction aborts within a transaction over four segments
      Given producers A and B with transactional ids "transfer" and "refund"
      And A has written "a1" to ledger-0
      And B has written "b1" to ledger-0
      And B has aborted
      And A has written 3 batches to ledger-0
      When A aborts
      Then a read_committed Fetch of any batch of A in ledger-0 lists its aborted transaction
