Feature: Timeouts of metadata-driven transactions
  Open transactions are found by their deadline. A timeout is a compare-and-set like any other end.

  Background:
    Given the topic "orders"

  @PIP471-43 @MUST @aborts
  Rule: A coordinator aborts every transaction that is open past its timeout, and none before.
    The transaction of a crashed client would block readers for ever, and a running client would lose time that it was given.

    Scenario: [1] A committed transaction becomes visible after an earlier one has timed out
      Given transactions A and B with a short timeout
      And A has written "a1" to orders
      And B has committed "b1" to orders
      When A is left open past its timeout
      Then readers of orders see "b1"

    @needs:crash @alone
    Scenario: [2] A transaction times out while the system is down
      Given transactions A and B with a moderate timeout
      And A has written "a1" to orders
      And B has committed "b1" to orders
      When the system crashes and restarts after the timeout of A
      Then readers of orders see "b1"

    Scenario: [3] A client commits after the timeout
      Given transaction A with a short timeout
      And A has written "a1" to orders
      And A has been left open past its timeout
      When A commits
      Then it is refused
      And readers of orders see nothing

    Scenario: [4] A transaction of the second coordinator times out
      Given A is a transaction of the second coordinator with a short timeout
      And A has written "a1" to orders
      And "p1" has been written to orders
      When A is left open past its timeout
      Then readers of orders see "p1"

    @needs:store-faults
    Scenario Outline: [5] The store fails when a transaction times out
      Given transaction A with a short timeout
      And A has written "a1" to orders
      And "p1" has been written to orders
      And the store does not answer the next change of a header, <failure>
      When A is left open past its timeout
      Then readers of orders see "p1"

      Examples:
        | failure               |
        | and does not write it |
        | and has written it    |

    Scenario: [6] Transactions whose timeout is no whole number of seconds commit before it
      Given 4 transactions have begun within a second, each with a timeout of 2900 ms
      When each of them is committed half a second before its timeout
      Then exactly one end of each of them succeeded

    @needs:more-brokers
    Scenario: [7] A transaction times out after its coordinator has moved to another broker
      Given transaction A with a moderate timeout
      And A has written "a1" to orders
      And the first coordinator has moved to another broker, since its own had crashed
      And "p1" has been written to orders
      When A is left open past its timeout
      Then readers of orders see "p1"

    Scenario: [8] A transaction with the longest possible timeout is open when another one times out
      Given transaction A with a maximal timeout
      And transaction B with a short timeout
      And A has written "a1" to orders
      When B is left open past its timeout
      Then A is OPEN

    Scenario: [9] Two transactions time out at the same time
      Given transactions A and B with a short timeout
      And A has written "a1" to orders
      And B has written "b1" to orders
      And "p1" has been written to orders
      When A is left open past its timeout
      Then readers of orders see "p1"

    @needs:crash
    Scenario: [10] A transaction from before a crash is open when another one times out
      Given transaction A
      And A has written "a1" to orders
      And the system has crashed and restarted
      And transaction B with a short timeout
      When B is left open past its timeout
      Then A is OPEN

    @needs:crash @alone
    Scenario: [11] A transaction from before a crash keeps the timeout that counts from its beginning
      Given A has been open for a moment and through a crash, with a timeout longer than a restart
      When C begins and times out just after A
      Then A was OPEN until its timeout had passed, and not when C had timed out

    @needs:crash @alone
    Scenario: [12] The system crashes before the timeouts of two transactions
      Given transactions A and B with a moderate timeout
      And A has written "a1" to orders
      And B has written "b1" to orders
      When the system crashes while A is OPEN and restarts
      Then A is ABORTED
      And B is ABORTED

    Scenario: [13] A client commits a transaction without any operation after the timeout
      Given transactions A and C with a short timeout
      And C has been left open past its timeout
      When A commits
      Then it is refused

    Scenario: [14] A transaction that has only acknowledged times out
      Given the topic "inputs" with "i1", "i2"
      And the consumer of shared subscription "workers" has received "i1", "i2" from inputs
      And transactions A and C with a short timeout
      And A has acknowledged "i1" for "workers"
      When C is left open past its timeout
      Then subscription "workers" has "i1", "i2" left

  @PIP471-44 @MUST @commits @aborts
  Rule: If a commit races with the timeout, one of them decides the transaction, and the answer to the commit agrees with the decision.
    Data is lost if a client receives a success for a transaction that was aborted.

    Scenario: [1] Clients commit shortly before, at and after the timeout
      Given 12 transactions with a moderate timeout have written to orders
      When each of them is committed at about its timeout
      Then orders agrees with the answers
