Feature: Where and how offsets of groups are asked for and committed
  Consumers of many versions ask what their group has committed, and of any node. All of them have to hear the same, or they go on at
  another place.

  Background:
    Given a topic "payments" with 2 partitions
    And producer A with transactional id "transfer"

  @KIP890-358 @MUST
  Rule: OffsetFetch v1 to v9 answers what a group has committed, with leader epoch and metadata, for all partitions or those named.
    A consumer of another version would begin at the start, or behind records that nobody has processed.

    Scenario Outline: [1] All that a group has
      Given A has sent offset 5 of payments-0 and payments-1 to group "shop" with metadata "half way" and leader epoch 3
      And A has committed
      And A has sent offset 7 of payments-1 to group "shop"
      When OffsetFetch v<version> is sent for all partitions of group "shop"
      Then it answers offset 5, leader epoch 3 and metadata "half way" for payments-0 and payments-1 and for nothing else

      Examples:
        | version |
        | 5       |
        | 7       |
        | 8       |

    Scenario Outline: [2] The partition that is named
      Given A has sent offset 5 of payments-0 and payments-1 to group "shop" with metadata "half way" and leader epoch 3
      And A has committed
      When OffsetFetch v<version> is sent for payments-1 of group "shop"
      Then it answers offset 5, leader epoch 3 and metadata "half way" for payments-1 and for nothing else

      Examples:
        | version |
        | 1       |
        | 7       |
        | 8       |

    Scenario: [3] Nothing is committed there
      Given A has sent offset 5 of payments-0 to group "shop" with metadata "half way" and leader epoch 3
      And A has committed
      When OffsetFetch v7 is sent for payments-1 of group "shop"
      Then it answers no offset for payments-1 and for nothing else

  @KIP890-360 @MUST
  Rule: OffsetFetch v10 answers by topic ids what a group has committed, and refuses an id that no topic has.
    Offsets of a topic that was deleted would be taken for those of the new one of its name.

    Scenario: [1] All topics of a group, with their ids
      Given A has sent offset 5 of payments-0 and payments-1 to group "shop" with metadata "half way" and leader epoch 3
      And A has committed
      And A has sent offset 7 of payments-1 to group "shop"
      When OffsetFetch v10 is sent for all partitions of group "shop"
      Then it answers offset 5, leader epoch 3 and metadata "half way" for payments-0 and payments-1 and for nothing else

    Scenario: [2] A partition of the topic with that id
      Given A has sent offset 5 of payments-0 and payments-1 to group "shop" with metadata "half way" and leader epoch 3
      And A has committed
      When OffsetFetch v10 is sent for payments-1 of group "shop"
      Then it answers offset 5, leader epoch 3 and metadata "half way" for payments-1 and for nothing else

    Scenario: [3] Nothing is committed in that topic's partition
      Given A has sent offset 5 of payments-0 to group "shop" with metadata "half way" and leader epoch 3
      And A has committed
      When OffsetFetch v10 is sent for payments-1 of group "shop"
      Then it answers no offset for payments-1 and for nothing else

    Scenario: [4] A topic id that no topic has
      Given A has sent offset 5 of payments-0 to group "shop"
      And A has committed
      When OffsetFetch v10 is sent for a topic id that no topic has of group "shop"
      Then it is refused with UNKNOWN_TOPIC_ID

  @KIP890-359 @MUST
  Rule: A node that does not coordinate a group refuses its offsets with NOT_COORDINATOR.
    Two nodes that both keep the offsets of a group would answer different ones, and which records are processed would be a matter of luck.

    @needs:two-nodes
    Scenario Outline: [1] A commit that is sent to another node
      When <commit> of payments-0 by A for group "shop" is sent to a node that does not coordinate it
      Then it is refused with NOT_COORDINATOR
      And group "shop" has no committed offset of payments-0
      And group "shop" has no pending offset of payments-0

      Examples:
        | commit          |
        | TxnOffsetCommit |
        | OffsetCommit    |
