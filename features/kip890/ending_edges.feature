Feature: Ending a transaction, off the beaten track
  What a new client is answered when it asks too early, too late, again, or for somebody else.

  Background:
    Given a topic "payments" with 2 partitions

  @KIP890-062 @MUST
  Rule: EndTxn v5 carries producer id and epoch in every successful answer, and -1 for both in every refusal.
    A client that believes an identity in a refusal goes on with one that was never given to it.

    @needs:transactions-v2
    Scenario: [1] A commit that is granted
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      When A commits
      Then it is done and answers the same producer id and the next epoch

    @needs:transactions-v2
    Scenario: [2] A commit that is granted again
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has committed
      When A commits with its previous epoch
      Then it is done and answers the producer id and epoch in force

    @needs:transactions-v2
    Scenario: [3] An abort that is refused
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      When A aborts with an epoch ahead of its own
      Then it is refused with PRODUCER_FENCED
      And the refusal has producer id -1 and epoch -1

  @KIP890-065 @MUST @aborts
  Rule: An EndTxn v5 abort retried at the epoch it has ended succeeds and answers the same identity again.
    The same holds for an abort: asked for again it must neither fence the client nor abort anything else.

    @needs:transactions-v2
    Scenario: [1] The answer to an abort was lost, and the client asks again
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has aborted
      When A aborts with its previous epoch
      Then it is done and answers the producer id and epoch in force
      And the producer id and epoch of A are unchanged

    @needs:transactions-v2
    Scenario: [2] Asking again for an abort writes no second marker
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

  @KIP890-066 @MUST
  Rule: An EndTxn v5 retried while the markers are on their way answers CONCURRENT_TRANSACTIONS without an identity.
    An answer that comes before the markers are written lets the next transaction overtake the last one.

    @needs:hold-markers
    Scenario: [1] The commit is incomplete, and asked for again
      Given producer A with transactional id "transfer"
      And completion of A's transactions is blocked
      And A has been asked to commit
      When A commits with its previous epoch
      Then it is refused with CONCURRENT_TRANSACTIONS
      And the refusal has producer id -1 and epoch -1

    @needs:hold-markers
    Scenario: [2] The abort is incomplete, and asked for again
      Given producer A with transactional id "transfer"
      And completion of A's transactions is blocked
      And A has been asked to abort
      When A aborts with its previous epoch
      Then it is refused with CONCURRENT_TRANSACTIONS
      And the refusal has producer id -1 and epoch -1

  @KIP890-068 @MUST @aborts
  Rule: An EndTxn v5 commit at the epoch a settled abort has used is refused, and the data stays aborted.
    A producer that is told that its aborted data was committed goes on, and the data is lost.

    Scenario: [1] The client changes its mind after an abort
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has aborted
      When A commits with its previous epoch
      Then it is refused with INVALID_TXN_STATE or PRODUCER_FENCED
      And readers of payments-0 see nothing

  @KIP890-073 @MUST @fencing
  Rule: EndTxn with an epoch the coordinator has not handed out yet is refused PRODUCER_FENCED.
    An epoch that nobody was given would end the transaction of the one who owns the id.

    Scenario: [1] A new client commits with an epoch that was never given
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      When A commits with an epoch ahead of its own
      Then it is refused with PRODUCER_FENCED
      And the transaction of A is Ongoing in payments-0
      And the producer id and epoch of A are unchanged

    Scenario: [2] A new client aborts with an epoch that was never given
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      When A aborts with an epoch ahead of its own
      Then it is refused with PRODUCER_FENCED
      And the transaction of A is Ongoing in payments-0
      And the producer id and epoch of A are unchanged

    Scenario: [3] An old client commits with an epoch that was never given
      Given producer A with transactional id "transfer"
      And A is an old client (transaction version 0)
      And A has written "a1" to payments-0
      When A commits with an epoch ahead of its own
      Then it is refused with PRODUCER_FENCED
      And the transaction of A is Ongoing in payments-0
      And the producer id and epoch of A are unchanged

  @KIP890-074 @MUST
  Rule: EndTxn for an unknown id or with a foreign producer id is refused INVALID_PRODUCER_ID_MAPPING.
    A producer with the same epoch by chance would end the transaction of another.

    @needs:transactions-v2
    Scenario: [1] A transactional id that nobody knows
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      When A commits with an unused transactional id
      Then it is refused with INVALID_PRODUCER_ID_MAPPING
      And the refusal has producer id -1 and epoch -1
      And the transaction of A is Ongoing in payments-0

    @needs:transactions-v2
    Scenario: [2] The producer id of another transactional id
      Given producers A and B with transactional ids "transfer" and "audit"
      And A has written "a1" to payments-0
      When A commits with the producer id of B
      Then it is refused with INVALID_PRODUCER_ID_MAPPING
      And the refusal has producer id -1 and epoch -1
      And the transaction of A is Ongoing in payments-0

    Scenario: [3] The producer id of another transactional id, of an old client
      Given producers A and B with transactional ids "transfer" and "audit"
      And A has written "a1" to payments-0
      And A uses EndTxn v4
      When A aborts with the producer id of B
      Then it is refused with INVALID_PRODUCER_ID_MAPPING
      And the transaction of A is Ongoing in payments-0

  @KIP890-075 @MUST
  Rule: EndTxn with an empty transactional id is refused INVALID_REQUEST before any state is looked at.
    A client that forgot its id is told that it lost its producer id, and looks for the fault in the wrong place.

    @needs:transactions-v2
    Scenario: [1] A new client commits a transactional id of no letters
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      When A commits with an empty transactional id
      Then it is refused with INVALID_REQUEST
      And the refusal has producer id -1 and epoch -1
      And the transaction of A is Ongoing in payments-0

    Scenario: [2] An old client aborts a transactional id of no letters
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A uses EndTxn v4
      When A aborts with an empty transactional id
      Then it is refused with INVALID_REQUEST
      And the transaction of A is Ongoing in payments-0

  @KIP890-079 @MUST @commits @aborts
  Rule: Of two racing EndTxn with opposite decisions just one succeeds, at the latest when asked again, and all markers agree with it.
    Two ends that are both told success leave one client with data that is gone, or there twice.

    Scenario: [1] The commit is sent first
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has written "a2" to payments-1
      When A commits and aborts at the same time
      Then one of the two ends has succeeded, and only one
      And payments-0 and payments-1 hold only the markers of the end that succeeded

    Scenario: [2] The abort is sent first
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has written "a2" to payments-1
      When A aborts and commits at the same time
      Then one of the two ends has succeeded, and only one
      And payments-0 and payments-1 hold only the markers of the end that succeeded

  @KIP890-080 @MUST
  Rule: DescribeTransactions shows the raised epoch from the moment EndTxn v5 is answered, prepared or completed.
    An operator who sees the old epoch looks for a producer that does not exist any more.

    @needs:hold-markers
    Scenario: [1] The answered commit is incomplete
      Given producer A with transactional id "transfer"
      And completion of A's transactions is blocked
      When A commits
      Then it is done and answers the same producer id and the next epoch
      And the transaction of A is PrepareCommit
      And the producer id and epoch of A are those of the answer

    @needs:hold-markers
    Scenario: [2] The answered abort is incomplete
      Given producer A with transactional id "transfer"
      And completion of A's transactions is blocked
      When A aborts
      Then it is done and answers the same producer id and the next epoch
      And the transaction of A is PrepareAbort
      And the producer id and epoch of A are those of the answer

    Scenario: [3] The answered commit is complete
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      When A commits
      Then the transaction of A is over
      And the producer id and epoch of A are those of the answer

  @KIP890-081 @SHOULD
  Rule: Right after a successful EndTxn v5 the fresh epoch is never fenced, at worst it has to wait.
    A client that is fenced with the epoch that it was just given dies without a fault of its own.

    @needs:hold-markers
    Scenario: [1] The next record, while completion is blocked
      Given producer A with transactional id "transfer"
      And completion of A's transactions is blocked
      And A has been asked to commit
      When A writes "a2" to payments-1
      Then it is refused with CONCURRENT_TRANSACTIONS
      And the log of payments-1 has not grown

    @needs:hold-markers
    Scenario: [2] The next abort, while completion is blocked
      Given producer A with transactional id "transfer"
      And completion of A's transactions is blocked
      And A has been asked to commit
      When A aborts
      Then it is refused with CONCURRENT_TRANSACTIONS
      And the transaction of A is PrepareCommit

    Scenario: [3] The next record, as soon as the answer is there
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has been asked to commit
      When A writes "a2" to payments-1
      Then it is done
      And the transaction of A is Ongoing in payments-1

    @needs:two-nodes
    Scenario: [4] The next record, while a leader is paused and when it has gone on
      Given producer A has written "a1" to accounts-0 on node 1 and "a2" to accounts-1 on node 2
      And node 2 is paused until the next refusal
      And A has been asked to commit
      When A writes "a3" to accounts-0
      Then the first attempt was refused with CONCURRENT_TRANSACTIONS
      And it is done
      And the transaction of A is Ongoing in accounts-0

    @needs:two-nodes
    Scenario: [5] The next abort, while a leader is paused and when it has gone on
      Given producer A has written "a1" to accounts-0 on node 1 and "a2" to accounts-1 on node 2
      And node 2 is paused until the next refusal
      And A has been asked to commit
      When A aborts
      Then the first attempt was refused with CONCURRENT_TRANSACTIONS
      And it is done
      And readers of accounts-1 see "a2"
