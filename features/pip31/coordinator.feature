Feature: A transaction's coordinator
  Who begins a transaction gets an id that is durable, that nobody else has or will have, and that tells whom to ask from then on.

  Background:
    Given the topic "orders"

  @PIP31-10 @MUST
  Rule: A transaction id is answered only when the transaction is durable as open, so a crash right after the answer keeps it.

    @needs:crash
    Scenario: [1] A crash after the id was answered
      Given transaction A
      When the system crashes and comes back
      Then A is OPEN

  @PIP31-11 @MUST
  Rule: A coordinator gives no transaction id twice, also not after a crash.

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

    Scenario: [1] Two clients in turn
      When 10 transactions begin at 2 clients in turn
      Then the transaction ids are ascending

  @PIP31-13 @MUST
  Rule: A transaction's id tells which coordinator it belongs to.

    Scenario: [1] The coordinators that the system has
      When a transaction begins at each coordinator
      Then each transaction id names the coordinator that was asked

    @needs:more-coordinators
    Scenario: [2] Two coordinators
      Given the system has 2 coordinators
      When a transaction begins at each coordinator
      Then each transaction id names the coordinator that was asked

  @PIP31-14 @MUST
  Rule: Every answer about a transaction names the request that it answers.

    Scenario: [1] Six requests in flight on one connection
      Given transaction A
      And U is an unknown transaction
      And the topic "inputs" with "i1"
      And the consumer of shared subscription "workers" has received "i1" from inputs
      When a client pipelines requests that add orders and "workers" to A and U
      Then each answer is that to its request

  @PIP31-47 @MUST
  Rule: A message of a transaction that was receipted survives a crash of the broker.

    @needs:crash
    Scenario: [1] A plain message while the transaction buffer recovers
      Given transaction A
      And A has written "a1" to orders
      And the system has crashed and come back
      And "plain" has been written to orders
      When A commits
      Then readers of orders see "a1", "plain" in some order

  @PIP31-71 @SHOULD
  Rule: When the metadata of an ended transaction is removed, its id is not given again.

    Scenario: [1] All transactions have ended
      Given 5 transactions have committed
      When 10 transactions begin
      Then the transaction ids are distinct

    @needs:crash
    Scenario: [2] A crash after all transactions have ended
      Given 10 transactions have committed
      And the system has crashed and come back
      When 10 transactions begin
      Then the transaction ids are distinct
