Feature: What consumers get of a transaction
  Everything when it is committed, nothing before that, and nothing ever when it is aborted.

  Background:
    Given topics "orders" and "payments"

  @PIP31-01 @MUST
  Rule: A commit makes the messages that a transaction wrote to several topics visible, all of them.

    Scenario: [1] Two topics
      Given transaction T
      And "a1", "a2" were sent to orders in T
      And "b1" was sent to payments in T
      When T is committed
      Then consumers of orders get "a1", "a2"
      And consumers of payments get "b1"

  @PIP31-02 @MUST
  Rule: No message of an aborted transaction is delivered, neither to subscriptions that exist nor to later ones.

    Scenario: [1] A subscription of before, and a later one
      Given a subscription "early" of orders
      And transaction T
      And "a1" was sent to orders in T
      When T is aborted
      Then subscription "early" of orders gets nothing
      And consumers of orders get nothing

    Scenario: [2] What is written behind it
      Given transaction T
      And "a1" was sent to orders in T
      And T was aborted
      When "plain" is sent to orders
      Then consumers of orders get "plain"

  @PIP31-03 @MUST
  Rule: A commit makes the output of a transaction visible and takes its input away for good.

    Scenario: [1] One of two inputs, and its output
      Given "i1", "i2" were sent to orders, and transaction T was begun
      And "i1" of orders was acknowledged for "workers" in T
      And "o1" was sent to payments in T
      When T is committed
      Then consumers of payments get "o1"
      And subscription "workers" of orders gets "i2"

  @PIP31-04 @MUST
  Rule: An abort hides the output of a transaction and gives its input back.

    Scenario: [1] An abort with one of two inputs
      Given "i1", "i2" were sent to orders, and transaction T was begun
      And "i1" of orders was acknowledged for "workers" in T
      And "o1" was sent to payments in T
      When T is aborted
      Then consumers of payments get nothing
      And subscription "workers" of orders gets "i1", "i2"

  @PIP31-05 @MUST
  Rule: No message of an open transaction is delivered.

    Scenario: [1] Open on two topics
      Given transaction T
      And "a1" was sent to orders in T
      When "b1" is sent to payments in T
      Then consumers of orders get nothing
      And consumers of payments get nothing

  @PIP31-06 @MUST
  Rule: What was written before an open transaction's first message is delivered while it is open.

    Scenario: [1] Two messages before it
      Given "before", "right before" were sent to orders
      And transaction T
      When "a1" is sent to orders in T
      Then consumers of orders get "before", "right before"

  @PIP31-08 @MUST
  Rule: Messages without a transaction are delivered while a transaction on the same topic is open.

    @needs:sidecar-buffer
    Scenario: [1] A message behind an open transaction
      Given transaction T
      And "a1" was sent to orders in T
      When "plain" is sent to orders
      Then consumers of orders get "plain"
      And T is OPEN

  @PIP31-52 @MUST
  Rule: Messages that one producer sends to a topic in a transaction are delivered in the order in which it sent them.

    Scenario: [1] Four messages
      Given transaction T
      And "a1", "a2", "a3", "a4" were sent to orders in T
      When T is committed
      Then consumers of orders get "a1", "a2", "a3", "a4"

  @PIP31-53 @MUST
  Rule: Transactions on a topic are delivered in the order in which they were committed.

    @needs:sidecar-buffer
    Scenario: [1] The second is committed first
      Given transactions S and T
      And "s1" was sent to orders in S
      And "t1" was sent to orders in T
      And T was committed
      When S is committed
      Then consumers of orders get "t1", "s1"
