Feature: What a refused or empty request leaves
  A request that did nothing for its sender must have done nothing at all: it opens and aborts no transaction, and leaves no transactional
  id stuck.

  Background:
    Given a topic "payments" with 2 partitions

  @KIP890-271 @MUST
  Rule: A coordinator at transaction.version 0 serves a request of a new client, or refuses it and leaves the transactional id usable.
    A client that was started before a downgrade sends one request, and no later instance can use its transactional id.

    @needs:feature-levels
    Scenario: [1] A new client writes its first record at transaction.version 0
      Given transaction.version has been set to 0
      And producer A with transactional id "transfer"
      And A has sent "a1" to payments-0, whatever was answered
      When A initialises again with neither producer id nor epoch
      Then it is done

    @needs:feature-levels
    Scenario: [2] A new client aborts at transaction.version 0
      Given transaction.version has been set to 0
      And producer A with transactional id "transfer"
      And A has tried to abort
      When A initialises again with neither producer id nor epoch
      Then it is done

  @KIP890-272 @MUST @fencing
  Rule: A coordinator does not abort the owner's open transaction for an InitProducerId whose epoch is not the current one.
    An instance that was replaced long ago starts again, and the transaction of its successor is lost.

    Scenario: [1] The previous instance initialises again
      Given producer A with transactional id "transfer"
      And B has taken over from A
      And B has written "b1" to payments-0
      When A initialises again
      Then it is refused with PRODUCER_FENCED
      And the transaction of B is unchanged

    Scenario: [2] An instance initialises with an epoch that was never assigned during a transaction
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      When A initialises again with an epoch ahead of the current one
      Then it is refused with PRODUCER_FENCED
      And the transaction of A is unchanged

  @KIP890-273 @SHOULD
  Rule: If Produce v12 refuses the first batch in a partition, the partition is not in the transaction afterwards.
    The producer has written nothing, and yet has a transaction that blocks its transactional id until it is ended.

    @needs:transactions-v2
    Scenario: [1] A first batch has a wrong sequence number
      Given producer A with transactional id "transfer"
      And A has committed "a1" to payments-0
      When A writes "early" to payments-0 at sequence 5
      Then it is refused with OUT_OF_ORDER_SEQUENCE_NUMBER
      And the transaction of A is unchanged

    @needs:transactions-v2
    Scenario: [2] A first batch is a marker
      Given producer A with transactional id "transfer"
      When A writes a COMMIT marker to payments-0
      Then it is refused with INVALID_RECORD
      And the transaction of A is unchanged

    @needs:transactions-v2
    Scenario: [3] A first batch is sent to an internal topic
      Given producer A with transactional id "transfer"
      And A has sent offset 3 of payments-0 to group "shop"
      And A has committed
      When A writes "stray" to the partition of group "shop"
      Then it is refused with INVALID_TOPIC_EXCEPTION
      And the transaction of A is unchanged

  @KIP890-274 @SHOULD @fencing
  Rule: A Produce v12 that repeats a batch of an ended transaction does not open another transaction.
    A record that is sent twice would open a transaction unknown to its producer, and the timeout would fence the producer.

    Scenario: [1] A batch is repeated that an EndTxn v4 has committed
      Given producer A with transactional id "transfer"
      And A uses EndTxn v4
      And A has committed "a1" to payments-0
      When A writes "a1" to payments-0 at sequence 0
      Then the log of payments-0 has not grown
      And the transaction of A is unchanged

  @KIP890-275 @SHOULD
  Rule: AddPartitionsToTxn without partitions opens no transaction.
    A transaction without partitions has nothing to end, and still its timeout fences the producer.

    Scenario: [1] A producer adds an empty list of partitions
      Given producer A with transactional id "transfer"
      When A adds no partition at all
      Then the transaction of A is unchanged

  @KIP890-407 @SHOULD
  Rule: A TxnOffsetCommit v5 that names only missing partitions opens no transaction.
    The producer has stored nothing, and yet has a transaction that blocks its transactional id until it is ended.

    @needs:transactions-v2
    Scenario: [1] An offset of a missing partition is sent
      Given producer A with transactional id "transfer"
      When A sends offset 5 of payments-9 to group "shop"
      Then it is refused for payments-9 with UNKNOWN_TOPIC_OR_PARTITION
      And the transaction of A is unchanged

    @needs:transactions-v2
    Scenario: [2] Offsets of two missing partitions are sent after a commit
      Given producer A with transactional id "transfer"
      And A has committed "a1" to payments-0
      When A sends offset 5 of payments-8 and payments-9 to group "shop"
      Then it is refused for payments-8 and payments-9 with UNKNOWN_TOPIC_OR_PARTITION
      And the transaction of A is unchanged

  @KIP890-276 @MUST @aborts
  Rule: At epoch 32766 a coordinator answers the owner's InitProducerId by aborting the open transaction and then returning a new producer id.
    The owner has used its last epoch. Without a new producer id, its transactional id can never be used again.

    @needs:aged-ids @needs:transactions-v2
    Scenario: [1] The owner initialises again during a transaction at its last usable epoch
      Given producer A at the last usable epoch
      And A has written "a1" to payments-0
      When A initialises again
      Then it is done and answers a new producer id and epoch 0
      And readers of payments-0 see nothing
      And the last stable offset of payments-0 is the high watermark

  @KIP890-411 @MUST
  Rule: A request that is refused while its producer's transaction is open changes neither the transaction nor its pending offsets.
    A client that corrects its request and commits would commit less than it has written, or nothing.

    @needs:transactions-v2
    Scenario Outline: [1] An offset is sent with a wrong identity
      Given producers A and B with transactional ids "transfer" and "refund"
      And A has written "a1" to payments-0
      And A has sent offset 3 of payments-0 to group "shop"
      When A sends offset 5 of payments-0 to group "shop" with <identity>
      Then it is refused for payments-0 with <errors>
      And the transaction of A is unchanged
      And group "shop" has a pending offset of payments-0

      Examples:
        | identity             | errors                                 | why                                      |
        | the producer id of B | INVALID_PRODUCER_ID_MAPPING            | the coordinator of transactions refuses  |
        | an unknown member id | UNKNOWN_MEMBER_ID or ILLEGAL_GENERATION | the coordinator of the group refuses     |

    Scenario: [2] An offset is sent with metadata that is too long
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has sent offset 3 of payments-0 to group "shop"
      When A sends offset 5 of payments-0 to group "shop" and metadata that is too large for payments-1
      Then it is refused for payments-1 with OFFSET_METADATA_TOO_LARGE
      And the transaction of A is unchanged

    Scenario: [3] An offset of a missing partition is sent while a transaction is open
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has sent offset 3 of payments-0 to group "shop"
      When A sends offset 5 of payments-9 to group "shop"
      Then it is refused for payments-9 with UNKNOWN_TOPIC_OR_PARTITION
      And the transaction of A is unchanged
      And group "shop" has a pending offset of payments-0

    @needs:transactions-v2
    Scenario: [4] An offset is sent with an empty group id
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has sent offset 3 of payments-0 to group "shop"
      When A sends offset 5 of payments-0 to group ""
      Then it is refused for payments-0 with INVALID_GROUP_ID
      And the transaction of A is unchanged

    Scenario Outline: [5] The offsets of a group are added with a wrong identity
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has sent offset 3 of payments-0 to group "shop"
      When A adds the offsets of group "others" with <identity>
      Then it is refused with <error>
      And the transaction of A is unchanged
      And group "shop" has a pending offset of payments-0

      Examples:
        | identity                  | error           | why                                    |
        | the next epoch            | PRODUCER_FENCED | no instance has that epoch yet     |
        | an empty transactional id | INVALID_REQUEST | an empty id belongs to no producer |

    Scenario: [6] A record is sent to an internal topic
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has sent offset 3 of payments-0 to group "shop"
      When A writes "stray" to the partition of group "shop"
      Then it is refused with INVALID_TOPIC_EXCEPTION
      And the transaction of A is unchanged
      And group "shop" has a pending offset of payments-0

    @needs:transactions-v2
    Scenario: [7] An offset is sent with the previous epoch while another one is pending
      Given producer A with transactional id "transfer"
      And A has committed "a1" to payments-0
      And A has sent offset 3 of payments-0 to group "shop"
      When A sends offset 5 of payments-0 to group "shop" with its previous epoch
      Then it is refused for payments-0 with INVALID_PRODUCER_EPOCH
      And the transaction of A is unchanged
      And group "shop" has a pending offset of payments-0

    @needs:transactions-v2
    Scenario: [8] A record is sent with the previous epoch while a transaction is open
      Given producer A with transactional id "transfer"
      And A has committed "a1" to payments-0
      And A has written "a2" to payments-0
      When A writes "late" to payments-0 with its previous epoch
      Then it is refused with INVALID_PRODUCER_EPOCH
      And the last stable offset of payments-0 is the offset of "a2"

    Scenario: [9] A transaction commits after a late marker of a later coordinator was refused
      Given producer A with transactional id "transfer"
      And A has initialised again
      And A has written "a1" to payments-0
      And payments-0 has refused an ABORT marker for A with its previous epoch from coordinator epoch 7
      When A commits
      Then the transaction of A is over
      And readers of payments-0 see "a1"

    Scenario: [10] A record is sent after a marker with the next epoch of an older coordinator was refused
      Given producer A with transactional id "transfer"
      And an ABORT marker for A has reached payments-0 from coordinator epoch 7
      And A has written "a1" to payments-0
      And payments-0 has refused an ABORT marker for A with the next epoch from coordinator epoch 6
      When A writes "a2" to payments-0
      Then it is done and answers the offset of "a2"
      And the last stable offset of payments-0 is the offset of "a1"

    @needs:transactions-v2
    Scenario Outline: [11] A transaction commits after a request of its producer was refused
      Given producer A with transactional id "transfer"
      And A has committed "a1" to payments-0
      And A has written "a2" to payments-0
      And A has tried to <try>
      When A commits
      Then it is done and answers the same producer id and the next epoch
      And readers of payments-0 see "a1", "a2"

      Examples:
        | try                                           | why                                             |
        | add payments-1 and payments-9                 | a missing partition refuses the addition        |
        | commit with its previous epoch                | that transaction was ended, and another is open |
        | commit with an epoch ahead of the current one | no producer has that epoch                      |

    @needs:transactions-v2
    Scenario: [12] A transaction commits after a marker with its own epoch was refused
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And payments-0 has refused an ABORT marker for A from coordinator epoch 7 with transaction version 2
      When A commits
      Then the transaction of A is over
      And readers of payments-0 see "a1"
