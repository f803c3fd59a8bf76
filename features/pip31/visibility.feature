Feature: What readers get of a transaction
  Everything when it is committed, nothing before that, and nothing ever when it is aborted.

  Background:
    Given the topics "orders" and "payments"

  @PIP31-01 @MUST @commits
  Rule: A commit makes the messages that a transaction wrote to several topics visible, all of them.
    A commit that misses one topic leaves a transfer half done: taken here, and never given there.

    Scenario: [1] A transaction over two topics
      Given transaction A
      And A has written "a1", "a2" to orders
      And A has written "a3" to payments
      When A commits
      Then readers of orders see "a1", "a2"
      And readers of payments see "a3"

  @PIP31-02 @MUST @aborts
  Rule: No message of an aborted transaction is delivered, neither to subscriptions that exist nor to later ones.
    A consumer that gets an aborted message acts on what never happened.

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

    @needs:crash
    Scenario: [3] A crash while an older transaction is open
      Given transactions A and B
      And A has written "a1" to orders
      And B has written "b1" to orders
      And B has aborted
      And the system has crashed and come back
      When A commits
      Then readers of orders see "a1"

  @PIP31-05 @MUST
  Rule: No message of an open transaction is delivered.
    A consumer that gets an undecided message has acted on it when the transaction is aborted.

    Scenario: [1] A transaction that is open on two topics
      Given transaction A
      And A has written "a1" to orders
      When A writes "a2" to payments
      Then readers of orders see nothing
      And readers of payments see nothing

    @needs:crash
    Scenario: [2] A crash behind two messages of a transaction
      Given transaction A
      And A has written "a1", "a2" to orders
      When the system crashes and comes back
      Then readers of orders see nothing

  @PIP31-06 @MUST
  Rule: What was written before an open transaction's first message is delivered while it is open.
    An open transaction must not hide what was there before it.

    Scenario: [1] Two plain messages before an open transaction
      Given "before" has been written to orders
      And "right before" has been written to orders
      And transaction A
      When A writes "a1" to orders
      Then readers of orders see "before", "right before"

  @PIP31-08 @MUST
  Rule: Messages without a transaction are delivered while a transaction on the same topic is open.
    Producers that know nothing of transactions must not be held up by one on their topic.

    @needs:sidecar-buffer
    Scenario: [1] A plain message behind an open transaction
      Given transaction A
      And A has written "a1" to orders
      When "plain" is written to orders
      Then readers of orders see "plain"
      And A is OPEN

  @PIP31-52 @MUST
  Rule: Messages that one producer sends to a topic in a transaction are delivered in the order in which it sent them.
    A state that is rebuilt from the topic would end with a value that had been replaced already.

    Scenario: [1] Eight messages that are under way together
      Given transaction A
      And A has written "a1", "a2", "a3", "a4", "a5", "a6", "a7", "a8" to orders in one go
      When A commits
      Then readers of orders see "a1", "a2", "a3", "a4", "a5", "a6", "a7", "a8"

  @PIP31-53 @MUST
  Rule: Transactions on a topic are delivered in the order in which they were committed.
    A consumer that follows commits sees effects before their causes when topics reorder them.

    @needs:sidecar-buffer
    Scenario: [1] The transaction that wrote second is committed first
      Given transactions A and B
      And A has written "a1" to orders
      And B has written "b1" to orders
      And B has committed
      When A commits
      Then readers of orders see "b1", "a1"
