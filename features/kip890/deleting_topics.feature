Feature: DeleteTopics
  An administrator names what is to be deleted by its name, or by the id that no other topic ever has.

  Background:
    Given a topic "refunds" with 1 partition
    And a topic "payments" with 1 partition

  @KIP890-368 @MUST
  Rule: DeleteTopics removes the topic that it names, and no other; one that there is not is UNKNOWN_TOPIC_OR_PARTITION or UNKNOWN_TOPIC_ID.
    An administrator who is told that it is done, and is not, leaves transactions open that nobody looks after any more.

    Scenario: [1] By its name, in the last version that knows nothing else
      When topic "refunds" is deleted by its name with DeleteTopics v5
      Then it is done
      And there is no topic "refunds" any more

    Scenario: [2] By its name, in the version that knows ids
      When topic "refunds" is deleted by its name with DeleteTopics v6
      Then it is done
      And there is no topic "refunds" any more

    Scenario: [3] By its id
      Given "p1" has been written to payments-0
      When topic "refunds" is deleted by its id with DeleteTopics v6
      Then it is done
      And there is no topic "refunds" any more
      And readers of payments-0 see "p1"

    Scenario: [4] A name that no topic has
      When topic "strangers" is deleted by its name with DeleteTopics v6
      Then it is refused with UNKNOWN_TOPIC_OR_PARTITION

    Scenario: [5] An id that no topic has
      When topic "strangers" is deleted by its id with DeleteTopics v6
      Then it is refused with UNKNOWN_TOPIC_ID
