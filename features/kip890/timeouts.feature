Feature: Timeouts and restarts in detail
  How a producer that returns too late is answered, and what a coordinator still knows after a restart.

  Background:
    Given a topic "payments" with 2 partitions

  @KIP890-158 @SHOULD @aborts
  Rule: After a timeout a coordinator refuses an EndTxn v5 commit with the old epoch; it may answer an abort with that epoch like a retried abort.
    A commit after the abort by timeout must not be answered with success: its data is gone.

    @needs:transactions-v2
    Scenario: [1] A producer commits after its timeout
      Given producer A with transactional id "transfer" and a short timeout
      And A has written "a1" to payments-0
      And A has left its transaction open past its timeout
      When A commits
      Then it is refused with INVALID_TXN_STATE or PRODUCER_FENCED
      And readers of payments-0 see nothing

    @needs:transactions-v2
    Scenario: [2] A producer aborts after its timeout
      Given producer A with transactional id "transfer" and a short timeout
      And A has written "a1" to payments-0
      And A has left its transaction open past its timeout
      When A aborts
      Then it is refused with PRODUCER_FENCED or answers the same producer id and the next epoch
      And the producer id and epoch of A are unchanged

  @KIP890-159 @MUST
  Rule: The timeout does not change a transaction whose end is already prepared.
    A decision is a promise; the timer must not turn a commit into an abort.

    @needs:hold-markers
    Scenario: [1] A prepared commit is pending past its timeout
      Given producers A and B with transactional ids "transfer" and "refund" and a short timeout
      And completion of A's transactions is blocked
      And A has been asked to commit
      And B has written "abandoned" to payments-0
      When B leaves its transaction open past its timeout
      Then the transaction of B is over
      And the transaction of A is PrepareCommit

  @KIP890-162 @MUST @recovery
  Rule: After a restart a coordinator sends its markers with a coordinator epoch that is not smaller than before.
    A partition refuses the marker of a smaller epoch as that of an outdated coordinator, and the transaction hangs.

    @needs:crash
    Scenario: [1] A producer commits before and after a crash
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has committed
      And the system has crashed and restarted
      When A commits "a2" to payments-0
      Then the markers added to payments-0 have no smaller coordinator epoch than those before

    @needs:two-nodes @needs:crash
    Scenario: [2] The system crashes while markers are in flight
      Given producer A has committed "a1" to accounts-0 on node 1 and "a2" to accounts-1 on node 2
      And A has written "a3" to accounts-1
      And node 2 is paused until the next restart
      And A has been asked to commit
      And the system has crashed and restarted
      When A commits "a4" to accounts-1
      Then the markers added to accounts-1 have no smaller coordinator epoch than those before

  @KIP890-163 @MUST @recovery
  Rule: A coordinator answers a retried EndTxn v5 with the same identity after its restart.
    A client whose answer was lost in a crash retries, and must not be fenced by its own success.

    @needs:crash @needs:transactions-v2
    Scenario: [1] A commit is retried after a crash
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has committed
      And the system has crashed and restarted
      When A commits with its previous epoch
      Then it is done and answers the producer id and epoch in force

    @needs:crash @needs:transactions-v2
    Scenario: [2] An abort is retried after a crash
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has aborted
      And the system has crashed and restarted
      When A aborts with its previous epoch
      Then it is done and answers the producer id and epoch in force

    @needs:aged-ids @needs:crash @needs:transactions-v2
    Scenario: [3] A commit that returned a new producer id is retried after a crash
      Given producer A at the last usable epoch
      And A has written "a1" to payments-0
      And A has committed
      And the system has crashed and restarted
      When A commits with its previous epoch
      Then it is done and answers the producer id and epoch in force

    @needs:crash @needs:transactions-v2
    Scenario: [4] An abort without an open transaction is retried after a crash
      Given producer A with transactional id "transfer"
      And A has aborted
      And the system has crashed and restarted
      When A aborts with its previous epoch
      Then it is done and answers the producer id and epoch in force

    @needs:aged-ids @needs:crash @needs:transactions-v2
    Scenario: [5] An abort that returned a new producer id is retried after a crash
      Given producer A at the last usable epoch
      And A has written "a1" to payments-0
      And A has aborted
      And the system has crashed and restarted
      When A aborts with its previous epoch
      Then it is done and answers the producer id and epoch in force

    @needs:aged-ids @needs:crash @needs:transactions-v2
    Scenario: [6] An abort without an open transaction that returned a new producer id is retried after a crash
      Given producer A at the last usable epoch
      And A has aborted
      And the system has crashed and restarted
      When A aborts with its previous epoch
      Then it is done and answers the producer id and epoch in force

    @needs:crash @needs:transactions-v2
    Scenario: [7] A commit of the second of two transactional ids is retried after a crash
      Given producer A with transactional id "transfer"
      And producer B with transactional id "refund" at the coordinator of A
      And B has written "b1" to payments-0
      And B has committed
      And the system has crashed and restarted
      When B commits with its previous epoch
      Then it is done and answers the producer id and epoch in force

  @KIP890-164 @MUST @recovery
  Rule: After its restart, a coordinator answers an InitProducerId that is retried with the same identity as it answered the first.
    A client whose answer was lost in a crash retries, and must be given the epoch that was stored.

    @needs:crash
    Scenario: [1] The answer to InitProducerId is lost in a crash
      Given producer A with transactional id "transfer"
      And A has initialised again
      And the system has crashed and restarted
      When A initialises again with its previous epoch
      Then it is done and answers the producer id and epoch in force
      And the producer id and epoch of A are unchanged

    @needs:aged-ids @needs:crash
    Scenario: [2] The answer with a new producer id is lost in a crash
      Given producer A at the last usable epoch
      And A has initialised again
      And the system has crashed and restarted
      When A initialises again with its previous epoch
      Then it is done and answers the producer id and epoch in force
      And the producer id and epoch of A are unchanged

    @needs:crash @needs:hold-markers
    Scenario: [3] The system crashes while the owner waits for the abort of its open transaction
      Given producer A with transactional id "transfer"
      And completion of A's transactions is blocked until the next restart
      And A has written "a1" to payments-0
      And A has initialised again, and had to wait
      And the system has crashed and restarted
      When A initialises again
      Then it is done and answers the same producer id and the next epoch

    @needs:crash
    Scenario: [4] The answer to the second of two transactional ids is lost in a crash
      Given producer A with transactional id "transfer"
      And producer B with transactional id "refund" at the coordinator of A
      And A has initialised again
      And B has initialised again
      And the system has crashed and restarted
      When B initialises again with its previous epoch
      Then it is done and answers the producer id and epoch in force
