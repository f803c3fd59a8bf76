@needs:aged-ids
Feature: Exhausted epochs
  An epoch is a 16-bit number, and each transaction of a new client uses one. A producer at 32766 has its last one: 32767 is reserved for
  the marker that ends its transaction, after which it continues with a new producer id.

  Background:
    Given a topic "payments" with 2 partitions

  @KIP890-026 @MUST
  Rule: A coordinator answers InitProducerId at the last usable epoch, 32766, with a new producer id and epoch 0.
    Epochs have 16 bits. Without a new producer id the last epoch is used up, and no marker can fence it any more.

    Scenario: [1] The owner initialises again at its last usable epoch
      Given producer A at the last usable epoch
      When A initialises again
      Then it is done and answers a new producer id and epoch 0
      And the producer id and epoch of A are those of the answer

    Scenario: [2] A new instance takes over at the last usable epoch
      Given producer A at the last usable epoch
      When B takes over from A
      Then it is done and answers a new producer id and epoch 0
      And the producer id and epoch of A are those of the answer

  @KIP890-027 @MUST @fencing
  Rule: After a change of the producer id, a coordinator answers a retried InitProducerId of the exhausted identity with the same new id, and one of the epoch before with PRODUCER_FENCED.
    The answer with the new producer id may be lost. A client that retries must be given the same one, and must not be fenced by its own
    id.

    Scenario: [1] The exhausted identity retries InitProducerId
      Given producer A at the last usable epoch
      And A has initialised again
      When A initialises again with its previous epoch
      Then it is done and answers the producer id and epoch in force
      And the producer id and epoch of A are unchanged

    Scenario: [2] An instance initialises with the epoch before the exhausted one
      Given producer A at the last usable epoch
      And A has initialised again
      When A initialises again with the epoch before its previous one
      Then it is refused with PRODUCER_FENCED
      And the refusal has producer id -1 and epoch -1
      And the producer id and epoch of A are unchanged

    Scenario: [3] An instance initialises with the previous producer id and the current epoch
      Given producer A at the last usable epoch
      And A has initialised again
      When A initialises again with its previous producer id and the epoch in force
      Then it is refused with PRODUCER_FENCED
      And the producer id and epoch of A are unchanged

    Scenario: [4] An InitProducerId of an earlier epoch is refused before the exhausted identity retries
      Given producer A at the last usable epoch
      And A has initialised again
      And A has tried to initialise again with the epoch before its previous one
      When A initialises again with its previous epoch
      Then it is done and answers the producer id and epoch in force

  @KIP890-028 @SHOULD
  Rule: A coordinator never answers with epoch 32767, which is reserved for markers.
    The writes of a client that has the epoch of markers could not be distinguished from fenced ones.

    Scenario: [1] A producer at its last usable epoch aborts after its timeout
      Given producer A at the last usable epoch with a short timeout
      And A has written "a1" to payments-0
      When A aborts after its timeout
      Then the transaction of A was only seen as over
      And no answer has epoch 32767

    Scenario: [2] A new instance takes over an open transaction at the last usable epoch
      Given producer A at the last usable epoch
      And A has written "a1" to payments-0
      When B takes over from A
      Then it is done
      And no answer has epoch 32767
      And readers of payments-0 see nothing

    @needs:crash @needs:hold-markers
    Scenario: [3] A commit at the last usable epoch is retried after a crash that preceded the markers
      Given producer A at the last usable epoch
      And completion of A's transactions is blocked until the next restart
      And A has been asked to commit
      And the system has crashed and restarted
      When A commits with its previous epoch
      Then no answer has epoch 32767

  @KIP890-076 @MUST
  Rule: A coordinator answers EndTxn v5 at the last usable epoch, 32766, with a new producer id and epoch 0.
    Without a new producer id the client has no epoch left for its next transaction, and is blocked.

    @needs:transactions-v2
    Scenario: [1] A producer commits at the last usable epoch
      Given producer A at the last usable epoch
      And A has written "a1" to payments-0
      When A commits
      Then it is done and answers a new producer id and epoch 0
      And readers of payments-0 see "a1"
      And the producer id and epoch of A are those of the answer

    @needs:transactions-v2
    Scenario: [2] A producer aborts at the last usable epoch
      Given producer A at the last usable epoch
      And A has written "a1" to payments-0
      When A aborts
      Then it is done and answers a new producer id and epoch 0
      And readers of payments-0 see nothing
      And the producer id and epoch of A are those of the answer

    @needs:transactions-v2
    Scenario: [3] A producer aborts without an open transaction at the last usable epoch
      Given producer A at the last usable epoch
      When A aborts
      Then it is done and answers a new producer id and epoch 0
      And the transaction of A is over
      And the producer id and epoch of A are those of the answer

    @needs:transactions-v2
    Scenario: [4] A producer writes with the old protocol at the last usable epoch, and commits with EndTxn v5
      Given producer A at the last usable epoch
      And A is an old client (transaction version 0)
      And A has written "a1" to payments-0
      And A uses EndTxn v5
      When A commits
      Then it is done and answers a new producer id and epoch 0

  @KIP890-077 @MUST
  Rule: After an overflow a coordinator answers a retried EndTxn of the old identity with the same new one, and the opposite decision with INVALID_TXN_STATE.
    A producer whose answer with the new id was lost cannot find out how its transaction ended.

    @needs:transactions-v2
    Scenario: [1] The exhausted identity retries its abort
      Given producer A at the last usable epoch
      And A has written "a1" to payments-0
      And A has aborted
      When A aborts with its previous epoch
      Then it is done and answers the producer id and epoch in force
      And the log of payments-0 has not grown

    @needs:transactions-v2
    Scenario: [2] The exhausted identity aborts its committed transaction
      Given producer A at the last usable epoch
      And A has written "a1" to payments-0
      And A has committed
      When A aborts with its previous epoch
      Then it is refused with INVALID_TXN_STATE
      And readers of payments-0 see "a1"

    @needs:transactions-v2
    Scenario: [3] The exhausted identity retries its abort without an open transaction
      Given producer A at the last usable epoch
      And A has aborted
      When A aborts with its previous epoch
      Then it is done and answers the producer id and epoch in force
      And the producer id and epoch of A are unchanged

    @needs:transactions-v2
    Scenario: [4] A commit without an open transaction is refused before the exhausted identity retries its commit
      Given producer A at the last usable epoch
      And A has committed "a1" to payments-0
      And A has tried to commit
      When A commits with its previous epoch
      Then it is done and answers the producer id and epoch in force

    @needs:transactions-v2
    Scenario: [5] The exhausted identity retries its commit a second time
      Given producer A at the last usable epoch
      And A has committed "a1" to payments-0
      And A has tried to commit with its previous epoch
      When A commits with its previous epoch
      Then it is done and answers the producer id and epoch in force

    @needs:transactions-v2
    Scenario: [6] The exhausted identity commits its aborted transaction
      Given producer A at the last usable epoch
      And A has written "a1" to payments-0
      And A has aborted
      When A commits with its previous epoch
      Then it is refused with INVALID_TXN_STATE or PRODUCER_FENCED
      And readers of payments-0 see nothing

  @KIP890-078 @MUST @fencing
  Rule: After an overflow the producer's next transaction has the new producer id, and requests with the old one are refused.
    If the old producer id were still valid, late writes of the last epoch could not be distinguished from new ones.

    @needs:transactions-v2
    Scenario: [1] The next transaction commits after an overflow
      Given producer A at the last usable epoch
      And A has written "a1" to payments-0
      And A has committed
      When A commits "a2" to payments-0
      Then it is done and answers the same producer id and the next epoch
      And readers of payments-0 see "a1", "a2"

    @needs:transactions-v2
    Scenario: [2] A record is written with the old producer id
      Given producer A at the last usable epoch
      And A has written "a1" to payments-0
      And A has committed
      When A writes "late" to payments-0 with its previous epoch
      Then it is refused with INVALID_PRODUCER_EPOCH or INVALID_PRODUCER_ID_MAPPING
      And the log of payments-0 has not grown

    @needs:transactions-v2
    Scenario: [3] A commit is sent with the old producer id and another epoch than its last
      Given producer A at the last usable epoch
      And A has written "a1" to payments-0
      And A has committed
      When A commits with the epoch before its previous one
      Then it is refused with INVALID_PRODUCER_ID_MAPPING
      And the refusal has producer id -1 and epoch -1

    @needs:transactions-v2
    Scenario: [4] A commit is sent with the old producer id after another transaction of the new one
      Given producer A at the last usable epoch
      And A has committed "a1" to payments-0
      And A has committed "a2" to payments-0
      When A commits with the epoch before its previous one
      Then it is refused with INVALID_PRODUCER_ID_MAPPING
      And the refusal has producer id -1 and epoch -1
      And the producer id and epoch of A are unchanged

    @needs:transactions-v2
    Scenario: [5] An abort is sent with the old producer id after another transaction of the new one
      Given producer A at the last usable epoch
      And A has written "a1" to payments-0
      And A has aborted
      And A has written "a2" to payments-0
      And A has aborted
      When A aborts with the epoch before its previous one
      Then it is refused with INVALID_PRODUCER_ID_MAPPING

    @needs:transactions-v2
    Scenario: [6] A record is written with the old producer id to a partition outside of its last transaction
      Given producer A at the last usable epoch
      And A has written "a1" to payments-0
      And A has committed
      When A writes "late" to payments-1 with its previous epoch
      Then it is refused with INVALID_PRODUCER_EPOCH or INVALID_PRODUCER_ID_MAPPING
      And the log of payments-1 has not grown

    @needs:transactions-v2
    Scenario: [7] InitProducerId is sent with the old identity after another transaction of the new producer id
      Given producer A at the last usable epoch
      And A has committed "a1" to payments-0
      And A has committed "a2" to payments-0
      When A initialises again with the epoch before its previous one
      Then it is refused with PRODUCER_FENCED
      And the producer id and epoch of A are unchanged

  @KIP890-405 @MUST @commits @aborts
  Rule: A transaction that ends at the last usable epoch, 32766, ends in each of its partitions, the offsets of groups included.
    The markers have the old producer id. A partition that waits for a marker with the new one has an open transaction for ever.

    @needs:transactions-v2
    Scenario: [1] A transaction with nothing but offsets commits
      Given producer A at the last usable epoch
      And A has sent offset 5 of payments-0 to group "shop"
      When A commits
      Then it is done and answers a new producer id and epoch 0
      And group "shop" has committed offset 5 of payments-0
      And group "shop" has no pending offset of payments-0

    @needs:transactions-v2
    Scenario: [2] A transaction with records in two partitions and offsets commits
      Given producer A at the last usable epoch
      And A has written "a1" to payments-0 and "a2" to payments-1 in one request
      And A has sent offset 5 of payments-0 to group "shop"
      When A commits
      Then readers of payments-0 see "a1"
      And readers of payments-1 see "a2"
      And group "shop" has committed offset 5 of payments-0

    @needs:transactions-v2
    Scenario: [3] A transaction with records in two partitions and offsets aborts
      Given producer A at the last usable epoch
      And A has written "a1" to payments-0 and "a2" to payments-1 in one request
      And A has sent offset 5 of payments-0 to group "shop"
      When A aborts
      Then the last stable offset of payments-0 and payments-1 is the high watermark
      And group "shop" has no pending offset of payments-0
      And group "shop" has no committed offset of payments-0

    @needs:transactions-v2
    Scenario: [4] A new instance takes over
      Given producer A at the last usable epoch
      And A has written "a1" to payments-0 and "a2" to payments-1 in one request
      And A has sent offset 5 of payments-0 to group "shop"
      When B takes over from A
      Then the last stable offset of payments-0 and payments-1 is the high watermark
      And group "shop" has no pending offset of payments-0
      And group "shop" has no committed offset of payments-0

    @needs:transactions-v2
    Scenario: [5] The transaction times out
      Given producer A at the last usable epoch with a short timeout
      And A has written "a1" to payments-0
      And A has sent offset 5 of payments-0 to group "shop"
      When A leaves its transaction open past its timeout
      Then the last stable offset of payments-0 is the high watermark
      And group "shop" has no pending offset of payments-0

    @needs:crash @needs:hold-markers @needs:transactions-v2
    Scenario: [6] The system crashes while the markers are in flight
      Given producer A at the last usable epoch
      And completion of A's transactions is blocked until the next restart
      And A has sent offset 5 of payments-0 to group "shop"
      And A has been asked to commit
      When the system crashes and restarts
      Then the transaction of A is over
      And group "shop" has committed offset 5 of payments-0

  @KIP890-124 @MUST
  Rule: At an epoch overflow the marker has the old producer id and epoch 32767.
    A marker with the new producer id ends nothing: the data of the old one stays undecided.

    @needs:transactions-v2
    Scenario: [1] The last transaction before an overflow has one partition
      Given producer A at the last usable epoch
      And A has written "a1" to payments-0
      When A commits
      Then one COMMIT marker was added to payments-0, with the next epoch of A

    @needs:transactions-v2
    Scenario: [2] The last transaction before an overflow has two partitions
      Given producer A at the last usable epoch
      And A has written "a1" to payments-0
      And A has written "a2" to payments-1
      When A commits
      Then one COMMIT marker was added to payments-0, with the next epoch of A
      And one COMMIT marker was added to payments-1, with the next epoch of A

    @needs:transactions-v2
    Scenario: [3] A takeover aborts the last transaction before an overflow
      Given producer A at the last usable epoch
      And A has written "a1" to payments-0
      When B takes over from A
      Then one ABORT marker was added to payments-0, with the next epoch of A
