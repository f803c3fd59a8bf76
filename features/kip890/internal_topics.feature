Feature: The broker's own topics
  The offsets of groups are in a topic of the broker's own. They may be part of a transaction, and yet no client writes there.

  Background:
    Given a topic "payments" with 1 partition
    And producer A with transactional id "transfer"
    And A has sent offset 3 of payments-0 to group "shop"
    And A has committed

  @KIP890-255 @MUST
  Rule: AddPartitionsToTxn v3 of a topic of the broker's own is refused TOPIC_AUTHORIZATION_FAILED, and adds none of its partitions.
    Any client could have markers written among the offsets of all groups, or hold them up with a transaction that it leaves open.

    Scenario: [1] Beside a partition of an ordinary topic
      When A adds payments-0 and the partition of group "shop"
      Then it is refused for the partition of group "shop" with TOPIC_AUTHORIZATION_FAILED
      And it is refused for payments-0 with OPERATION_NOT_ATTEMPTED
      And the transaction of A is unchanged

    Scenario: [2] By itself
      When A adds the partition of group "shop"
      Then it is refused for the partition of group "shop" with TOPIC_AUTHORIZATION_FAILED
      And the transaction of A is unchanged

  @KIP890-256 @MUST
  Rule: Produce to a topic of the broker's own is refused INVALID_TOPIC_EXCEPTION.
    A client could write offsets of any group, and what a transaction has committed for it would be undone.

    Scenario: [1] A new client
      When A writes "forged" to the partition of group "shop"
      Then it is refused with INVALID_TOPIC_EXCEPTION
      And group "shop" has committed offset 3 of payments-0

    Scenario: [2] An old client, in a transaction that has the partition
      Given A has added the offsets of group "shop"
      And A uses Produce v11
      When A writes "forged" to the partition of group "shop"
      Then it is refused with INVALID_TOPIC_EXCEPTION
      And group "shop" has committed offset 3 of payments-0
