Feature: Fetching and committing the offsets of groups
  Consumers of many versions request their group's committed offsets, from any node. All of them have to receive the same, or they
  continue at different positions.

  Background:
    Given a topic "payments" with 2 partitions
    And producer A with transactional id "transfer"

  @KIP890-358 @MUST
  Rule: OffsetFetch v1 to v9 returns a group's committed offsets with leader epoch and metadata, for all partitions or for the named ones.
    A consumer of another version would begin at the start, or after records that were never processed.

    Scenario Outline: [1] OffsetFetch without partitions returns all offsets of a group
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
        | 9       |

    Scenario Outline: [2] OffsetFetch returns the offset of a named partition
      Given A has sent offset 5 of payments-0 and payments-1 to group "shop" with metadata "half way" and leader epoch 3
      And A has committed
      When OffsetFetch v<version> is sent for payments-1 of group "shop"
      Then it answers offset 5, leader epoch 3 and metadata "half way" for payments-1 and for nothing else

      Examples:
        | version |
        | 1       |
        | 7       |
        | 8       |

    Scenario: [3] OffsetFetch v7 names a partition without a committed offset
      Given A has sent offset 5 of payments-0 to group "shop" with metadata "half way" and leader epoch 3
      And A has committed
      When OffsetFetch v7 is sent for payments-1 of group "shop"
      Then it answers no offset for payments-1 and for nothing else

    Scenario Outline: [4] OffsetFetch without partitions returns the offsets of a group in two topics
      Given a topic "accounts" with 1 partition
      And A has sent offset 5 of accounts-0 and payments-1 to group "shop" with metadata "half way" and leader epoch 3
      And A has committed
      When OffsetFetch v<version> is sent for all partitions of group "shop"
      Then it answers offset 5, leader epoch 3 and metadata "half way" for accounts-0 and payments-1 and for nothing else

      Examples:
        | version |
        | 7       |
        | 9       |

  @KIP890-360 @MUST
  Rule: OffsetFetch v10 returns a group's committed offsets by topic id, and refuses an unknown id.
    The offsets of a deleted topic would be used for a new one with its name.

    Scenario: [1] OffsetFetch v10 without topics returns all offsets of a group by topic id
      Given A has sent offset 5 of payments-0 and payments-1 to group "shop" with metadata "half way" and leader epoch 3
      And A has committed
      And A has sent offset 7 of payments-1 to group "shop"
      When OffsetFetch v10 is sent for all partitions of group "shop"
      Then it answers offset 5, leader epoch 3 and metadata "half way" for payments-0 and payments-1 and for nothing else

    Scenario: [2] OffsetFetch v10 returns the offset of a named partition
      Given A has sent offset 5 of payments-0 and payments-1 to group "shop" with metadata "half way" and leader epoch 3
      And A has committed
      When OffsetFetch v10 is sent for payments-1 of group "shop"
      Then it answers offset 5, leader epoch 3 and metadata "half way" for payments-1 and for nothing else

    Scenario: [3] OffsetFetch v10 names a partition without a committed offset
      Given A has sent offset 5 of payments-0 to group "shop" with metadata "half way" and leader epoch 3
      And A has committed
      When OffsetFetch v10 is sent for payments-1 of group "shop"
      Then it answers no offset for payments-1 and for nothing else

    Scenario: [4] OffsetFetch v10 names an unknown topic id
      Given A has sent offset 5 of payments-0 to group "shop"
      And A has committed
      When OffsetFetch v10 is sent for a topic id that no topic has of group "shop"
      Then it is refused with UNKNOWN_TOPIC_ID

    Scenario: [5] OffsetFetch v10 without topics returns the offsets of a group in two topics
      Given a topic "accounts" with 1 partition
      And A has sent offset 5 of accounts-0 and payments-1 to group "shop" with metadata "half way" and leader epoch 3
      And A has committed
      When OffsetFetch v10 is sent for all partitions of group "shop"
      Then it answers offset 5, leader epoch 3 and metadata "half way" for accounts-0 and payments-1 and for nothing else

  @KIP890-359 @MUST
  Rule: A node that does not coordinate a group answers OffsetCommit and TxnOffsetCommit for it with NOT_COORDINATOR, and stores nothing.
    Two nodes that both keep the offsets of a group would return different ones, and records would be skipped or processed twice.

    @needs:two-nodes
    Scenario Outline: [1] A commit of offsets is sent to a node that does not coordinate the group
      When <commit> of payments-0 by A for group "shop" is sent to a node that does not coordinate it
      Then it is refused with NOT_COORDINATOR
      And group "shop" has no committed offset of payments-0
      And group "shop" has no pending offset of payments-0

      Examples:
        | commit          |
        | TxnOffsetCommit |
        | OffsetCommit    |
