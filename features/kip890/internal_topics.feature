Feature: Internal topics
  The offsets of groups are in an internal topic of the broker. It may be part of a transaction, and yet no client writes there.

  Background:
    Given a topic "payments" with 1 partition
    And producer A with transactional id "transfer"
    And A has sent offset 3 of payments-0 to group "shop"
    And A has committed

  @KIP890-255 @MUST
  Rule: A broker answers AddPartitionsToTxn v3 of an internal topic with TOPIC_AUTHORIZATION_FAILED, and adds no partition.
    Any client could have markers written among the offsets of all groups, or block them with a transaction that it leaves open.

    Scenario: [1] A producer adds a partition of an ordinary and of an internal topic
      When A adds payments-0 and the partition of group "shop"
      Then it is refused for the partition of group "shop" with TOPIC_AUTHORIZATION_FAILED
      And it is refused for payments-0 with OPERATION_NOT_ATTEMPTED
      And the transaction of A is unchanged

    Scenario: [2] A producer adds a partition of an internal topic
      When A adds the partition of group "shop"
      Then it is refused for the partition of group "shop" with TOPIC_AUTHORIZATION_FAILED
      And the transaction of A is unchanged

  @KIP890-256 @MUST
  Rule: A leader answers Produce to an internal topic with INVALID_TOPIC_EXCEPTION.
    A client could overwrite the offsets of any group, and with them what a transaction has committed.

    Scenario: [1] A new client writes to an internal topic
      When A writes "forged" to the partition of group "shop"
      Then it is refused with INVALID_TOPIC_EXCEPTION
      And group "shop" has committed offset 3 of payments-0

    Scenario: [2] An old client writes to an internal topic whose partition is in its transaction
      Given A has added the offsets of group "shop"
      And A uses Produce v11
      When A writes "forged" to the partition of group "shop"
      Then it is refused with INVALID_TOPIC_EXCEPTION
      And group "shop" has committed offset 3 of payments-0
