Feature: What readers see of a transaction
  All messages after the commit, none before it, and none ever after an abort.

  Background:
    Given the topics "orders" and "payments"

  @PIP31-01 @MUST @commits
  Rule: A commit makes all messages of a transaction visible in every topic to which the transaction wrote.
    A commit that misses one topic leaves a transfer half done: withdrawn from one account, and never deposited in the other.

    Scenario: [1] A transaction over two topics commits
      Given transaction A
      And A has written "a1", "a2" to orders
      And A has written "a3" to payments
      When A commits
      Then readers of orders see "a1", "a2"
      And readers of payments see "a3"

    Scenario: [2] The producer closes before the commit
      Given transaction A
      And producer P has written "a1" to orders in A
      And producer P has closed
      When A commits
      Then readers of orders see "a1"

    Scenario: [3] The topic has been deleted and recreated between two messages of the transaction
      Given transaction A
      And A has written "a1" to orders
      And orders has been deleted and made again
      And A has written "a2" to orders
      When A commits
      Then readers of orders see "a2"

  @PIP31-02 @MUST @aborts
  Rule: A broker delivers no message of an aborted transaction, neither to subscriptions that exist at the abort nor to later ones.
    A consumer that receives an aborted message acts on what never happened.

    Scenario: [1] A transaction aborts with an existing subscription and a later one
      Given the consumer of shared subscription "early" has received nothing from orders
      And transaction A
      And A has written "a1" to orders
      When A aborts
      Then subscription "early" has nothing left
      And readers of orders see nothing

    Scenario: [2] A plain message follows an aborted transaction
      Given transaction A
      And A has written "a1" to orders
      And A has aborted
      When "plain" is written to orders
      Then readers of orders see "plain"

    @needs:crash
    Scenario: [3] The system crashes after an abort while an older transaction is open
      Given transactions A and B
      And A has written "a1" to orders
      And B has written "b1" to orders
      And B has aborted
      And the system has crashed and restarted
      When A commits
      Then readers of orders see "a1"

    Scenario: [4] A subscription begins after the earlier one has acknowledged everything
      Given transaction A
      And A has written "a1" to orders
      And A has aborted
      And "p1" has been written to orders
      And the consumer of shared subscription "early" has received "p1" from orders
      When "p1" is acknowledged for "early" without a transaction
      Then readers of orders see "p1"

  @PIP31-05 @MUST
  Rule: A broker delivers no message of an open transaction.
    A consumer that receives an undecided message has acted on it when the transaction aborts.

    Scenario: [1] A transaction is open on two topics
      Given transaction A
      And A has written "a1" to orders
      When A writes "a2" to payments
      Then readers of orders see nothing
      And readers of payments see nothing

    @needs:crash
    Scenario: [2] The system crashes after a transaction wrote two messages
      Given transaction A
      And A has written "a1", "a2" to orders
      When the system crashes and restarts
      Then readers of orders see nothing

    Scenario: [3] The first of three transactions that have written to a topic commits
      Given transactions A, B and C
      And A has written "a1" to orders
      And B has written "b1" to orders
      And C has written "c1" to orders
      When A commits
      Then readers of orders see "a1"

    Scenario Outline: [4] A transaction without messages on the topic ends
      Given transactions A and B
      And A has written "a1" to orders
      And B has added orders
      When B <ends>
      Then readers of orders see nothing

      Examples:
        | ends    | why                                                |
        | commits | a commit shows what its own transaction has written |
        | aborts  | an abort moves readers past nothing of another one |

    Scenario: [5] The second of three transactions that have written to a topic aborts
      Given transactions A, B and C
      And A has written "a1" to orders
      And B has written "b1" to orders
      And C has written "c1" to orders
      When B aborts
      Then readers of orders see nothing

  @PIP31-06 @MUST
  Rule: A broker delivers the messages before the first message of an open transaction while the transaction is open.
    An open transaction must not hide earlier messages.

    Scenario: [1] Two plain messages precede an open transaction
      Given "before" has been written to orders
      And "right before" has been written to orders
      And transaction A
      When A writes "a1" to orders
      Then readers of orders see "before", "right before"

  @PIP31-08 @MUST
  Rule: A broker delivers messages without a transaction while a transaction on the same topic is open.
    A transaction on the topic must not block producers that do not use transactions.

    @needs:sidecar-buffer
    Scenario: [1] A plain message follows an open transaction
      Given transaction A
      And A has written "a1" to orders
      When "plain" is written to orders
      Then readers of orders see "plain"
      And A is OPEN

  @PIP31-52 @MUST
  Rule: A broker delivers the messages that one producer sent to a topic in a transaction in the order in which they were sent.
    A state that is rebuilt from the topic would end with a value that had been replaced already.

    Scenario: [1] A transaction with eight messages in flight together commits
      Given transaction A
      And A has written "a1", "a2", "a3", "a4", "a5", "a6", "a7", "a8" to orders in one go
      When A commits
      Then readers of orders see "a1", "a2", "a3", "a4", "a5", "a6", "a7", "a8"

  @PIP31-53 @MUST
  Rule: A broker delivers the transactions on a topic in the order in which they were committed.
    A consumer that follows commits sees effects before their causes if topics reorder them.

    @needs:sidecar-buffer
    Scenario: [1] The transaction that wrote second commits first
      Given transactions A and B
      And A has written "a1" to orders
      And B has written "b1" to orders
      And B has committed
      When A commits
      Then readers of orders see "b1", "a1"
