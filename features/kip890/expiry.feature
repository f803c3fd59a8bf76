@needs:short-expiry
Feature: Expiry
  A producer that is gone for good does not sign off. Its state is discarded after a while, but never while a transaction depends on it.

  Background:
    Given a topic "payments" with 2 partitions

  @KIP890-165 @MUST @retention
  Rule: A coordinator removes a transactional id that is idle beyond its expiration time; the id then starts again at epoch 0.
    Ids that are never removed fill the coordinator; one that is there again after a restart has an unknown epoch.

    Scenario: [1] A producer stays idle until its id expires
      Given producer A with transactional id "transfer"
      When A stays idle until its transactional id expires
      Then the coordinator does not know A

    Scenario: [2] A new instance initialises an expired id
      Given producer A with transactional id "transfer"
      And A has initialised again
      And A has stayed idle until its transactional id expired
      When B takes over from A
      Then it is done and answers a new producer id and epoch 0

    @needs:crash
    Scenario: [3] The system crashes after an id has expired
      Given producer A with transactional id "transfer"
      And A has stayed idle until its transactional id expired
      When the system crashes and restarts
      Then the coordinator does not know A

    Scenario: [4] A producer commits after its id has expired
      Given producer A with transactional id "transfer"
      And A has stayed idle until its transactional id expired
      When A commits
      Then it is refused with INVALID_PRODUCER_ID_MAPPING
      And the coordinator does not know A

    Scenario: [5] An id that is in use does not expire when an idle one does
      Given producers A and B with transactional ids "transfer" and "refund"
      When A commits to payments-0 again and again until the transactional id of B has expired
      Then it is done
      And the coordinator does not know B
      And the transaction of A is over

    Scenario: [6] An id without a transaction that is initialised again and again does not expire when an idle one does
      Given producers A and B with transactional ids "transfer" and "refund"
      When A initialises again and again until the transactional id of B has expired
      Then it is done and answers the same producer id and the next epoch
      And the coordinator does not know B

    @alone @needs:crash
    Scenario: [7] The expiration time of an id passes while the system is down
      Given producer B with transactional id "refund"
      And B has stayed idle until its transactional id expired
      And producer A with transactional id "transfer"
      When A stays idle through a crash that lasts as long as B was idle, until its transactional id expires
      Then the transactional id of A was kept about as long as that of B

    @needs:crash
    Scenario: [8] The system crashes within the expiration time of an id
      Given producer B with transactional id "refund"
      And B has stayed idle until its transactional id expired
      And producer A with transactional id "transfer"
      When A stays idle through a crash, until its transactional id expires
      Then the transactional id of A was kept about as long as that of B

    Scenario Outline: [9] An id whose last transaction is complete expires
      Given producer A with transactional id "transfer"
      And A has <ended> 2 transactions in payments-0
      When A stays idle until its transactional id expires
      Then the coordinator does not know A

      Examples:
        | ended     |
        | committed |
        | aborted   |

  @KIP890-166 @MUST @retention
  Rule: A coordinator does not remove a transactional id with an open transaction, however long it is idle.
    An open transaction whose id was removed can never be ended.

    Scenario: [1] A transaction is open while a younger id expires
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And producer B with transactional id "refund"
      When B stays idle until its transactional id expires
      Then the coordinator does not know B
      And the transaction of A is Ongoing in payments-0

    @needs:crash
    Scenario: [2] A transaction of an id that had expired and was used again is open after a crash
      Given producer A with transactional id "transfer"
      And A has stayed idle until its transactional id expired
      And B has taken over from A
      And B has written "b1" to payments-0
      When the system crashes and restarts
      Then the transaction of B is Ongoing in payments-0

    @needs:hold-markers
    Scenario: [3] A commit that cannot be completed is pending while a younger id expires
      Given producer A with transactional id "transfer"
      And completion of A's transactions is blocked
      And A has been asked to commit
      And producer B with transactional id "refund"
      When B stays idle until its transactional id expires
      Then the coordinator does not know B
      And the transaction of A is PrepareCommit

  @KIP890-167 @MUST @retention
  Rule: A partition removes a producer's state after its idle time unless a transaction is open, and then accepts any first sequence of an old client.
    A partition that removes a producer in the middle of its transaction lets readers pass undecided records.

    Scenario: [1] The state of one producer expires while another one has an open transaction
      Given producers A and B with transactional ids "transfer" and "refund"
      And A has written "a1" to payments-0
      And B is an old client (transaction version 0)
      And B has committed "b1" to payments-0
      When B stays idle until payments-0 forgets it
      Then payments-0 has no state of B
      And the open transaction of A in payments-0 starts at "a1"

    Scenario: [2] An old client returns after its state has expired
      Given producer A with transactional id "transfer"
      And A is an old client (transaction version 0)
      And A has committed "a1" to payments-0
      And A has added payments-0
      And A has stayed idle until payments-0 forgot it
      When A writes "a2" to payments-0 at sequence 7
      Then it is done

    Scenario: [3] A producer that is in use is not forgotten when an idle one is
      Given producers A and B with transactional ids "transfer" and "refund"
      And B has committed "b1" to payments-0
      When A commits to payments-0 again and again until the state of B has expired
      Then payments-0 has no state of B
      And payments-0 has a state of A

  @KIP890-168 @SHOULD @retention
  Rule: After a producer's state has expired, a leader answers Produce v12 with OUT_OF_ORDER_SEQUENCE_NUMBER unless it starts at sequence 0.
    A producer that continues its sequence after its state is gone hides what was lost meanwhile.

    Scenario: [1] A producer continues its sequence after its state has expired
      Given producer A with transactional id "transfer"
      And A uses EndTxn v4
      And A has committed "a1" to payments-0
      And A has added payments-0
      And A has stayed idle until payments-0 forgot it
      When A writes "a2" to payments-0 at sequence 1
      Then it is refused with OUT_OF_ORDER_SEQUENCE_NUMBER

    Scenario: [2] A producer restarts its sequence after its state has expired
      Given producer A with transactional id "transfer"
      And A uses EndTxn v4
      And A has committed "a1" to payments-0
      And A has added payments-0
      And A has stayed idle until payments-0 forgot it
      When A writes "a2" to payments-0 at sequence 0
      Then it is done and answers the offset of "a2"
