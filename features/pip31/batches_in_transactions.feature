Feature: Batches that are sent in a transaction
  A batch is one entry of the topic with one transaction, and all of its messages share the outcome of that transaction.

  Background:
    Given the topic "orders"
    And transaction A

  @PIP31-82 @MUST @commits @aborts
  Rule: All messages of a batch share the outcome of the transaction in which the batch was sent.
    Clients batch by default: a broker that looks only at single messages would show half of an order, or one that was withdrawn.

    Scenario: [1] A transaction with two batches and a message between them commits
      Given A has written a batch of "a1", "a2" to orders
      And A has written "a3" to orders
      And A has written a batch of "a4", "a5" to orders
      When A commits
      Then readers of orders see "a1", "a2", "a3", "a4", "a5"

    Scenario: [2] A transaction with a batch between plain batches aborts
      Given a batch of "p1", "p2" has been written to orders
      And A has written a batch of "a1", "a2" to orders
      And a batch of "p3", "p4" has been written to orders
      When A aborts
      Then readers of orders see "p1", "p2", "p3", "p4"

    Scenario: [3] A transaction with a batch after a plain batch is open
      Given a batch of "p1", "p2" has been written to orders
      And A has written a batch of "a1", "a2" to orders
      When A writes "a3" to orders
      Then readers of orders see "p1", "p2"

    Scenario: [4] A consumer acknowledges one message of a committed batch
      Given the consumer of shared subscription "workers" has received nothing from orders
      And A has written a batch of "a1", "a2" to orders
      When A commits
      Then the consumer of "workers" receives "a1", "a2" and nothing else
      And subscription "workers" has "a1", "a2" left

    Scenario: [5] A transaction sends a batch of one message
      When A writes a batch of "a1" to orders
      Then it is done

    Scenario: [6] A transaction with a batch of one message commits
      Given A has written a batch of "a1" to orders
      When A commits
      Then readers of orders see "a1"
