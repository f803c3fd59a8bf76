Feature: Several consumers of one subscription
  Which consumer a message goes to is a matter of the kind of subscription, also for what transactions have committed.

  Background:
    Given the topic "inputs"
    And transaction A

  @PIP31-136 @MUST
  Rule: Of the consumers of a failover subscription one is active, is told so, and receives all; when it leaves, another one is.
    Two that process at once break the order that the subscription is for; with none, nobody processes.

    Scenario: [1] Two consumers, and a commit of two messages
      Given the consumer of failover subscription "workers" has received nothing from inputs
      And the consumer of failover subscription "others" has received nothing from inputs, by the name of "workers"
      And A has written "a1", "a2" to inputs
      When A commits
      Then the active one of "workers" and "others" receives "a1", "a2"

    Scenario: [2] The active consumer leaves
      Given the consumer of failover subscription "workers" has received nothing from inputs
      And the consumer of failover subscription "others" has received nothing from inputs, by the name of "workers"
      And A has written "a1", "a2" to inputs
      And A has committed
      When the active one of "workers" and "others" leaves
      Then the active one of "workers" and "others" receives "a1", "a2"

  @PIP31-137 @MUST
  Rule: Each message of a shared subscription goes to one of its consumers, and on a key-shared one all messages of a key go to the same.
    A message that two consumers are given is processed twice, and changes of one order would overtake each other.

    Scenario: [1] Two consumers of a shared subscription
      Given the consumer of shared subscription "workers" has received nothing from inputs
      And the consumer of shared subscription "others" has received nothing from inputs, by the name of "workers"
      And A has written "a1", "a2", "a3" to inputs
      When A commits
      Then "workers" and "others" receive "a1", "a2", "a3" between them

    Scenario: [2] Two consumers of a key-shared subscription, and one key
      Given the keyed topic "orders"
      And the consumer of key-shared subscription "workers" has received nothing from orders
      And the consumer of key-shared subscription "others" has received nothing from orders, by the name of "workers"
      And A has written "a1", "a2", "a3" to orders
      When A commits
      Then one of "workers" and "others" receives "a1", "a2", "a3", and the other one nothing
