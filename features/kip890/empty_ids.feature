Feature: The empty transactional id
  No client owns the empty transactional id. Clients that forgot to set theirs must not share it.

  Background:
    Given a topic "payments" with 2 partitions

  @KIP890-214 @MUST
  Rule: A broker refuses AddOffsetsToTxn with an empty transactional id, and Produce and TxnOffsetCommit with one if the log or group has nothing of the producer's open transaction yet; it adds and appends nothing.
    A batch without a name would be in a transaction that no client can end.

    Scenario: [1] Produce v12 with an empty transactional id
      Given producer A with transactional id "transfer"
      When A writes "stray" to payments-0 with an empty transactional id
      Then it is refused with INVALID_REQUEST or INVALID_PRODUCER_ID_MAPPING
      And the log of payments-0 has not grown
      And the transaction of A is unchanged

    Scenario: [2] Produce v11 with an empty transactional id
      Given producer A with transactional id "transfer"
      And A has added payments-0
      And A uses Produce v11
      When A writes "stray" to payments-0 with an empty transactional id
      Then it is refused with INVALID_REQUEST or INVALID_PRODUCER_ID_MAPPING
      And the log of payments-0 has not grown

    @needs:transactions-v2
    Scenario: [3] TxnOffsetCommit v5 with an empty transactional id
      Given producer A with transactional id "transfer"
      When A sends offset 5 of payments-0 to group "shop" with an empty transactional id
      Then it is refused for payments-0 with INVALID_REQUEST or INVALID_PRODUCER_ID_MAPPING
      And group "shop" has no pending offset of payments-0
      And the transaction of A is unchanged

    Scenario: [4] AddOffsetsToTxn with an empty transactional id
      Given producer A with transactional id "transfer"
      When A adds the offsets of group "shop" with an empty transactional id
      Then it is refused with INVALID_REQUEST or INVALID_PRODUCER_ID_MAPPING
      And the transaction of A is unchanged
