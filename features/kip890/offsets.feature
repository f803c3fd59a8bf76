Feature: Offsets in a transaction
  A group's offsets are records like any other, in an internal partition of the broker, and take effect only when their transaction
  commits. So what a consumer has read and what it has written as a result take effect together, or not at all.

  Background:
    Given a topic "payments" with 2 partitions

  @KIP890-046 @MUST
  Rule: AddOffsetsToTxn adds the group's partition of __consumer_offsets to the transaction.
    Without the offsets partition in the transaction, its pending offsets receive no marker, and the group's position stays undecided.

    Scenario: [1] A producer adds the offsets of a group first
      Given producer A with transactional id "transfer"
      When A adds the offsets of group "shop"
      Then it is done
      And the transaction of A is Ongoing in a partition of __consumer_offsets

    Scenario: [2] A producer adds the offsets of a group and sends one
      Given producer A with transactional id "transfer"
      And A has added the offsets of group "shop"
      And A uses TxnOffsetCommit v3
      When A sends offset 5 of payments-0 to group "shop"
      Then it is done for payments-0
      And the transaction of A is Ongoing in a partition of __consumer_offsets
      And A has records in every partition of its transaction

  @KIP890-047 @MUST
  Rule: TxnOffsetCommit v5 without AddOffsetsToTxn succeeds, and adds the group's offsets partition to the transaction, which it opens if none is open.
    A new client that does not announce its offsets would move its input outside of the transaction.

    Scenario: [1] A producer sends an offset first
      Given producer A with transactional id "transfer"
      When A sends offset 5 of payments-0 to group "shop"
      Then it is done for payments-0
      And the transaction of A is Ongoing in a partition of __consumer_offsets
      And A has records in every partition of its transaction

    @needs:verification-off
    Scenario: [2] A producer sends an offset first while partition verification is switched off
      Given producer A with transactional id "transfer"
      When A sends offset 5 of payments-0 to group "shop"
      Then it is done for payments-0
      And the transaction of A is Ongoing in a partition of __consumer_offsets

  @KIP890-048 @MUST
  Rule: A group coordinator answers TxnOffsetCommit v3 without AddOffsetsToTxn with INVALID_TXN_STATE, and stores no offset.
    Late offsets of an ended transaction would open one that is never ended, and block the group.

    Scenario: [1] An offset is sent without an open transaction
      Given producer A with transactional id "transfer"
      And A uses TxnOffsetCommit v3
      When A sends offset 5 of payments-0 to group "shop"
      Then it is refused for payments-0 with INVALID_TXN_STATE
      And group "shop" has no committed offset of payments-0
      And group "shop" has no pending offset of payments-0
      And the transaction of A is unchanged

    Scenario: [2] An offset is sent while the transaction is open in another partition
      Given producer A with transactional id "transfer"
      And A has added payments-0
      And A uses TxnOffsetCommit v3
      When A sends offset 5 of payments-0 to group "shop"
      Then it is refused for payments-0 with INVALID_TXN_STATE
      And group "shop" has no pending offset of payments-0
      And the transaction of A is unchanged

    Scenario: [3] An offset is sent after the transaction with the group's offsets was committed
      Given producer A with transactional id "transfer"
      And A is an old client (transaction version 0)
      And A has added the offsets of group "shop"
      And A has sent offset 5 of payments-0 to group "shop"
      And A has committed
      When A sends offset 6 of payments-0 to group "shop"
      Then it is refused for payments-0 with INVALID_TXN_STATE

  @KIP890-049 @MUST
  Rule: A group coordinator answers TxnOffsetCommit v4 without AddOffsetsToTxn with TRANSACTION_ABORTABLE.
    A client that could abort and continue gives up when it receives the older, fatal error.

    Scenario: [1] TxnOffsetCommit v4 for a group that was not added
      Given producer A with transactional id "transfer"
      And A uses TxnOffsetCommit v4
      When A sends offset 5 of payments-0 to group "shop"
      Then it is refused for payments-0 with TRANSACTION_ABORTABLE
      And group "shop" has no committed offset of payments-0
      And group "shop" has no pending offset of payments-0
      And the transaction of A is unchanged

  @KIP890-050 @MUST
  Rule: A group coordinator answers TxnOffsetCommit with INVALID_PRODUCER_ID_MAPPING if the producer id does not belong to the transactional id.
    A producer that does not own the id must not move the group's position in the id's name.

    Scenario: [1] An old client sends an offset with the producer id of another
      Given producers A and B with transactional ids "transfer" and "refund"
      And A uses TxnOffsetCommit v3
      When A sends offset 5 of payments-0 to group "shop" with the producer id of B
      Then it is refused for payments-0 with INVALID_PRODUCER_ID_MAPPING
      And group "shop" has no pending offset of payments-0

    @needs:transactions-v2
    Scenario: [2] A new client sends an offset with the producer id of another
      Given producers A and B with transactional ids "transfer" and "refund"
      When A sends offset 5 of payments-0 to group "shop" with the producer id of B
      Then it is refused for payments-0 with INVALID_PRODUCER_ID_MAPPING
      And group "shop" has no pending offset of payments-0
      And the transaction of A is unchanged
      And the transaction of B is unchanged

    @needs:transactions-v2
    Scenario: [3] A new client sends an offset with an unknown transactional id
      Given producer A with transactional id "transfer"
      When A sends offset 5 of payments-0 to group "shop" with an unused transactional id
      Then it is refused for payments-0 with INVALID_PRODUCER_ID_MAPPING
      And group "shop" has no pending offset of payments-0

  @KIP890-051 @MUST @fencing
  Rule: A group coordinator answers TxnOffsetCommit with a stale epoch with INVALID_PRODUCER_EPOCH, not with PRODUCER_FENCED.
    Clients do not expect PRODUCER_FENCED in this answer, and fail with an unknown error instead of stopping cleanly.

    Scenario: [1] An old client sends an offset with a stale epoch
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has committed
      And A uses TxnOffsetCommit v3
      When A sends offset 5 of payments-0 to group "shop" with its previous epoch
      Then it is refused for payments-0 with INVALID_PRODUCER_EPOCH
      And group "shop" has no pending offset of payments-0

    Scenario: [2] A new client sends an offset with a stale epoch
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has committed
      When A sends offset 5 of payments-0 to group "shop" with its previous epoch
      Then it is refused for payments-0 with INVALID_PRODUCER_EPOCH
      And the transaction of A is unchanged

    Scenario: [3] An offset is sent after the end of its transaction
      Given producer A with transactional id "transfer"
      And A has sent offset 3 of payments-0 to group "shop"
      And A has committed
      When A sends offset 5 of payments-0 to group "shop" with its previous epoch
      Then it is refused for payments-0 with INVALID_PRODUCER_EPOCH
      And group "shop" has committed offset 3 of payments-0

    @needs:transactions-v2
    Scenario: [4] An offset is sent with a stale epoch while the next transaction is open
      Given producer A with transactional id "transfer"
      And A has committed "a1" to payments-0
      And A has written "a2" to payments-0
      When A sends offset 5 of payments-0 to group "shop" with its previous epoch
      Then it is refused for payments-0 with INVALID_PRODUCER_EPOCH
      And group "shop" has no pending offset of payments-0
      And the transaction of A is Ongoing in payments-0

    @needs:transactions-v2
    Scenario: [5] An offset is sent with a stale epoch while the next transaction has offsets of another group
      Given producer A with transactional id "transfer"
      And A has committed "a1" to payments-0
      And A has sent offset 3 of payments-0 to group "audit"
      When A sends offset 5 of payments-0 to group "shop" with its previous epoch
      Then it is refused for payments-0 with INVALID_PRODUCER_EPOCH
      And group "shop" has no pending offset of payments-0

    Scenario: [6] An old instance sends an offset to a group that the new one has added
      Given producer A with transactional id "transfer"
      And A has initialised again
      And A has added the offsets of group "shop"
      And A uses TxnOffsetCommit v3
      When A sends offset 5 of payments-0 to group "shop" with its previous epoch
      Then it is refused for payments-0 with INVALID_PRODUCER_EPOCH
      And group "shop" has no pending offset of payments-0

    @needs:transactions-v2
    Scenario: [7] An old instance sends an offset while the transaction of the new one is open
      Given producer A with transactional id "transfer"
      And A has initialised again
      And A has written "a1" to payments-0
      When A sends offset 5 of payments-0 to group "shop" with its previous epoch
      Then it is refused for payments-0 with INVALID_PRODUCER_EPOCH
      And group "shop" has no pending offset of payments-0

  @KIP890-055 @MUST
  Rule: TxnOffsetCommit refuses a member that is unknown to its group, and accepts a sender that claims no membership.
    A consumer that was removed from its group would move the group's position past records that others are processing.

    Scenario: [1] An unknown member of an existing group sends an offset
      Given producer A with transactional id "transfer"
      And A has sent offset 3 of payments-0 to group "shop"
      And A has committed
      When A sends offset 5 of payments-0 to group "shop" with an unknown member id
      Then it is refused for payments-0 with UNKNOWN_MEMBER_ID
      And group "shop" has no pending offset of payments-0

    Scenario: [2] A member of a group that does not exist sends an offset
      Given producer A with transactional id "transfer"
      When A sends offset 5 of payments-0 to group "shop" with an unknown member id
      Then it is refused for payments-0 with ILLEGAL_GENERATION
      And group "shop" has no pending offset of payments-0

    Scenario: [3] A sender that claims no membership sends an offset
      Given producer A with transactional id "transfer"
      When A sends offset 5 of payments-0 to group "shop"
      Then it is done for payments-0
      And group "shop" has a pending offset of payments-0

    Scenario: [4] A member that has left sends an offset
      Given producers A and B with transactional ids "transfer" and "refund"
      And A is a member of group "shop"
      And B has joined group "shop" together with A
      And B has left group "shop"
      When B sends offset 5 of payments-0 to group "shop" as the member that it is
      Then it is refused for payments-0 with UNKNOWN_MEMBER_ID
      And group "shop" has no pending offset of payments-0

    Scenario: [5] A member whose session has expired sends an offset
      Given producers A and B with transactional ids "transfer" and "refund"
      And A is a member of group "shop"
      And B has joined group "shop" together with A with a short session
      And B has been silent until A was notified of it in group "shop"
      When B sends offset 5 of payments-0 to group "shop" as the member that it is
      Then it is refused for payments-0 with UNKNOWN_MEMBER_ID
      And group "shop" has no pending offset of payments-0

  @KIP890-056 @MUST
  Rule: A group coordinator refuses the invalid partitions of TxnOffsetCommit one by one and stores the others, but refuses an empty group id as a whole.
    If one partition that cannot be stored fails the valid ones too, the group processes them again.

    Scenario: [1] An offset is sent for an existing and a missing partition
      Given producer A with transactional id "transfer"
      When A sends offset 5 of payments-0 and payments-9 to group "shop"
      Then it is refused for payments-9 with UNKNOWN_TOPIC_OR_PARTITION
      And it is done for payments-0
      And group "shop" has a pending offset of payments-0

    Scenario: [2] An offset is sent with metadata that is too long
      Given producer A with transactional id "transfer"
      When A sends offset 5 of payments-0 and payments-1 to group "shop" and metadata that is too large for payments-1
      Then it is refused for payments-1 with OFFSET_METADATA_TOO_LARGE
      And it is done for payments-0
      And group "shop" has a pending offset of payments-0
      And group "shop" has no pending offset of payments-1

    Scenario: [3] An offset is sent with an empty group id
      Given producer A with transactional id "transfer"
      When A sends offset 5 of payments-0 and payments-1 to group ""
      Then it is refused for payments-0 and payments-1 with INVALID_GROUP_ID
      And the transaction of A is unchanged

    @needs:known-limits
    Scenario: [4] An offset is sent with metadata of the maximum length
      Given producer A with transactional id "transfer"
      When A sends offset 5 of payments-0 and payments-1 to group "shop" and metadata that is as large as may be for payments-1
      Then it is done for payments-0 and payments-1
      And group "shop" has a pending offset of payments-1

    Scenario: [5] An offset is sent with metadata that is too long for the first of two partitions
      Given producer A with transactional id "transfer"
      When A sends offset 5 of payments-0 and payments-1 to group "shop" and metadata that is too large for payments-0
      Then it is refused for payments-0 with OFFSET_METADATA_TOO_LARGE
      And it is done for payments-1
      And group "shop" has a pending offset of payments-1
      And group "shop" has no pending offset of payments-0

    Scenario: [6] An offset is sent for a missing topic and an existing one
      Given producer A with transactional id "transfer"
      When A sends offset 5 of ghosts-0 and payments-0 to group "shop"
      Then it is refused for ghosts-0 with UNKNOWN_TOPIC_OR_PARTITION
      And it is done for payments-0
      And group "shop" has a pending offset of payments-0

  @KIP890-058 @SHOULD
  Rule: TxnOffsetCommit v5 is answered with CONCURRENT_TRANSACTIONS or COORDINATOR_NOT_AVAILABLE while the previous transaction completes.
    Offsets that are sent right after a commit have to wait a moment; a fatal error would end a healthy client.

    @needs:hold-markers
    Scenario: [1] An offset is sent while a commit is incomplete
      Given producer A with transactional id "transfer"
      And completion of A's transactions is blocked
      And A has been asked to commit
      When A sends offset 5 of payments-0 to group "shop"
      Then it is refused for payments-0 with CONCURRENT_TRANSACTIONS or COORDINATOR_NOT_AVAILABLE
      And the transaction of A is unchanged
