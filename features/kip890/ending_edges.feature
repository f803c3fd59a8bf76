Feature: Ending a transaction in unusual cases
  How a new client is answered when its EndTxn is early, late, repeated, or for another producer.

  Background:
    Given a topic "payments" with 2 partitions

  @KIP890-062 @MUST
  Rule: EndTxn v5 returns producer id and epoch in every successful answer, and -1 for both in every refusal.
    A client that uses the identity of a refusal continues with one that it was never given.

    @needs:transactions-v2
    Scenario: [1] A commit succeeds
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      When A commits
      Then it is done and answers the same producer id and the next epoch

    @needs:transactions-v2
    Scenario: [2] A retried commit succeeds
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has committed
      When A commits with its previous epoch
      Then it is done and answers the producer id and epoch in force

    @needs:transactions-v2
    Scenario: [3] An abort is refused
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      When A aborts with an epoch ahead of the current one
      Then it is refused with PRODUCER_FENCED
      And the refusal has producer id -1 and epoch -1

  @KIP890-065 @MUST @aborts
  Rule: A coordinator answers a retried EndTxn v5 abort, at the epoch that it ended, with success and the same identity as before.
    A retried abort must neither fence the client nor abort anything else.

    @needs:transactions-v2
    Scenario: [1] The answer to an abort is lost, and the client retries
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has aborted
      When A aborts with its previous epoch
      Then it is done and answers the producer id and epoch in force
      And the producer id and epoch of A are unchanged

    @needs:transactions-v2
    Scenario: [2] A retried abort writes no second marker
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has aborted
      When A aborts with its previous epoch
      Then it is done and answers the producer id and epoch in force
      And the log of payments-0 has not grown

    @needs:wire-faults @needs:transactions-v2
    Scenario: [3] One abort reaches the coordinator twice
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And the next EndTxn of A arrives twice
      When A aborts
      Then it is done and answers the same producer id and the next epoch
      And one ABORT marker was added to payments-0, with the next epoch of A

    @needs:transactions-v2
    Scenario: [4] The answer to an abort before the first write is lost, and the client retries
      Given producer A with transactional id "transfer"
      And A has aborted
      When A aborts with its previous epoch
      Then it is done and answers the producer id and epoch in force
      And the producer id and epoch of A are unchanged

    @needs:transactions-v2
    Scenario: [5] The answer to an abort with nothing written since the last commit is lost, and the client retries
      Given producer A with transactional id "transfer"
      And A has committed "a1" to payments-0
      And A has aborted
      When A aborts with its previous epoch
      Then it is done and answers the producer id and epoch in force
      And the producer id and epoch of A are unchanged

    @needs:transactions-v2
    Scenario: [6] The answer to an abort with nothing written since the last abort is lost, and the client retries
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has aborted
      And A has aborted
      When A aborts with its previous epoch
      Then it is done and answers the producer id and epoch in force
      And the producer id and epoch of A are unchanged

    @needs:transactions-v2
    Scenario: [7] The client retries a second time
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has aborted
      And A has tried to abort with its previous epoch
      When A aborts with its previous epoch
      Then it is done and answers the producer id and epoch in force

    @needs:transactions-v2
    Scenario: [8] A commit without an open transaction is refused before the retry
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has aborted
      And A has tried to commit
      When A aborts with its previous epoch
      Then it is done and answers the producer id and epoch in force

  @KIP890-066 @MUST
  Rule: A coordinator answers an EndTxn v5 that is retried while its markers are in flight with CONCURRENT_TRANSACTIONS and without an identity.
    A client that is answered before the markers are written begins a transaction that may overtake the previous one.

    @needs:hold-markers
    Scenario: [1] A commit is retried while it is incomplete
      Given producer A with transactional id "transfer"
      And completion of A's transactions is blocked
      And A has been asked to commit
      When A commits with its previous epoch
      Then it is refused with CONCURRENT_TRANSACTIONS
      And the refusal has producer id -1 and epoch -1

    @needs:hold-markers
    Scenario: [2] An abort is retried while it is incomplete
      Given producer A with transactional id "transfer"
      And completion of A's transactions is blocked
      And A has been asked to abort
      When A aborts with its previous epoch
      Then it is refused with CONCURRENT_TRANSACTIONS
      And the refusal has producer id -1 and epoch -1

  @KIP890-068 @MUST @aborts
  Rule: A coordinator refuses an EndTxn v5 commit at the epoch of a complete abort, and the data stays aborted.
    A producer that is answered that its aborted data was committed continues, and the data is lost.

    Scenario: [1] A client commits with its previous epoch after an abort
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has aborted
      When A commits with its previous epoch
      Then it is refused with INVALID_TXN_STATE or PRODUCER_FENCED
      And readers of payments-0 see nothing

    @needs:transactions-v2
    Scenario: [2] A client commits with its previous epoch after an abort without an open transaction
      Given producer A with transactional id "transfer"
      And A has aborted
      When A commits with its previous epoch
      Then it is refused with INVALID_TXN_STATE or PRODUCER_FENCED
      And the producer id and epoch of A are unchanged

  @KIP890-073 @MUST @fencing
  Rule: A coordinator answers EndTxn with an epoch that it has not assigned yet with PRODUCER_FENCED.
    A client with an epoch that was never assigned would end the transaction of the id's owner.

    Scenario: [1] A new client commits with an epoch that was never assigned
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      When A commits with an epoch ahead of the current one
      Then it is refused with PRODUCER_FENCED
      And the transaction of A is Ongoing in payments-0
      And the producer id and epoch of A are unchanged

    Scenario: [2] A new client aborts with an epoch that was never assigned
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      When A aborts with an epoch ahead of the current one
      Then it is refused with PRODUCER_FENCED
      And the transaction of A is Ongoing in payments-0
      And the producer id and epoch of A are unchanged

    Scenario: [3] An old client commits with an epoch that was never assigned
      Given producer A with transactional id "transfer"
      And A is an old client (transaction version 0)
      And A has written "a1" to payments-0
      When A commits with an epoch ahead of the current one
      Then it is refused with PRODUCER_FENCED
      And the transaction of A is Ongoing in payments-0
      And the producer id and epoch of A are unchanged

  @KIP890-074 @MUST
  Rule: A coordinator answers EndTxn with INVALID_PRODUCER_ID_MAPPING if the transactional id is unknown or the producer id belongs to another one.
    A producer that has the same epoch by chance would end the transaction of another.

    @needs:transactions-v2
    Scenario: [1] A producer commits with a transactional id that does not exist
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      When A commits with an unused transactional id
      Then it is refused with INVALID_PRODUCER_ID_MAPPING
      And the refusal has producer id -1 and epoch -1
      And the transaction of A is Ongoing in payments-0

    @needs:transactions-v2
    Scenario: [2] A producer commits with the producer id of another transactional id
      Given producers A and B with transactional ids "transfer" and "audit"
      And A has written "a1" to payments-0
      When A commits with the producer id of B
      Then it is refused with INVALID_PRODUCER_ID_MAPPING
      And the refusal has producer id -1 and epoch -1
      And the transaction of A is Ongoing in payments-0

    Scenario: [3] An old client aborts with the producer id of another transactional id
      Given producers A and B with transactional ids "transfer" and "audit"
      And A has written "a1" to payments-0
      And A uses EndTxn v4
      When A aborts with the producer id of B
      Then it is refused with INVALID_PRODUCER_ID_MAPPING
      And the transaction of A is Ongoing in payments-0

  @KIP890-075 @MUST
  Rule: A coordinator answers EndTxn with an empty transactional id with INVALID_REQUEST, and changes nothing.
    A client that forgot its id would be answered that it lost its producer id, and its developer would look for the fault in the wrong
    place.

    @needs:transactions-v2
    Scenario: [1] A new client commits with an empty transactional id
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      When A commits with an empty transactional id
      Then it is refused with INVALID_REQUEST
      And the refusal has producer id -1 and epoch -1
      And the transaction of A is Ongoing in payments-0

    Scenario: [2] An old client aborts with an empty transactional id
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A uses EndTxn v4
      When A aborts with an empty transactional id
      Then it is refused with INVALID_REQUEST
      And the transaction of A is Ongoing in payments-0

  @KIP890-079 @MUST @commits @aborts
  Rule: If a commit and an abort of one transaction race, exactly one succeeds, at the latest when retried, and all markers agree with it.
    If both ends return success, the data of one client is lost or duplicated.

    Scenario: [1] A commit and an abort are sent at the same time, the commit first
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has written "a2" to payments-1
      When A commits and aborts at the same time
      Then only one of the two ends has succeeded, and only its markers are in payments-0 and payments-1

    Scenario: [2] A commit and an abort are sent at the same time, the abort first
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has written "a2" to payments-1
      When A aborts and commits at the same time
      Then only one of the two ends has succeeded, and only its markers are in payments-0 and payments-1

  @KIP890-080 @MUST
  Rule: DescribeTransactions shows the raised epoch from the answer to EndTxn v5 on, whether the transaction is prepared or completed.
    An operator who sees the old epoch looks for a producer that no longer exists.

    @needs:hold-markers
    Scenario: [1] DescribeTransactions is sent after a commit that is incomplete
      Given producer A with transactional id "transfer"
      And completion of A's transactions is blocked
      When A commits
      Then it is done and answers the same producer id and the next epoch
      And the transaction of A is PrepareCommit
      And the producer id and epoch of A are those of the answer

    @needs:hold-markers
    Scenario: [2] DescribeTransactions is sent after an abort that is incomplete
      Given producer A with transactional id "transfer"
      And completion of A's transactions is blocked
      When A aborts
      Then it is done and answers the same producer id and the next epoch
      And the transaction of A is PrepareAbort
      And the producer id and epoch of A are those of the answer

    Scenario: [3] DescribeTransactions is sent after a commit that is complete
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      When A commits
      Then the transaction of A is over
      And the producer id and epoch of A are those of the answer

  @KIP890-081 @SHOULD
  Rule: Right after a successful EndTxn v5, a request with the returned epoch succeeds or is answered with a retriable error, and is never fenced.
    A client that is fenced with the epoch that it was just given fails although it has done nothing wrong.

    @needs:hold-markers
    Scenario: [1] A producer writes while its commit is blocked
      Given producer A with transactional id "transfer"
      And completion of A's transactions is blocked
      And A has been asked to commit
      When A writes "a2" to payments-1
      Then it is refused with CONCURRENT_TRANSACTIONS
      And the log of payments-1 has not grown

    @needs:hold-markers
    Scenario: [2] A producer aborts while its commit is blocked
      Given producer A with transactional id "transfer"
      And completion of A's transactions is blocked
      And A has been asked to commit
      When A aborts
      Then it is refused with CONCURRENT_TRANSACTIONS
      And the transaction of A is PrepareCommit

    Scenario: [3] A producer writes right after the answer to its commit
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has been asked to commit
      When A writes "a2" to payments-1
      Then it is done
      And the transaction of A is Ongoing in payments-1

    @needs:two-nodes
    Scenario: [4] A producer writes while a leader is paused and after it has resumed
      Given producer A has written "a1" to accounts-0 on node 1 and "a2" to accounts-1 on node 2
      And node 2 is paused until the next refusal
      And A has been asked to commit
      When A writes "a3" to accounts-0
      Then the first attempt was refused with CONCURRENT_TRANSACTIONS
      And it is done
      And the transaction of A is Ongoing in accounts-0

    @needs:two-nodes
    Scenario: [5] A producer aborts while a leader is paused and after it has resumed
      Given producer A has written "a1" to accounts-0 on node 1 and "a2" to accounts-1 on node 2
      And node 2 is paused until the next refusal
      And A has been asked to commit
      When A aborts
      Then the first attempt was refused with CONCURRENT_TRANSACTIONS
      And it is done
      And readers of accounts-1 see "a2"
