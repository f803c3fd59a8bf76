Feature: Crashes in the middle of metadata-driven transactions
  What is in the header counts; what a broker was about to do it finds in the operation records when it is back.

  Background:
    Given the topic "orders"
    And transactions A and B

  @PIP471-33 @MUST @recovery
  Rule: A transaction that was decided before a crash has its outcome after it.
    An end that was answered is a promise; what it promised must not depend on who was told in time.

    @needs:crash
    Scenario: [1] A crash right behind a commit
      Given A has written "a1" to orders
      And A has been asked to commit
      When the system crashes and comes back
      Then readers of orders see "a1"

    @needs:crash
    Scenario: [2] A crash right behind an abort
      Given A has written "a1" to orders
      And B has committed "b1" to orders
      And A has been asked to abort
      When the system crashes and comes back
      Then readers of orders see "b1"

    @needs:crash-points
    Scenario Outline: [3] A crash within a commit, and the client asks again
      Given A has written "a1" to orders
      And the system will crash <point>
      And A has tried to commit
      And the system has come back
      When A commits
      Then it is done
      And readers of orders see "a1"

      Examples:
        | point             | why                                     |
        | after-header-cas  | nobody was told                         |
        | after-event       | everybody was told, and nobody answered |

    @needs:crash-points
    Scenario Outline: [4] A crash of a subscription within a commit
      Given the topic "inputs" with "i1", "i2"
      And the consumer of shared subscription "workers" has received "i1", "i2" from inputs
      And A has acknowledged "i1" for "workers"
      And the system will crash <point>
      And A has tried to commit
      When the system comes back
      Then subscription "workers" has "i2" left

      Examples:
        | point              | why                                          |
        | after-header-cas   | the subscription was not told                |
        | after-cursor-apply | it has applied the end and not noted it      |

    @needs:crash-points
    Scenario: [5] A crash of a segment within an abort
      Given A has written "a1" to orders
      And the system will crash before-op-delete
      And A has tried to abort
      When the system comes back
      Then readers of orders see nothing

    @needs:crash-points
    Scenario: [6] A crash within a commit, and the client never asks again
      Given A has written "a1" to orders
      And the system will crash after-header-cas
      And A has tried to commit
      When the system comes back
      Then readers of orders see "a1"

    @needs:crash
    Scenario: [7] An acknowledgement whose commit nobody has heard of, since the segment is not loaded
      Given the topic "inputs" with "i1", "i2"
      And the consumer of shared subscription "workers" has received "i1", "i2" from inputs
      And A has acknowledged "i1" for "workers"
      And inputs has been unloaded
      And A has been asked to commit
      When the system crashes and comes back
      Then subscription "workers" has "i2" left

    @needs:crash @needs:store-faults
    Scenario: [8] A crash when the record of an acknowledgement is deleted and the store has not answered
      Given the topic "inputs" with "i1", "i2"
      And the consumer of shared subscription "workers" has received "i1", "i2" from inputs
      And A has acknowledged "i1" for "workers"
      And the store does not answer the next write of an operation record, and has written it
      And A has been asked to commit
      When the system crashes and comes back
      Then subscription "workers" has "i2" left

    @needs:store-faults @needs:crash
    Scenario: [9] The segment has heard of a commit, and not its subscription
      Given "i1" has been written to orders
      And the consumer of shared subscription "workers" has received "i1" from orders
      And A has acknowledged "i1" for "workers"
      And the next event of an end is lost
      And A has committed "a1" to orders
      When the system crashes while B is OPEN and comes back
      Then subscription "workers" has "a1" left

    @needs:store-faults @needs:crash
    Scenario Outline: [10] The store fails when an abort is noted, and a crash comes before that is tried again
      Given A has written "a1" to orders
      And the store does not answer the next note of an abort, <failure>
      And A has been asked to abort
      And "p1" has been written to orders
      When the system crashes and comes back
      Then readers of orders see "p1"

      Examples:
        | failure               |
        | and does not write it |
        | and has written it    |

  @PIP471-34 @MUST @recovery
  Rule: A crash within the publishing of a message shows nothing of its open transaction.
    An entry in the ledger that no record speaks of is shown as soon as the segment is back.

    @needs:crash-points
    Scenario Outline: [1] A crash between the two writes, and behind them
      Given the system will crash <point>
      And A has tried to write "a1" to orders
      When the system comes back
      Then readers of orders see nothing

      Examples:
        | point           | why                                        |
        | after-op-record | the second write did not come              |
        | after-append    | both are there, and nobody has a receipt   |

    @needs:crash-points
    Scenario: [2] A crash within an abort, and a consumer that was there before
      Given the consumer of shared subscription "workers" has received nothing from orders
      And A has written "a1" to orders
      And the system will crash after-header-cas
      And A has tried to abort
      When the system comes back
      Then the consumer of "workers" receives nothing

  @PIP471-35 @MUST @aborts @recovery
  Rule: What a crash within the publishing left of a transaction that then times out is never seen.
    Nobody asked for a commit of it, and its client may believe that it was never stored.

    @needs:crash-points
    Scenario Outline: [1] A crash between the two writes or behind them, and a time-out
      Given transaction C with a moderate time-out
      And the system will crash <point>
      And C has tried to write "c1" to orders
      And the system has come back
      When C is left open past its time-out
      Then readers of orders see nothing

      Examples:
        | point           | why                                        |
        | after-op-record | the second write did not come              |
        | after-append    | both are there, and nobody has a receipt   |

  @PIP471-47 @MUST @recovery
  Rule: A transaction that was begun at a broker is ended by another one when that is gone.
    A coordinator that keeps something to itself takes it along.

    @needs:crash
    Scenario: [1] A commit behind a crash
      Given A has written "a1" to orders
      And the system has crashed and come back
      When A commits
      Then it is done
      And readers of orders see "a1"

    @needs:crash
    Scenario: [2] New transactions have new ids behind a crash
      Given A has written "a1" to orders
      And the system has crashed and come back
      When 3 transactions begin
      Then the transaction ids are distinct
