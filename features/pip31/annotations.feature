Feature: Properties and event times of messages
  Applications route, filter and order by what a message has besides its payload, also when the message was sent in a transaction.

  Background:
    Given the annotated topic "orders"
    And transaction A

  @PIP31-175 @MUST @commits
  Rule: A broker delivers each message of a committed transaction with the properties and the event time that its producer gave it.
    A consumer that filters by a property would never process a message that has lost it.

    Scenario: [1] A transaction with two annotated messages commits
      Given A has written "a1", "a2" to orders
      When A commits
      Then readers of orders see "a1", "a2"

    Scenario: [2] The topic of annotated messages is reloaded before the commit
      Given A has written "a1", "a2" to orders
      And orders has been unloaded
      When A commits
      Then readers of orders see "a1", "a2"
