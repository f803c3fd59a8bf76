Feature: The transaction coordinator
  A client that begins a transaction receives an id that is durable and unique, and that names the coordinator for all further requests.

  Background:
    Given the topic "orders"

  @PIP31-10 @MUST @recovery
  Rule: A coordinator stores a new transaction durably before it answers NEW_TXN with its id, so that the transaction survives a crash.
    A client whose transaction id is lost in a crash has written into a transaction that does not exist.

    @needs:crash
    Scenario: [1] The system crashes after a transaction id was answered
      Given transaction A
      When the system crashes and restarts
      Then A is OPEN

  @PIP31-11 @MUST @recovery
  Rule: A coordinator never assigns a transaction id twice, even after a crash.
    A second transaction with the same id would be committed or aborted together with the messages of the first one.

    Scenario: [1] Transactions begin after others were opened and ended
      Given 5 transactions have begun
      And 5 transactions have committed
      When 10 transactions begin
      Then the transaction ids are distinct

    @needs:crash
    Scenario: [2] Transactions begin after a crash
      Given 10 transactions have begun
      And the system has crashed and restarted
      When 10 transactions begin
      Then the transaction ids are distinct

  @PIP31-12 @MUST
  Rule: A coordinator assigns increasing transaction ids.
    Ids that do not increase may collide with old ones that a topic still remembers.

    Scenario: [1] Transactions begin at two clients in turn
      When 10 transactions begin at 2 clients in turn
      Then the transaction ids are ascending

    @needs:crash
    Scenario: [2] Transactions begin before and after a crash
      Given 10 transactions have begun
      And the system has crashed and restarted
      When 10 transactions begin
      Then the transaction ids are ascending

  @PIP31-13 @MUST
  Rule: The most significant bits of a transaction id are the number of the coordinator that assigned it.
    A client that sends a request to the wrong coordinator would be answered that its transaction never began.

    @needs:more-coordinators
    Scenario: [1] Transactions begin at two coordinators
      Given the system has 2 coordinators
      When a transaction begins at each coordinator
      Then it is done
      And the transaction ids name the coordinator that was asked

    @needs:more-coordinators
    Scenario: [2] A transaction begins at a new coordinator
      When the number of coordinators is set to one more than before
      Then it is done
      And the last coordinator begins a transaction

  @PIP31-14 @MUST
  Rule: A broker answers each command about a transaction with the request id of that command.
    A client matches answers by request id; an answer with another id leaves it waiting, or answers another request.

    Scenario: [1] Six requests are in flight on one connection
      Given transaction A
      And U is an unknown transaction
      And the topic "inputs" with "i1"
      And the consumer of shared subscription "workers" has received "i1" from inputs
      When a client pipelines requests that add orders and "workers" to A and U
      Then each of them is answered by its own answer

  @PIP31-47 @MUST @recovery
  Rule: A message of a transaction that the broker has acknowledged survives a crash of the broker.
    An acknowledged message that is missing at the commit makes the transaction incomplete.

    @needs:crash
    Scenario: [1] A plain message is written while the transaction buffer recovers
      Given transaction A
      And A has written "a1" to orders
      And the system has crashed and restarted
      And "plain" has been written to orders
      When A commits
      Then readers of orders see "a1", "plain" in some order

    @needs:crash
    Scenario: [2] A transaction writes a message before each of two crashes
      Given transaction A
      And A has written "a1" to orders
      And the system has crashed and restarted
      And A has written "a2" to orders
      And the system has crashed and restarted
      When A commits "a3" to orders
      Then readers of orders see "a1", "a2", "a3"

  @PIP31-71 @SHOULD
  Rule: A coordinator does not assign the id of an ended transaction again after it has removed the transaction's metadata.
    A late request for a transaction that has ended would apply to a new one.

    @needs:crash
    Scenario: [1] Two crashes happen after all transactions have ended
      Given 10 transactions have committed
      And the system has crashed and restarted
      And the system has crashed and restarted
      When 10 transactions begin
      Then the transaction ids are distinct

    @needs:crash
    Scenario: [2] A crash happens after newer transactions have ended while older ones are open
      Given 5 transactions have begun
      And 5 transactions have committed
      And the system has crashed and restarted
      When 10 transactions begin
      Then the transaction ids are distinct
