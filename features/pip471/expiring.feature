Feature: Time-outs of metadata-driven transactions
  Open transactions are found by their deadline. A time-out is a compare-and-set like any other end.

  Background:
    Given the topic "orders"

  @PIP471-43 @MUST @aborts
  Rule: A transaction that is open past its time is aborted, and none before.
    A client that died would hold its readers up for ever; one that lives has the time that it asked for.

    Scenario: [1] An abandoned transaction before a committed one
      Given transactions A and B with a short time-out
      And A has written "a1" to orders
      And B has committed "b1" to orders
      When A is left open past its time-out
      Then readers of orders see "b1"

    @needs:crash @alone
    Scenario: [2] A crash before the time-out
      Given transactions A and B with a moderate time-out
      And A has written "a1" to orders
      And B has committed "b1" to orders
      And the system has crashed and come back
      When A is left open past its time-out
      Then readers of orders see "b1"

    Scenario: [3] A commit that comes too late
      Given transaction A with a short time-out
      And A has written "a1" to orders
      And A has been left open past its time-out
      When A commits
      Then it is refused
      And readers of orders see nothing

    Scenario: [4] A transaction of another coordinator than the first
      Given A is a transaction of the second coordinator with a short time-out
      And A has written "a1" to orders
      And "p1" has been written to orders
      When A is left open past its time-out
      Then readers of orders see "p1"

    @needs:store-faults
    Scenario Outline: [5] The store fails when it is aborted
      Given transaction A with a short time-out
      And A has written "a1" to orders
      And "p1" has been written to orders
      And the store does not answer the next change of a header, <failure>
      When A is left open past its time-out
      Then readers of orders see "p1"

      Examples:
        | failure               |
        | and does not write it |
        | and has written it    |

    Scenario: [6] None is aborted before its time, which is no whole second
      Given 4 transactions have begun within a second, each with a time-out of 2900 ms
      When each of them is committed half a second before its time-out
      Then exactly one end of each of them succeeded

    @needs:more-brokers
    Scenario: [7] The coordinator that looks for them is at another broker by then
      Given transaction A with a moderate time-out
      And A has written "a1" to orders
      And the first coordinator has moved to another broker, since its own had crashed
      And "p1" has been written to orders
      When A is left open past its time-out
      Then readers of orders see "p1"

  @PIP471-44 @MUST @commits @aborts
  Rule: Of a commit and a time-out at the same time one wins, and the answer to the client says which.
    A commit that is told as done and was aborted loses data.

    Scenario: [1] Commits shortly before, at and after the time-out
      Given 12 transactions with a moderate time-out have written to orders
      When each of them is committed at about its time-out
      Then orders agrees with the answers
