Feature: Time-outs
  What nobody ends is aborted when its time is up, and not before; what is decided by then stays decided.

  Background:
    Given the topic "orders"

  @PIP31-39 @MUST @aborts
  Rule: An open transaction that is past its time-out is aborted without its client.
    A client that died would keep topics and subscriptions waiting for ever.

    Scenario: [1] An abandoned transaction before a committed one
      Given transactions A and B with a short time-out
      And A has written "a1" to orders
      And B has committed "b1" to orders
      When A is left open past its time-out
      Then A is ABORTED
      And readers of orders see "b1"

    @needs:more-coordinators
    Scenario: [2] An abandoned transaction of another coordinator
      Given A is a transaction of the second coordinator with a short time-out
      And A has written "a1" to orders
      When A is left open past its time-out
      Then A is ABORTED
      And readers of orders see nothing

    Scenario: [3] A short transaction that began behind a long one
      Given transaction A
      And transaction B with a short time-out
      And A has written "a1" to orders
      And B has written "b1" to orders
      When B is left open past its time-out
      Then B is ABORTED

  @PIP31-40 @MUST
  Rule: A transaction is not aborted before its time-out has passed.
    A transaction that is aborted early fails a client that kept to its time.

    Scenario: [1] Nobody ends the transaction
      Given transaction A with a short time-out
      And A has written "a1" to orders
      When A is left open past its time-out
      Then A was OPEN until its time-out had passed

    Scenario: [2] Another transaction with a shorter time-out
      Given transaction A
      And transaction B with a short time-out
      And A has written "a1" to orders
      When B is left open past its time-out
      Then A is OPEN

  @PIP31-41 @MUST
  Rule: The time-out counts from the beginning of the transaction, whatever is added to it later.
    A client that keeps adding would never time out; one that adds late would lose its time.

    Scenario: [1] A topic that is added again and again
      Given transaction A with a short time-out
      And A has written "a1" to orders
      When A adds orders again and again until it is refused
      Then it is refused
      And A is ABORTED
      And readers of orders see nothing

    Scenario: [2] A subscription that is added again and again
      Given the consumer of shared subscription "workers" has received nothing from orders
      And transaction A with a short time-out
      When A adds "workers" again and again until it is refused
      Then it is refused
      And A is ABORTED

    Scenario: [3] A topic and a subscription that are added in turn
      Given the consumer of shared subscription "workers" has received nothing from orders
      And transaction A with a short time-out
      When A adds orders and "workers" again and again until it is refused
      Then it is refused
      And A is ABORTED

  @PIP31-42 @MUST @fencing
  Rule: A commit after the time-out is refused, and the messages stay invisible.
    A client that is late must hear that its data is gone, and not that it is there.

    Scenario: [1] A commit after the time-out
      Given transaction A with a short time-out
      And A has written "a1" to orders
      And A has been left open past its time-out
      When A commits
      Then it is refused
      And readers of orders see nothing

  @PIP31-43 @MUST @recovery
  Rule: The time-out of a transaction survives a crash of its coordinator.
    A time-out that a crash forgets leaves the transactions of dead clients open for ever.

    @needs:crash @alone
    Scenario: [1] A crash before the time-out
      Given transactions A and B with a moderate time-out
      And A has written "a1" to orders
      And B has committed "b1" to orders
      When the system crashes while A is OPEN and comes back
      Then A is ABORTED
      And readers of orders see "b1"

    @needs:crash @needs:more-coordinators @alone
    Scenario: [2] A crash before the time-out of a transaction of another coordinator
      Given A is a transaction of the second coordinator with a moderate time-out
      And A has written "a1" to orders
      When the system crashes while A is OPEN and comes back
      Then A is ABORTED
      And readers of orders see nothing

  @PIP31-44 @MUST @commits
  Rule: A transaction that is being committed is completed and never aborted, also past its time-out.
    A commit that was promised must not be turned into an abort because a topic is slow.

    Background:
      Given transactions A and B with a moderate time-out

    @needs:held-ends
    Scenario: [1] A commit that is incomplete past the time-out
      Given A has written "a1" to orders
      And the commit of A is incomplete
      And the time-out of B has passed
      When the end of A is held up no longer
      Then A went from COMMITTING to COMMITTED
      And readers of orders see "a1"

  @PIP31-45 @MUST @aborts
  Rule: A transaction that is found being aborted is aborted to the end.
    An abort that stops half way leaves topics undecided, and input that nobody gets back.

    Background:
      Given transaction A with a moderate time-out

    @needs:held-ends
    Scenario: [1] An abort by the time-out that is incomplete
      Given A has written "a1" to orders
      And the end of A is held up
      And the time-out of A has passed
      When the end of A is held up no longer
      Then A went from ABORTING to ABORTED
      And readers of orders see nothing

  @PIP31-75 @MUST @commits
  Rule: A commit that races with the time-out is answered as it ended.
    A client must hear what happened: a commit that is told as done and was aborted loses data.

    Scenario: [1] Commits shortly before, at and after the time-out
      Given 16 transactions with a moderate time-out have written to orders
      When each of them is committed at about its time-out
      Then orders agrees with the answers
