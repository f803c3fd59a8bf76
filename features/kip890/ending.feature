Feature: Ending a transaction
  A new client ends its transaction with EndTxn v5, and learns from the answer its epoch for the next one. Every end raises the epoch, so
  that producer id and epoch identify exactly one transaction.

  Background:
    Given a topic "payments" with 2 partitions

  @KIP890-060 @MUST @commits
  Rule: A coordinator answers an EndTxn v5 commit of an open transaction with the same producer id and the next epoch.
    The raised epoch is the defence of the KIP: without it a late write of this transaction becomes part of the next one.

    @needs:transactions-v2
    Scenario: [1] A commit of one record
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      When A commits
      Then it is done and answers the same producer id and the next epoch
      And the producer id and epoch of A are those of the answer

    @needs:transactions-v2
    Scenario: [2] A commit follows another commit
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has committed
      And A has written "a2" to payments-1
      When A commits
      Then it is done and answers the same producer id and the next epoch

    @needs:transactions-v2
    Scenario: [3] A commit while another transaction is open in the partition
      Given producers A and B with transactional ids "transfer" and "refund"
      And A has written "a1" to payments-0
      And B has written "b1" to payments-0
      When A commits
      Then it is done and answers the same producer id and the next epoch

  @KIP890-061 @MUST @aborts
  Rule: A coordinator answers an EndTxn v5 abort of an open transaction with the same producer id and the next epoch.
    After an abort a late write is as dangerous as after a commit; the epoch has to be raised for both.

    @needs:transactions-v2
    Scenario: [1] An abort of one record
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      When A aborts
      Then it is done and answers the same producer id and the next epoch
      And the producer id and epoch of A are those of the answer

  @KIP890-063 @MUST
  Rule: A producer begins and ends its next transaction with the identity from the EndTxn v5 answer, without another InitProducerId.
    A producer that had to initialise after each transaction could not use the protocol at all.

    @needs:transactions-v2
    Scenario: [1] The next transaction begins after a commit
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has committed
      When A writes "a2" to payments-1
      Then it is done
      And the transaction of A is Ongoing in payments-1

    @needs:transactions-v2
    Scenario: [2] The next transaction begins after an abort
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has aborted
      When A writes "a2" to payments-1
      Then it is done
      And the transaction of A is Ongoing in payments-1

    @needs:transactions-v2
    Scenario: [3] The next transaction ends
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has committed
      And A has written "a2" to payments-0
      When A commits
      Then readers of payments-0 see "a1", "a2"

    @needs:transactions-v2
    Scenario: [4] A partition was in none of the last two transactions
      Given producer A with transactional id "transfer"
      And A has committed "a1" to payments-0
      And A has committed "a2" to payments-1
      And A has committed "a3" to payments-1
      When A commits "a4" to payments-0
      Then readers of payments-0 see "a1", "a4"

  @KIP890-064 @MUST @commits
  Rule: A coordinator answers a retried EndTxn v5 commit, at the epoch that it ended, with success and the same identity as before.
    The answer to a commit may be lost. A client that is fenced by its own success loses all further data.

    @needs:transactions-v2
    Scenario: [1] The answer to a commit is lost, and the client retries
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has committed
      When A commits with its previous epoch
      Then it is done and answers the producer id and epoch in force
      And the producer id and epoch of A are unchanged

    @needs:transactions-v2
    Scenario: [2] A retried commit writes no second marker
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has committed
      When A commits with its previous epoch
      Then it is done and answers the producer id and epoch in force
      And the log of payments-0 has not grown

    @needs:wire-faults @needs:transactions-v2
    Scenario: [3] One commit reaches the coordinator twice
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And the next EndTxn of A arrives twice
      When A commits
      Then it is done and answers the same producer id and the next epoch
      And one COMMIT marker was added to payments-0, with the next epoch of A

    @needs:transactions-v2
    Scenario: [4] The client retries a second time
      Given producer A with transactional id "transfer"
      And A has committed "a1" to payments-0
      And A has tried to commit with its previous epoch
      When A commits with its previous epoch
      Then it is done and answers the producer id and epoch in force

    @needs:transactions-v2
    Scenario: [5] A commit without an open transaction is refused before the retry
      Given producer A with transactional id "transfer"
      And A has committed "a1" to payments-0
      And A has tried to commit
      When A commits with its previous epoch
      Then it is done and answers the producer id and epoch in force

    @needs:transactions-v2
    Scenario: [6] A commit of an earlier epoch is refused before the retry
      Given producer A with transactional id "transfer"
      And A has committed "a1" to payments-0
      And A has committed "a2" to payments-0
      And A has tried to commit with the epoch before its previous one
      When A commits with its previous epoch
      Then it is done and answers the producer id and epoch in force

    @needs:transactions-v2
    Scenario: [7] An abort with the same epoch is refused before the retry
      Given producer A with transactional id "transfer"
      And A has committed "a1" to payments-0
      And A has tried to abort with its previous epoch
      When A commits with its previous epoch
      Then it is done and answers the producer id and epoch in force
      And readers of payments-0 see "a1"

    @needs:transactions-v2
    Scenario: [8] An InitProducerId is refused before the retry
      Given producer A with transactional id "transfer"
      And A has committed "a1" to payments-0
      And A has tried to initialise again with the next epoch
      When A commits with its previous epoch
      Then it is done and answers the producer id and epoch in force

    @needs:transactions-v2
    Scenario: [9] A record is refused before the retry
      Given producer A with transactional id "transfer"
      And A has committed "a1" to payments-0
      And A has sent "ahead" to payments-0 with the next epoch, whatever was answered
      When A commits with its previous epoch
      Then it is done and answers the producer id and epoch in force

  @KIP890-067 @MUST @commits
  Rule: A coordinator answers an EndTxn v5 abort at the epoch of a complete commit with INVALID_TXN_STATE, and the data stays committed.
    A producer that is answered that its committed data was aborted writes the data once more.

    Scenario: [1] A client aborts with its previous epoch after a commit
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has committed
      When A aborts with its previous epoch
      Then it is refused with INVALID_TXN_STATE
      And readers of payments-0 see "a1"

  @KIP890-069 @MUST @commits
  Rule: A coordinator answers an EndTxn v5 commit without an open transaction with INVALID_TXN_STATE, and keeps the epoch.
    A producer whose writes were all lost would be answered that they are stored.

    @needs:transactions-v2
    Scenario: [1] A commit before the first write
      Given producer A with transactional id "transfer"
      When A commits
      Then it is refused with INVALID_TXN_STATE
      And the refusal has producer id -1 and epoch -1
      And the producer id and epoch of A are unchanged

    @needs:transactions-v2
    Scenario: [2] A commit with nothing written since the last commit
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has committed
      When A commits
      Then it is refused with INVALID_TXN_STATE
      And the producer id and epoch of A are unchanged

    @needs:transactions-v2
    Scenario: [3] A commit with nothing written since the last abort
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has aborted
      When A commits
      Then it is refused with INVALID_TXN_STATE
      And the producer id and epoch of A are unchanged

  @KIP890-070 @MUST @aborts
  Rule: A coordinator answers an EndTxn v5 abort without an open transaction with success and the next epoch.
    A client that does not know whether its write arrived must be able to abort and to start afresh.

    @needs:transactions-v2
    Scenario: [1] An abort before the first write
      Given producer A with transactional id "transfer"
      When A aborts
      Then it is done and answers the same producer id and the next epoch
      And the producer id and epoch of A are those of the answer

    @needs:transactions-v2
    Scenario: [2] An abort with nothing written since the last commit
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has committed
      When A aborts
      Then it is done and answers the same producer id and the next epoch
      And readers of payments-0 see "a1"

    @needs:transactions-v2
    Scenario: [3] An abort with nothing written since the last abort
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has aborted
      When A aborts
      Then it is done and answers the same producer id and the next epoch
      And readers of payments-0 see nothing

    @needs:crash @needs:transactions-v2
    Scenario: [4] The next transaction commits after an empty abort and a crash
      Given producer A with transactional id "transfer"
      And A has aborted
      And the system has crashed and restarted
      When A commits "a1" to payments-0
      Then it is done and answers the same producer id and the next epoch
      And readers of payments-0 see "a1"

    @needs:crash @needs:transactions-v2
    Scenario: [5] A late record arrives after a commit, an empty abort and a crash
      Given producer A with transactional id "transfer"
      And A has committed "a1" to payments-0
      And A has aborted
      And the system has crashed and restarted
      When A writes "late" to payments-0 with its previous epoch
      Then it is refused with INVALID_PRODUCER_EPOCH
      And the log of payments-0 has not grown

    @needs:crash @needs:transactions-v2
    Scenario: [6] The system crashes after an empty abort that followed an abort
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has aborted
      And A has aborted
      When the system crashes and restarts
      Then the producer id and epoch of A are unchanged

    @needs:transactions-v2
    Scenario: [7] An abort with nothing written since a commit by EndTxn v4
      Given producer A with transactional id "transfer"
      And A uses EndTxn v4
      And A has committed "a1" to payments-0
      And A uses EndTxn v5
      When A aborts
      Then it is done and answers the same producer id and the next epoch
      And readers of payments-0 see "a1"

  @KIP890-071 @MUST @aborts
  Rule: An EndTxn v5 abort without an open transaction leaves none open and writes no marker to any partition.
    A marker for an empty transaction could end another transaction in a partition that this one never touched.

    Scenario: [1] An empty abort after a commit writes no marker
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has committed
      When A aborts
      Then the transaction of A is over
      And the log of payments-0 has not grown

    Scenario: [2] An empty abort before the first write writes no marker
      Given producer A with transactional id "transfer"
      When A aborts
      Then the transaction of A is over
      And the log of payments-0 has not grown
      And the log of payments-1 has not grown

  @KIP890-072 @MUST @fencing
  Rule: A coordinator answers EndTxn v5 with an epoch two or more behind with PRODUCER_FENCED and without an identity.
    An end that arrives two transactions late must not pass for a retry of the last one.

    @needs:transactions-v2
    Scenario: [1] A commit arrives two transactions late
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has committed
      And A has aborted
      When A commits with the epoch before its previous one
      Then it is refused with PRODUCER_FENCED

    @needs:transactions-v2
    Scenario: [2] An abort arrives two transactions late
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has committed
      And A has aborted
      When A aborts with the epoch before its previous one
      Then it is refused with PRODUCER_FENCED

    @needs:transactions-v2
    Scenario: [3] A late abort returns no epoch and raises none
      Given producer A with transactional id "transfer"
      And A has aborted
      And A has aborted
      When A aborts with the epoch before its previous one
      Then the refusal has producer id -1 and epoch -1
      And the producer id and epoch of A are unchanged

    @needs:transactions-v2
    Scenario: [4] A commit arrives two transactions late while the next one is open
      Given producer A with transactional id "transfer"
      And A has aborted
      And A has aborted
      And A has written "a1" to payments-0
      When A commits with the epoch before its previous one
      Then it is refused with PRODUCER_FENCED
