Feature: When the epochs run out
  An epoch is a number of 16 bits, and each transaction of a new client takes one. A producer at 32766 has its last
  one: 32767 is kept for the marker that ends its transaction, and then it goes on with a new producer id.

  Background:
    Given a topic "payments" with 2 partitions

  @KIP890-026 @MUST
  Rule: InitProducerId at the last usable epoch, 32766, moves the transactional id to a new producer id with epoch 0.

    @needs:aged-ids
    Scenario: [1] The owner
      Given producer A at the last usable epoch
      When A initialises again with its own producer id and epoch
      Then the answer is success, with a new producer id and epoch 0
      And the coordinator knows A by the producer id and epoch of the answer

    @needs:aged-ids
    Scenario: [2] A new instance
      Given producer A at the last usable epoch
      When B takes over the transactional id of A
      Then the answer is success, with a new producer id and epoch 0
      And the coordinator knows A by the producer id and epoch of the answer

  @KIP890-027 @MUST
  Rule: After a rotation the exhausted identity retries to the same new producer id, and the epoch before it is PRODUCER_FENCED.

    @needs:aged-ids
    Scenario: [1] The answer was lost, and the client asks again
      Given producer A at the last usable epoch
      And A has initialised again
      When A initialises again with its previous epoch
      Then the answer is success, with the producer id and epoch that A has
      And the coordinator still knows A by the same producer id and epoch

    @needs:aged-ids
    Scenario: [2] A client from before
      Given producer A at the last usable epoch
      And A has initialised again
      When A initialises again with the epoch before its previous one
      Then the request is refused with PRODUCER_FENCED
      And no producer id or epoch is handed out
      And the coordinator still knows A by the same producer id and epoch

  @KIP890-028 @SHOULD
  Rule: No answer ever hands epoch 32767 to a client, since that number is reserved for markers.

    @needs:aged-ids
    Scenario: [1] An abort that comes after the time-out
      Given producer A at the last usable epoch, with a short time-out
      And A has written "a1" to payments-0
      When A leaves its transaction open past its time-out, and then aborts
      Then the coordinator had ended the transaction of A by itself
      And no answer has handed out epoch 32767

    @needs:aged-ids
    Scenario: [2] A takeover of an open transaction
      Given producer A at the last usable epoch
      And A has written "a1" to payments-0
      When B takes over the transactional id of A
      Then the answer is success
      And no answer has handed out epoch 32767
      And readers of committed data see nothing in payments-0

    @needs:aged-ids @needs:crash @needs:hold-markers
    Scenario: [3] A commit that is asked for again, after a crash that came before the markers
      Given producer A at the last usable epoch
      And the end of A's transaction is held back until the next start
      And A has committed
      And the broker has crashed and come back, and the transaction of A is complete
      When A commits with its previous epoch
      Then no answer has handed out epoch 32767

  @KIP890-076 @MUST
  Rule: EndTxn v5 at the last usable epoch, 32766, answers a new producer id with epoch 0.

    @needs:aged-ids
    Scenario: [1] A commit
      Given producer A at the last usable epoch
      And A has written "a1" to payments-0
      When A commits
      Then the answer is success, with a new producer id and epoch 0
      And readers of committed data see "a1" in payments-0
      And the coordinator knows A by the producer id and epoch of the answer

    @needs:aged-ids
    Scenario: [2] An abort
      Given producer A at the last usable epoch
      And A has written "a1" to payments-0
      When A aborts
      Then the answer is success, with a new producer id and epoch 0
      And readers of committed data see nothing in payments-0
      And the coordinator knows A by the producer id and epoch of the answer

  @KIP890-077 @MUST
  Rule: After an overflow the old identity retries to the same new one, and the opposite decision is refused INVALID_TXN_STATE.

    @needs:aged-ids
    Scenario: [1] The same decision
      Given producer A at the last usable epoch
      And A has written "a1" to payments-0
      And A has aborted
      When A aborts with its previous epoch
      Then the answer is success, with the producer id and epoch that A has
      And the log of payments-0 has not grown

    @needs:aged-ids
    Scenario: [2] The opposite decision
      Given producer A at the last usable epoch
      And A has written "a1" to payments-0
      And A has committed
      When A aborts with its previous epoch
      Then the request is refused with INVALID_TXN_STATE
      And readers of committed data see "a1" in payments-0

  @KIP890-078 @MUST
  Rule: After an overflow the next transaction runs under the new producer id, and the old one is turned away.

    @needs:aged-ids
    Scenario: [1] The next transaction
      Given producer A at the last usable epoch
      And A has written "a1" to payments-0
      And A has committed
      When A writes "a2" to payments-0 and commits
      Then the answer is success, with the same producer id and the next epoch
      And readers of committed data see "a1", "a2" in payments-0

    @needs:aged-ids
    Scenario: [2] A write of the old producer id
      Given producer A at the last usable epoch
      And A has written "a1" to payments-0
      And A has committed
      When A writes "late" to payments-0 with its previous epoch
      Then the request is refused with INVALID_PRODUCER_EPOCH or INVALID_PRODUCER_ID_MAPPING
      And the log of payments-0 has not grown

    @needs:aged-ids
    Scenario: [3] A commit of the old producer id, at another epoch than its last
      Given producer A at the last usable epoch
      And A has written "a1" to payments-0
      And A has committed
      When A commits with the epoch before its previous one
      Then the request is refused with INVALID_PRODUCER_ID_MAPPING
      And no producer id or epoch is handed out

  @KIP890-124 @MUST
  Rule: At an epoch overflow the marker carries the old producer id and epoch 32767.

    @needs:aged-ids
    Scenario: [1] The marker of the last transaction
      Given producer A at the last usable epoch
      And A has written "a1" to payments-0
      When A commits
      Then payments-0 holds one COMMIT marker, with the epoch after that of A
