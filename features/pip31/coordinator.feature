Feature: A transaction's coordinator
  Who begins a transaction gets an id that is durable, that nobody else has or will have, and that tells whom to ask from then on.

  Background:
    Given the topic "orders"

  @PIP31-10 @MUST @recovery
  Rule: A transaction id is answered only when the transaction is durable as open, so a crash right after the answer keeps it.
    A client whose transaction id is forgotten in a crash has written into a transaction that does not exist.

    @needs:crash
    Scenario: [1] A crash after the id was answered
      Given transaction A
      When the system crashes and comes back
      Then A is OPEN

  @PIP31-11 @MUST @recovery
  Rule: A coordinator gives no transaction id twice, also not after a crash.
    A second transaction with the same id would be committed, or aborted, with the first one's messages.

    Scenario: [1] Some transactions are open and some have ended
      Given 5 transactions have begun
      And 5 transactions have committed
      When 10 transactions begin
      Then the transaction ids are distinct

    @needs:crash
    Scenario: [2] A crash while transactions are open
      Given 10 transactions have begun
      And the system has crashed and come back
      When 10 transactions begin
      Then the transaction ids are distinct

  @PIP31-12 @MUST
  Rule: The ids that a coordinator gives grow.
    Ids that do not grow may meet old ones that some topic still remembers.

    Scenario: [1] Two clients in turn
      When 10 transactions begin at 2 clients in turn
      Then the transaction ids are ascending

  @PIP31-13 @MUST
  Rule: A transaction's id tells which coordinator it belongs to.
    A client that asks the wrong coordinator would be told that its transaction was never begun.

    @needs:more-coordinators
    Scenario: [1] Two coordinators
      Given the system has 2 coordinators
      When a transaction begins at each coordinator
      Then it is done
      And each transaction id names the coordinator that was asked

    @needs:more-coordinators
    Scenario: [2] A coordinator that is new
      When a coordinator is added
      Then it is done
      And the last coordinator begins a transaction

    @needs:more-coordinators
    Scenario: [3] Fewer coordinators than there are
      Given the system has 2 coordinators
      When the number of coordinators is set to 1
      Then it is refused
      And the last coordinator begins a transaction

  @PIP31-14 @MUST
  Rule: Every answer about a transaction names the request that it answers.
    A client waits for the answer with its request's number; one with another number leaves it waiting, or answers somebody else.

    Scenario: [1] Six requests in flight on one connection
      Given transaction A
      And U is an unknown transaction
      And the topic "inputs" with "i1"
      And the consumer of shared subscription "workers" has received "i1" from inputs
      When a client pipelines requests that add orders and "workers" to A and U
      Then each answer is that to its request

  @PIP31-47 @MUST @recovery
  Rule: A message of a transaction that was receipted survives a crash of the broker.
    A message that was receipted and is gone at the commit makes the transaction incomplete.

    @needs:crash
    Scenario: [1] A plain message while the transaction buffer recovers
      Given transaction A
      And A has written "a1" to orders
      And the system has crashed and come back
      And "plain" has been written to orders
      When A commits
      Then readers of orders see "a1", "plain" in some order

    @needs:crash
    Scenario: [2] A message before each of two crashes
      Given transaction A
      And A has written "a1" to orders
      And the system has crashed and come back
      And A has written "a2" to orders
      And the system has crashed and come back
      When A commits "a3" to orders
      Then readers of orders see "a1", "a2", "a3"

  @PIP31-71 @SHOULD
  Rule: When the metadata of an ended transaction is removed, its id is not given again.
    What comes late for a transaction that has ended would be taken for a part of a new one.

    @needs:crash
    Scenario: [1] Two crashes after all transactions have ended
      Given 10 transactions have committed
      And the system has crashed and come back
      And the system has crashed and come back
      When 10 transactions begin
      Then the transaction ids are distinct
