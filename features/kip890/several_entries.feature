Feature: Requests about several partitions or ids
  One request names several partitions or transactional ids, and its answer has an entry for each.

  Background:
    Given a topic "payments" with 2 partitions
    And a topic "refunds" with 1 partition

  @KIP890-410 @MUST
  Rule: A broker answers each entry of a request about several partitions or transactional ids separately, and changes nothing for a missing one.
    An operator who looks for a hanging transaction in many partitions would see none of them because one was deleted.

    Scenario Outline: [1] The last of four partitions is missing while a transaction is open
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      When <request> is sent for payments-0 and payments-1 and refunds-0 and refunds-9 in one request
      Then the last entry alone is refused with UNKNOWN_TOPIC_OR_PARTITION
      And the transaction of A is unchanged
      And the last stable offset of payments-0 is the offset of "a1"

      Examples:
        | request           | why                                                |
        | DescribeProducers | its entries have the producers of each partition   |
        | ListOffsets       | its entries have an offset of each partition       |
        | DeleteRecords     | its entries have the new start of each partition   |

    Scenario: [2] The last of three transactional ids is unknown while a transaction is open
      Given producers A and B with transactional ids "transfer" and "refund"
      And B has written "b1" to payments-0
      When DescribeTransactions is sent for A and B and an unused transactional id
      Then the last entry alone is refused with TRANSACTIONAL_ID_NOT_FOUND
      And the transaction of B is unchanged

    Scenario: [3] A leader verifies three partitions, and the last is not in the transaction
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has written "a2" to payments-1
      When the leader verifies payments-0 and payments-1 and refunds-0 for A
      Then it is refused only for refunds-0 with INVALID_TXN_STATE or TRANSACTION_ABORTABLE
      And the transaction of A is unchanged

    Scenario Outline: [4] The second of three partitions is missing while a transaction is open
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      When <request> is sent for payments-0 and payments-9 and refunds-0 in one request
      Then the second entry alone is refused with UNKNOWN_TOPIC_OR_PARTITION

      Examples:
        | request           | why                                              |
        | DescribeProducers | its entries have the producers of each partition |
        | ListOffsets       | its entries have an offset of each partition     |
        | DeleteRecords     | its entries have the new start of each partition |

    Scenario: [5] The second of three transactional ids is unknown while a transaction is open
      Given producers A and B with transactional ids "transfer" and "refund"
      And B has written "b1" to payments-0
      When DescribeTransactions is sent for A and an unused transactional id and B
      Then the second entry alone is refused with TRANSACTIONAL_ID_NOT_FOUND
