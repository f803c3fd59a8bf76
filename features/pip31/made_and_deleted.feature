Feature: Topics that come and go
  Administrators make topics, in one piece or in partitions, and delete them. What a transaction has of a topic comes and goes with it.

  @PIP31-145 @SHOULD
  Rule: A topic with partitions has each of them, and a transaction ends on each that it was written to.
    A client sends to all partitions in turn; one that is missing, or never hears of the end, holds a part of its messages back for ever.

    Scenario Outline: [1] The partitions that were asked for
      When the topic orders is made, with a partition count of <count>
      Then it is done
      And orders has a partition count of <count>

      Examples:
        | count | why                                      |
        | 1     | the least that there can be              |
        | 3     | each of them has a number, from 0 on     |

    Scenario: [2] A commit of two partitions
      Given topics "first" and "second" are the partitions of one topic
      And transaction A
      And A has written "a1" to first
      And A has written "a2" to second
      When A commits
      Then readers of first see "a1"
      And readers of second see "a2"

    Scenario: [3] A topic without partitions
      Given the topic "orders"
      When "plain" is written to orders
      Then orders has a partition count of 0

    Scenario: [4] No partition at all
      When the topic orders is made, with a partition count of 0
      Then it is refused

  @PIP31-146 @SHOULD
  Rule: A topic that was deleted is gone, and one that is made under its name begins anew.
    What somebody had deleted for good would be there again, in front of what is written next.

    Scenario: [1] A topic that is new
      When the topic orders is made
      Then it is done
      And readers of orders see nothing

    Scenario: [2] A topic that is there
      Given the topic "orders"
      When the topic orders is made
      Then it is refused

    Scenario: [3] A topic that is deleted
      Given the topic "orders" with "before"
      And the consumer of shared subscription "workers" has received "before" from orders
      When orders is deleted
      Then it is done
      And the producer of orders is told that it is closed
      And the consumer of "workers" is told that it is closed
      And there is no topic orders

    Scenario: [4] What is committed and what is open, when the topic is made again
      Given the topic "orders" with "before"
      And transactions A and B
      And A has committed "a1" to orders
      And B has written "b1" to orders
      And orders has been deleted and made again
      When "new" is written to orders
      Then readers of orders see "new"

    Scenario: [5] An acknowledgement in an open transaction, when the topic is made again
      Given the topic "orders" with "before"
      And the consumer of shared subscription "workers" has received "before" from orders
      And transaction A
      And A has acknowledged "before" for "workers"
      And orders has been deleted and made again
      When "new" is written to orders
      Then subscription "workers" has "new" left

    Scenario: [6] An open transaction that commits when the topic is made again
      Given the topic "orders"
      And transaction A
      And A has written "a1" to orders
      And orders has been deleted and made again
      When A commits
      Then readers of orders see nothing

    Scenario: [7] A subscription of a name that was there, when the topic is made again
      Given the topic "orders" with "before"
      And the consumer of shared subscription "workers" has received "before" from orders
      And orders has been deleted and made again
      And "old" has been written to orders
      When a consumer of "workers" begins behind all that is in orders
      Then the consumer of "workers" receives nothing
