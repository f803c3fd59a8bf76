Feature: Offsets as part of a transaction
  A group's offsets are records like any other, in a partition of the broker's own, and count only when their transaction commits.
  So what a consumer has read and what it has written because of that become true together, or not at all.

  Background:
    Given a topic "payments" with 2 partitions

  @KIP890-046 @MUST
  Rule: AddOffsetsToTxn puts the group's __consumer_offsets partition into the transaction.

    Scenario: [1] The group's partition is the first of the transaction
      Given producer A with transactional id "transfer"
      When A adds the offsets of group "shop"
      Then it is done
      And the transaction of A is Ongoing in a partition of __consumer_offsets

    Scenario: [2] The group's partition is the one to which its offsets go
      Given producer A with transactional id "transfer"
      And A has added the offsets of group "shop"
      And A uses TxnOffsetCommit v3
      When A sends offset 5 of payments-0 to group "shop"
      Then it is done for payments-0
      And the transaction of A is Ongoing in a partition of __consumer_offsets
      And A has records in every partition of its transaction

  @KIP890-047 @MUST
  Rule: TxnOffsetCommit v5 needs no AddOffsetsToTxn, it opens the transaction with the group's offsets partition itself.

    Scenario: [1] Offsets are the first thing that a producer sends
      Given producer A with transactional id "transfer"
      When A sends offset 5 of payments-0 to group "shop"
      Then it is done for payments-0
      And the transaction of A is Ongoing in a partition of __consumer_offsets
      And A has records in every partition of its transaction

  @KIP890-048 @MUST
  Rule: TxnOffsetCommit v3 without AddOffsetsToTxn is refused INVALID_TXN_STATE and stores no offset.

    Scenario: [1] No transaction is open
      Given producer A with transactional id "transfer"
      And A uses TxnOffsetCommit v3
      When A sends offset 5 of payments-0 to group "shop"
      Then it is refused for payments-0 with INVALID_TXN_STATE
      And group "shop" has no committed offset of payments-0
      And group "shop" has no pending offset of payments-0
      And the transaction of A is unchanged

    Scenario: [2] The transaction is open in another partition
      Given producer A with transactional id "transfer"
      And A has added payments-0
      And A uses TxnOffsetCommit v3
      When A sends offset 5 of payments-0 to group "shop"
      Then it is refused for payments-0 with INVALID_TXN_STATE
      And group "shop" has no pending offset of payments-0
      And the transaction of A is unchanged

  @KIP890-049 @MUST
  Rule: TxnOffsetCommit v4 without AddOffsetsToTxn is refused TRANSACTION_ABORTABLE.

    Scenario: [1] TxnOffsetCommit v4 for a group that was not added
      Given producer A with transactional id "transfer"
      And A uses TxnOffsetCommit v4
      When A sends offset 5 of payments-0 to group "shop"
      Then it is refused for payments-0 with TRANSACTION_ABORTABLE
      And group "shop" has no committed offset of payments-0
      And group "shop" has no pending offset of payments-0
      And the transaction of A is unchanged

  @KIP890-050 @MUST
  Rule: TxnOffsetCommit with a producer id foreign to the transactional id is refused INVALID_PRODUCER_ID_MAPPING.

    Scenario: [1] An old client that names another producer
      Given producers A and B with transactional ids "transfer" and "refund"
      And A uses TxnOffsetCommit v3
      When A sends offset 5 of payments-0 to group "shop" with the producer id of B
      Then it is refused for payments-0 with INVALID_PRODUCER_ID_MAPPING
      And group "shop" has no pending offset of payments-0

    Scenario: [2] A new client that names another producer
      Given producers A and B with transactional ids "transfer" and "refund"
      When A sends offset 5 of payments-0 to group "shop" with the producer id of B
      Then it is refused for payments-0 with INVALID_PRODUCER_ID_MAPPING
      And group "shop" has no pending offset of payments-0
      And the transaction of A is unchanged
      And the transaction of B is unchanged

    Scenario: [3] A new client whose transactional id nobody knows
      Given producer A with transactional id "transfer"
      When A sends offset 5 of payments-0 to group "shop" with an unused transactional id
      Then it is refused for payments-0 with INVALID_PRODUCER_ID_MAPPING
      And group "shop" has no pending offset of payments-0

  @KIP890-051 @MUST
  Rule: TxnOffsetCommit with a stale epoch is refused INVALID_PRODUCER_EPOCH, not PRODUCER_FENCED.

    Scenario: [1] An old client that has fallen behind
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has committed
      And A uses TxnOffsetCommit v3
      When A sends offset 5 of payments-0 to group "shop" with its previous epoch
      Then it is refused for payments-0 with INVALID_PRODUCER_EPOCH
      And group "shop" has no pending offset of payments-0

    Scenario: [2] A new client that has fallen behind
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has committed
      When A sends offset 5 of payments-0 to group "shop" with its previous epoch
      Then it is refused for payments-0 with INVALID_PRODUCER_EPOCH
      And the transaction of A is unchanged

    Scenario: [3] Offsets that come after the end of their transaction
      Given producer A with transactional id "transfer"
      And A has sent offset 3 of payments-0 to group "shop"
      And A has committed
      When A sends offset 5 of payments-0 to group "shop" with its previous epoch
      Then it is refused for payments-0 with INVALID_PRODUCER_EPOCH
      And group "shop" has committed offset 3 of payments-0

  @KIP890-052 @MUST
  Rule: Offsets of an open transaction stay hidden from OffsetFetch, and asking for stable ones gives UNSTABLE_OFFSET_COMMIT.

    Scenario: [1] The first offset of a group
      Given producer A with transactional id "transfer"
      When A sends offset 5 of payments-0 to group "shop"
      Then group "shop" has no committed offset of payments-0
      And group "shop" has a pending offset of payments-0
      And group "shop" has no pending offset of payments-1

    Scenario: [2] An offset after a committed one
      Given producer A with transactional id "transfer"
      And A has sent offset 3 of payments-0 to group "shop"
      And A has committed
      When A sends offset 5 of payments-0 to group "shop"
      Then group "shop" has committed offset 3 of payments-0
      And group "shop" has a pending offset of payments-0

  @KIP890-053 @MUST
  Rule: Offsets and their metadata become visible to OffsetFetch once their transaction is committed and settled.

    Scenario: [1] An offset with metadata
      Given producer A with transactional id "transfer"
      And A has sent offset 5 of payments-0 to group "shop" with metadata "half way"
      When A commits
      Then group "shop" has committed offset 5 of payments-0 with metadata "half way"
      And group "shop" has no pending offset of payments-0

    Scenario: [2] A later transaction takes the place of the offset
      Given producer A with transactional id "transfer"
      And A has sent offset 3 of payments-0 to group "shop"
      And A has committed
      And A has sent offset 5 of payments-0 to group "shop" with metadata "half way"
      When A commits
      Then group "shop" has committed offset 5 of payments-0 with metadata "half way"

  @KIP890-054 @MUST
  Rule: Aborting a transaction leaves the offset that was committed before it in place.

    Scenario: [1] An abort after a commit
      Given producer A with transactional id "transfer"
      And A has sent offset 3 of payments-0 to group "shop"
      And A has committed
      And A has sent offset 5 of payments-0 to group "shop"
      When A aborts
      Then group "shop" has committed offset 3 of payments-0

    Scenario: [2] An abort of the group's first offset
      Given producer A with transactional id "transfer"
      And A has sent offset 5 of payments-0 to group "shop"
      When A aborts
      Then group "shop" has no committed offset of payments-0
      And group "shop" has no pending offset of payments-0

  @KIP890-055 @MUST
  Rule: TxnOffsetCommit refuses a member that its group does not know, and wants no membership of a sender that claims none.

    Scenario: [1] A group that is there, and does not know the member
      Given producer A with transactional id "transfer"
      And A has sent offset 3 of payments-0 to group "shop"
      And A has committed
      When A sends offset 5 of payments-0 to group "shop" with an unknown member id
      Then it is refused for payments-0 with UNKNOWN_MEMBER_ID
      And group "shop" has no pending offset of payments-0

    Scenario: [2] A group that is not there
      Given producer A with transactional id "transfer"
      When A sends offset 5 of payments-0 to group "shop" with an unknown member id
      Then it is refused for payments-0 with ILLEGAL_GENERATION
      And group "shop" has no pending offset of payments-0

    Scenario: [3] A sender that does not say it is a member
      Given producer A with transactional id "transfer"
      When A sends offset 5 of payments-0 to group "shop"
      Then it is done for payments-0
      And group "shop" has a pending offset of payments-0

  @KIP890-056 @MUST
  Rule: TxnOffsetCommit refuses bad partitions one by one, and an empty group id as a whole.

    Scenario: [1] A partition that does not exist
      Given producer A with transactional id "transfer"
      When A sends offset 5 of payments-0 and payments-9 to group "shop"
      Then it is refused for payments-9 with UNKNOWN_TOPIC_OR_PARTITION
      And it is done for payments-0
      And group "shop" has a pending offset of payments-0

    Scenario: [2] Metadata that is too long
      Given producer A with transactional id "transfer"
      When A sends offset 5 of payments-0 and payments-1 to group "shop" and metadata that is too large for payments-1
      Then it is refused for payments-1 with OFFSET_METADATA_TOO_LARGE
      And it is done for payments-0
      And group "shop" has a pending offset of payments-0
      And group "shop" has no pending offset of payments-1

    Scenario: [3] A group without a name
      Given producer A with transactional id "transfer"
      When A sends offset 5 of payments-0 and payments-1 to group ""
      Then it is refused for payments-0 and payments-1 with INVALID_GROUP_ID
      And the transaction of A is unchanged

  @KIP890-058 @SHOULD
  Rule: TxnOffsetCommit v5 is told to come back while the last transaction completes, CONCURRENT_TRANSACTIONS or COORDINATOR_NOT_AVAILABLE.

    @needs:hold-markers
    Scenario: [1] The commit before is incomplete
      Given producer A with transactional id "transfer"
      And completion of A's transactions is blocked
      And A has been asked to commit
      When A sends offset 5 of payments-0 to group "shop"
      Then it is refused for payments-0 with CONCURRENT_TRANSACTIONS or COORDINATOR_NOT_AVAILABLE
      And the transaction of A is unchanged
