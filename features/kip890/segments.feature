Feature: Transactions over several segments
  A log is stored in segments, and what was aborted is noted beside the segment that has the marker. Readers must not notice.

  Background:
    Given a topic "ledger" whose log begins a new segment for each batch

  @KIP890-145 @MUST
  Rule: A transaction aborted across several log segments appears in the aborted list of every range it touches.

    Scenario: [1] Batch by batch
      Given producer A with transactional id "transfer"
      And A has written 4 batches to ledger-0, each in a segment of its own
      When A aborts
      Then each batch of A in ledger-0, fetched alone, comes with its aborted transaction
      And readers of committed data see nothing in ledger-0

    Scenario: [2] Around a committed transaction
      Given producers A and B with transactional ids "transfer" and "refund"
      And A has written 4 batches to ledger-0, each in a segment of its own
      And B has written "b1" to ledger-0
      When B commits and A aborts, watched by readers of committed data
      Then each batch of A in ledger-0, fetched alone, comes with its aborted transaction
      And readers of committed data see "b1" in ledger-0
