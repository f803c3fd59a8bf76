Feature: DeleteTopics
  An administrator names a topic to delete by its name, or by its unique id.

  Background:
    Given a topic "refunds" with 1 partition
    And a topic "payments" with 1 partition

  @KIP890-368 @MUST
  Rule: DeleteTopics deletes exactly the topic that it names, and answers UNKNOWN_TOPIC_OR_PARTITION or UNKNOWN_TOPIC_ID for a missing one.
    If the answer is a success and nothing is deleted, transactions stay open there unnoticed.

    Scenario: [1] A topic is deleted by its name with DeleteTopics v5
      When topic "refunds" is deleted by its name with DeleteTopics v5
      Then it is done
      And there is no topic "refunds"

    Scenario: [2] A topic is deleted by its name with DeleteTopics v6
      When topic "refunds" is deleted by its name with DeleteTopics v6
      Then it is done
      And there is no topic "refunds"

    Scenario: [3] A topic is deleted by its id
      Given "p1" has been written to payments-0
      When topic "refunds" is deleted by its id with DeleteTopics v6
      Then it is done
      And there is no topic "refunds"
      And readers of payments-0 see "p1"

    Scenario: [4] A topic name that does not exist is deleted
      When topic "strangers" is deleted by its name with DeleteTopics v6
      Then it is refused with UNKNOWN_TOPIC_OR_PARTITION

    Scenario: [5] A topic id that does not exist is deleted
      When topic "strangers" is deleted by its id with DeleteTopics v6
      Then it is refused with UNKNOWN_TOPIC_ID
