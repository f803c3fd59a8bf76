Feature: Topics that are created and deleted
  Administrators create topics, with or without partitions, and delete them. What a transaction has in a topic is created and deleted with
  it.

  @PIP31-145 @SHOULD
  Rule: A broker creates every partition of a partitioned topic, and a transaction ends on each partition to which it wrote.
    A client sends to all partitions in turn. A partition that is missing, or is never notified of the end, withholds its part of the
    messages for ever.

    Scenario Outline: [1] An administrator creates a partitioned topic
      When the topic orders is made, with a partition count of <count>
      Then it is done
      And orders has a partition count of <count>

      Examples:
        | count | why                                    |
        | 1     | the minimum                            |
        | 3     | each partition has a number, from 0 on |

    Scenario: [2] A transaction over two partitions commits
      Given the topics "first" and "second" as partitions of one topic
      And transaction A
      And A has written "a1" to first
      And A has written "a2" to second
      When A commits
      Then readers of first see "a1"
      And readers of second see "a2"

    Scenario: [3] An administrator creates a topic without partitions
      Given the topic "orders"
      When "plain" is written to orders
      Then orders has a partition count of 0

    Scenario: [4] An administrator requests a topic with zero partitions
      When the topic orders is made, with a partition count of 0
      Then it is refused

  @PIP31-146 @SHOULD
  Rule: A topic that was deleted has no messages, a topic that is created under its name starts empty, and no other topic changes.
    Deleted data would reappear before the messages of the new topic.

    Scenario: [1] An administrator creates a topic
      When the topic orders is made
      Then it is done
      And readers of orders see nothing

    Scenario: [2] An administrator creates a topic that exists
      Given the topic "orders"
      When the topic orders is made
      Then it is refused

    Scenario: [3] An administrator deletes a topic with a producer and a consumer
      Given the topic "orders" with "before"
      And the consumer of shared subscription "workers" has received "before" from orders
      When orders is deleted
      Then it is done
      And the producer of orders is notified that it is closed
      And the consumer of "workers" is notified that it is closed
      And there is no topic orders

    Scenario: [4] A topic with committed and open transactions is deleted and recreated
      Given the topic "orders" with "before"
      And transactions A and B
      And A has committed "a1" to orders
      And B has written "b1" to orders
      And orders has been deleted and made again
      When "new" is written to orders
      Then readers of orders see "new"

    Scenario: [5] A topic with a pending acknowledgement is deleted and recreated
      Given the topic "orders" with "before"
      And the consumer of shared subscription "workers" has received "before" from orders
      And transaction A
      And A has acknowledged "before" for "workers"
      And orders has been deleted and made again
      When "new" is written to orders
      Then subscription "workers" has "new" left

    Scenario: [6] A transaction commits after its topic was deleted and recreated
      Given the topic "orders"
      And transaction A
      And A has written "a1" to orders
      And orders has been deleted and made again
      When A commits
      Then readers of orders see nothing

    Scenario: [7] A subscription of a former name is created after the topic was deleted and recreated
      Given the topic "orders" with "before"
      And the consumer of shared subscription "workers" has received "before" from orders
      And orders has been deleted and made again
      And "old" has been written to orders
      When a consumer of "workers" begins behind all that is in orders
      Then the consumer of "workers" receives nothing

    Scenario: [8] A topic of the same name in another namespace is deleted
      Given the topic "orders" with "before"
      And the topic "payments" in another namespace, by the name of orders
      And "p1" has been written to payments
      And payments has been unloaded
      And orders has been deleted
      When "p2" is written to payments
      Then readers of payments see "p1", "p2"
