Feature: A transaction's coordinator
  Who begins a transaction gets an id that is durable, that nobody else has or will have, and that tells whom to ask from then on.

  Background:
    Given the topic "orders"

  @PIP31-10 @MUST
  Rule: A transaction id is answered only when the transaction is durable as open, so a crash right after the answer keeps it.

    @needs:crash
    Scenario: [1] A crash right after the answer
      When transaction A begins, and the system crashes right after the answer
      Then A is OPEN

  @PIP31-11 @MUST
  Rule: A coordinator gives no transaction id twice, also not after a crash.

    Scenario: [1] Some are open and some have ended
      Given 5 transactions have begun
      And 5 transactions have begun and committed
      When 10 more transactions begin
      Then no two transactions have the same id

    @needs:crash
    Scenario: [2] After a crash
      Given 10 transactions have begun
      And the system has crashed and come back
      When 10 more transactions begin
      Then no two transactions have the same id

  @PIP31-12 @MUST
  Rule: The ids that a coordinator gives grow.

    Scenario: [1] At two clients
      When 10 transactions begin, at two clients in turn
      Then each has a greater id than the one before

  @PIP31-13 @MUST
  Rule: A transaction's id tells which coordinator it belongs to.

    Scenario: [1] The coordinators that there are
      When a transaction begins at each coordinator
      Then each id tells the coordinator that was asked

    @needs:more-coordinators
    Scenario: [2] Two coordinators
      Given a second coordinator
      When a transaction begins at each coordinator
      Then each id tells the coordinator that was asked

  @PIP31-14 @MUST
  Rule: Every answer about a transaction names the request that it answers.

    Scenario: [1] Several requests on their way
      Given transaction A
      And a transaction U that does not exist
      And the topic "inputs" with "i1"
      And subscription "workers" has been given "i1" of inputs
      When a client adds orders and "workers" to A and to U, commits U and begins another, all at once
      Then each answer is that to its request

  @PIP31-47 @MUST
  Rule: A message of a transaction that was receipted survives a crash of the broker.

    @needs:crash
    Scenario: [1] A plain message comes while the buffer is rebuilt
      Given transaction A
      And A has written "a1" to orders
      And the system has crashed and come back
      And "plain" has been written to orders
      When A commits
      Then readers of orders see "a1" and "plain" in some order

  @PIP31-71 @SHOULD
  Rule: When the metadata of an ended transaction is removed, its id is not given again.

    Scenario: [1] All have ended
      Given 5 transactions have begun and committed
      When 10 more transactions begin
      Then no two transactions have the same id

    @needs:crash
    Scenario: [2] All have ended, and a crash
      Given 10 transactions have begun and committed
      And the system has crashed and come back
      When 10 more transactions begin
      Then no two transactions have the same id
