Feature: Ending a transaction, off the beaten track
  What a new client is answered when it asks too early, too late, again, or for somebody else.

  Background:
    Given a topic "payments" with 2 partitions

  @KIP890-066 @MUST
  Rule: An EndTxn v5 retried while the markers are on their way answers CONCURRENT_TRANSACTIONS without an identity.

    Scenario: [1] A commit is asked for again
      Given producer A with transactional id "transfer"
      And the end of A's transaction is held back
      And A has committed
      When A commits with its previous epoch
      Then the request is refused with CONCURRENT_TRANSACTIONS
      And no producer id or epoch is handed out

    Scenario: [2] An abort is asked for again
      Given producer A with transactional id "transfer"
      And the end of A's transaction is held back
      And A has aborted
      When A aborts with its previous epoch
      Then the request is refused with CONCURRENT_TRANSACTIONS
      And no producer id or epoch is handed out
