Feature: Several consumers of one subscription
  The type of the subscription determines which consumer receives a message, also for messages of committed transactions.

  Background:
    Given the topic "inputs"
    And transaction A

  @PIP31-136 @MUST
  Rule: A failover subscription has one active consumer, which is notified of its role and receives all messages; when it leaves, another one becomes active.
    Two active consumers break the order that the subscription guarantees; without one, no message is processed.

    Scenario: [1] Two failover consumers are attached when a transaction commits
      Given the consumer of failover subscription "workers" has received nothing from inputs
      And the consumer of failover subscription "others" has received nothing from inputs, by the name of "workers"
      And A has written "a1", "a2" to inputs
      When A commits
      Then the active one of "workers" and "others" receives "a1", "a2", and the other one nothing

    Scenario: [2] The active consumer leaves after a commit
      Given the consumer of failover subscription "workers" has received nothing from inputs
      And the consumer of failover subscription "others" has received nothing from inputs, by the name of "workers"
      And A has written "a1", "a2" to inputs
      And A has committed
      When the active one of "workers" and "others" leaves
      Then the active one of "workers" and "others" receives "a1", "a2", and the other one nothing

  @PIP31-137 @MUST
  Rule: A broker sends each message of a shared subscription to one consumer, and all messages of a key on a key-shared one to the same consumer.
    A message that two consumers receive is processed twice, and changes of one order would overtake each other.

    Scenario: [1] Two consumers share a subscription when a transaction commits
      Given the consumer of shared subscription "workers" has received nothing from inputs
      And the consumer of shared subscription "others" has received nothing from inputs, by the name of "workers"
      And A has written "a1", "a2", "a3" to inputs
      When A commits
      Then "workers" and "others" receive "a1", "a2", "a3" between them

    Scenario: [2] Two consumers of a key-shared subscription and a transaction with one key
      Given the keyed topic "orders"
      And the consumer of key-shared subscription "workers" has received nothing from orders
      And the consumer of key-shared subscription "others" has received nothing from orders, by the name of "workers"
      And A has written "a1", "a2", "a3" to orders
      When A commits
      Then one of "workers" and "others" receives "a1", "a2", "a3", and the other one nothing

    Scenario: [3] An acknowledgement on a key-shared subscription is aborted while the consumer has another message of the key
      Given the keyed topic "orders" with "p1", "p2"
      And the consumer of key-shared subscription "workers" has received "p1", "p2" from orders
      And the consumer of key-shared subscription "others" has received nothing from orders, by the name of "workers"
      And A has acknowledged "p1" for "workers"
      When A aborts
      Then the consumer of "others" receives nothing for a while

    Scenario: [4] A consumer requests redelivery while another one has a message
      Given the topic "orders" with "p1", "p2", "p3"
      And the consumer of shared subscription "workers" has received "p1" from orders, with 1 permits
      And the consumer of shared subscription "others" has received "p2", "p3" from orders, by the name of "workers"
      When the consumer of "others" asks for redelivery
      Then "workers" and "others" receive "p2", "p3" between them
