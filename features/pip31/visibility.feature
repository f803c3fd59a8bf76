Feature: What readers get of a transaction
  Everything when it is committed, nothing before that, and nothing ever when it is aborted.

  Background:
    Given the topics "orders" and "payments"

  @PIP31-01 @MUST
  Rule: A commit makes the messages that a transaction wrote to several topics visible, all of them.

    Scenario: [1] A transaction over two topics
      Given transaction A
      And A has written "a1", "a2" to orders
      And A has written "a3" to payments
      When A commits
      Then readers of orders see "a1", "a2"
      And readers of payments see "a3"

  @PIP31-02 @MUST
  Rule: No message of an aborted transaction is delivered, neither to subscriptions that exist nor to later ones.

    Scenario: [1] An aborted transaction, a subscription of before and a later one
      Given the consumer of shared subscription "early" has received nothing from orders
      And transaction A
      And A has written "a1" to orders
      When A aborts
      Then subscription "early" has nothing left
      And readers of orders see nothing

    Scenario: [2] A plain message behind an aborted transaction
      Given transaction A
      And A has written "a1" to orders
      And A has aborted
      When "plain" is written to orders
      Then readers of orders see "plain"

  @PIP31-05 @MUST
  Rule: No message of an open transaction is delivered.

    Scenario: [1] A transaction that is open on two topics
      Given transaction A
      And A has written "a1" to orders
      When A writes "a2" to payments
      Then readers of orders see nothing
      And readers of payments see nothing

  @PIP31-06 @MUST
  Rule: What was written before an open transaction's first message is delivered while it is open.

    Scenario: [1] Two plain messages before an open transaction
      Given "before" has been written to orders
      And "right before" has been written to orders
      And transaction A
      When A writes "a1" to orders
      Then readers of orders see "before", "right before"

  @PIP31-08 @MUST
  Rule: Messages without a transaction are delivered while a transaction on the same topic is open.

    @needs:sidecar-buffer
    Scenario: [1] A plain message behind an open transaction
      Given transaction A
      And A has written "a1" to orders
      When "plain" is written to orders
      Then readers of orders see "plain"
      And A is OPEN

  @PIP31-52 @MUST
  Rule: Messages that one producer sends to a topic in a transaction are delivered in the order in which it sent them.

    Scenario: [1] Four messages of a producer
      Given transaction A
      And A has written "a1", "a2", "a3", "a4" to orders
      When A commits
      Then readers of orders see "a1", "a2", "a3", "a4"

  @PIP31-53 @MUST
  Rule: Transactions on a topic are delivered in the order in which they were committed.

    @needs:sidecar-buffer
    Scenario: [1] The transaction that wrote second is committed first
      Given transactions A and B
      And A has written "a1" to orders
      And B has written "b1" to orders
      And B has committed
      When A commits
      Then readers of orders see "b1", "a1"
