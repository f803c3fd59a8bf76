Feature: When the epochs run out
  An epoch is a number of 16 bits, and each transaction of a new client takes one. A producer at 32766 has its last
  one: 32767 is kept for the marker that ends its transaction, and then it goes on with a new producer id.

  Background:
    Given a topic "payments" with 2 partitions

  @KIP890-026 @MUST
  Rule: InitProducerId at the last usable epoch, 32766, moves the transactional id to a new producer id with epoch 0.
    Epochs have 16 bits. Without a new producer id the last epoch is used up, and no marker can fence it any more.

    @needs:aged-ids
    Scenario: [1] The owner has used all its epochs
      Given producer A at the last usable epoch
      When A initialises again
      Then it is done and answers a new producer id and epoch 0
      And the producer id and epoch of A are those of the answer

    @needs:aged-ids
    Scenario: [2] A new instance comes when all epochs are used
      Given producer A at the last usable epoch
      When B takes over from A
      Then it is done and answers a new producer id and epoch 0
      And the producer id and epoch of A are those of the answer

  @KIP890-027 @MUST @fencing
  Rule: After a rotation the exhausted identity retries to the same new producer id, and the epoch before it is PRODUCER_FENCED.
    The answer with the new producer id may be lost; who asks again must get the same one, and not be fenced from its own id.

    @needs:aged-ids
    Scenario: [1] The exhausted identity asks again
      Given producer A at the last usable epoch
      And A has initialised again
      When A initialises again with its previous epoch
      Then it is done and answers the producer id and epoch in force
      And the producer id and epoch of A are unchanged

    @needs:aged-ids
    Scenario: [2] The epoch before the exhausted one asks
      Given producer A at the last usable epoch
      And A has initialised again
      When A initialises again with the epoch before its previous one
      Then it is refused with PRODUCER_FENCED
      And the refusal has producer id -1 and epoch -1
      And the producer id and epoch of A are unchanged

    @needs:aged-ids
    Scenario: [3] An instance of the exhausted producer id whose epoch is the number that is in force
      Given producer A at the last usable epoch
      And A has initialised again
      When A initialises again with its previous producer id and the epoch in force
      Then it is refused with PRODUCER_FENCED
      And the producer id and epoch of A are unchanged

  @KIP890-028 @SHOULD
  Rule: No answer ever hands epoch 32767 to a client, since that number is reserved for markers.
    If a client had the epoch that markers use, its writes could not be told from fenced ones.

    @needs:aged-ids
    Scenario: [1] An abort that comes after the time-out
      Given producer A at the last usable epoch with a short time-out
      And A has written "a1" to payments-0
      When A aborts after its time-out
      Then the transaction of A was only seen as over
      And no answer has epoch 32767

    @needs:aged-ids
    Scenario: [2] A takeover of an open transaction
      Given producer A at the last usable epoch
      And A has written "a1" to payments-0
      When B takes over from A
      Then it is done
      And no answer has epoch 32767
      And readers of payments-0 see nothing

    @needs:aged-ids @needs:crash @needs:hold-markers
    Scenario: [3] A commit that is asked for again, after a crash that came before the markers
      Given producer A at the last usable epoch
      And completion of A's transactions is blocked until the next restart
      And A has been asked to commit
      And the system has crashed and come back
      When A commits with its previous epoch
      Then no answer has epoch 32767

  @KIP890-076 @MUST
  Rule: EndTxn v5 at the last usable epoch, 32766, answers a new producer id with epoch 0.
    Without a new producer id the client has no epoch left for its next transaction, and stands still.

    @needs:aged-ids @needs:transactions-v2
    Scenario: [1] A commit at the last usable epoch
      Given producer A at the last usable epoch
      And A has written "a1" to payments-0
      When A commits
      Then it is done and answers a new producer id and epoch 0
      And readers of payments-0 see "a1"
      And the producer id and epoch of A are those of the answer

    @needs:aged-ids @needs:transactions-v2
    Scenario: [2] An abort at the last usable epoch
      Given producer A at the last usable epoch
      And A has written "a1" to payments-0
      When A aborts
      Then it is done and answers a new producer id and epoch 0
      And readers of payments-0 see nothing
      And the producer id and epoch of A are those of the answer

  @KIP890-077 @MUST
  Rule: After an overflow the old identity retries to the same new one, and the opposite decision is refused INVALID_TXN_STATE.
    A producer whose answer with the new id was lost cannot find out how its transaction ended.

    @needs:aged-ids @needs:transactions-v2
    Scenario: [1] The exhausted identity retries its abort
      Given producer A at the last usable epoch
      And A has written "a1" to payments-0
      And A has aborted
      When A aborts with its previous epoch
      Then it is done and answers the producer id and epoch in force
      And the log of payments-0 has not grown

    @needs:aged-ids @needs:transactions-v2
    Scenario: [2] The exhausted identity aborts what it has committed
      Given producer A at the last usable epoch
      And A has written "a1" to payments-0
      And A has committed
      When A aborts with its previous epoch
      Then it is refused with INVALID_TXN_STATE
      And readers of payments-0 see "a1"

  @KIP890-078 @MUST @fencing
  Rule: After an overflow the next transaction runs under the new producer id, and the old one is turned away.
    If the old producer id still counted, late writes of the last epoch could not be told from new ones.

    @needs:aged-ids @needs:transactions-v2
    Scenario: [1] The next transaction
      Given producer A at the last usable epoch
      And A has written "a1" to payments-0
      And A has committed
      When A commits "a2" to payments-0
      Then it is done and answers the same producer id and the next epoch
      And readers of payments-0 see "a1", "a2"

    @needs:aged-ids @needs:transactions-v2
    Scenario: [2] A write of the old producer id
      Given producer A at the last usable epoch
      And A has written "a1" to payments-0
      And A has committed
      When A writes "late" to payments-0 with its previous epoch
      Then it is refused with INVALID_PRODUCER_EPOCH or INVALID_PRODUCER_ID_MAPPING
      And the log of payments-0 has not grown

    @needs:aged-ids @needs:transactions-v2
    Scenario: [3] A commit of the old producer id, at another epoch than its last
      Given producer A at the last usable epoch
      And A has written "a1" to payments-0
      And A has committed
      When A commits with the epoch before its previous one
      Then it is refused with INVALID_PRODUCER_ID_MAPPING
      And the refusal has producer id -1 and epoch -1

    @needs:aged-ids @needs:transactions-v2
    Scenario: [4] A commit of the old producer id, after one more transaction of the new one
      Given producer A at the last usable epoch
      And A has committed "a1" to payments-0
      And A has committed "a2" to payments-0
      When A commits with the epoch before its previous one
      Then it is refused with INVALID_PRODUCER_ID_MAPPING
      And the refusal has producer id -1 and epoch -1
      And the producer id and epoch of A are unchanged

    @needs:aged-ids @needs:transactions-v2
    Scenario: [5] An abort of the old producer id, after one more transaction of the new one
      Given producer A at the last usable epoch
      And A has written "a1" to payments-0
      And A has aborted
      And A has written "a2" to payments-0
      And A has aborted
      When A aborts with the epoch before its previous one
      Then it is refused with INVALID_PRODUCER_ID_MAPPING

  @KIP890-124 @MUST
  Rule: At an epoch overflow the marker carries the old producer id and epoch 32767.
    A marker with the new producer id ends nothing: the data of the old one stays undecided.

    @needs:aged-ids @needs:transactions-v2
    Scenario: [1] The marker of the last transaction
      Given producer A at the last usable epoch
      And A has written "a1" to payments-0
      When A commits
      Then one COMMIT marker was added to payments-0, with the next epoch of A

    @needs:aged-ids @needs:transactions-v2
    Scenario: [2] The last transaction has two partitions
      Given producer A at the last usable epoch
      And A has written "a1" to payments-0
      And A has written "a2" to payments-1
      When A commits
      Then one COMMIT marker was added to payments-0, with the next epoch of A
      And one COMMIT marker was added to payments-1, with the next epoch of A
