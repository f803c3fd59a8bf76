Feature: Crashes during metadata-driven transactions
  The header is authoritative; a broker that restarts finds its remaining work in the operation records.

  Background:
    Given the topic "orders"
    And transactions A and B

  @PIP471-33 @MUST @recovery
  Rule: A transaction that was decided before a crash has the decided outcome after it.
    An end that was answered is a promise. It must not depend on which participant was notified in time.

    @needs:crash
    Scenario: [1] The system crashes right after a commit
      Given A has written "a1" to orders
      And A has been asked to commit
      When the system crashes and restarts
      Then readers of orders see "a1"

    @needs:crash
    Scenario: [2] The system crashes right after an abort
      Given A has written "a1" to orders
      And B has committed "b1" to orders
      And A has been asked to abort
      When the system crashes and restarts
      Then readers of orders see "b1"

    @needs:crash-points
    Scenario Outline: [3] The system crashes during a commit, and the client retries it
      Given A has written "a1" to orders
      And the system will crash <point>
      And A has tried to commit
      And the system has restarted
      When A commits
      Then it is done
      And readers of orders see "a1"

      Examples:
        | point            | why                                                   |
        | after-header-cas | no participant was notified                           |
        | after-event      | all participants were notified, and none has answered |

    @needs:crash-points
    Scenario Outline: [4] The system crashes during the commit of an acknowledgement
      Given the topic "inputs" with "i1", "i2"
      And the consumer of shared subscription "workers" has received "i1", "i2" from inputs
      And A has acknowledged "i1" for "workers"
      And the system will crash <point>
      And A has tried to commit
      When the system restarts
      Then subscription "workers" has "i2" left

      Examples:
        | point              | why                                        |
        | after-header-cas   | the subscription was not notified          |
        | after-cursor-apply | it has applied the end and not recorded it |

    @needs:crash-points
    Scenario: [5] The system crashes during an abort
      Given A has written "a1" to orders
      And the system will crash before-op-delete
      And A has tried to abort
      When the system restarts
      Then readers of orders see nothing

    @needs:crash-points
    Scenario: [6] The system crashes during a commit, and the client does not retry it
      Given A has written "a1" to orders
      And the system will crash after-header-cas
      And A has tried to commit
      When the system restarts
      Then readers of orders see "a1"

    @needs:crash
    Scenario: [7] The system crashes after the commit of an acknowledgement on a segment that is not loaded
      Given the topic "inputs" with "i1", "i2"
      And the consumer of shared subscription "workers" has received "i1", "i2" from inputs
      And A has acknowledged "i1" for "workers"
      And inputs has been unloaded
      And A has been asked to commit
      When the system crashes and restarts
      Then subscription "workers" has "i2" left

    @needs:crash @needs:store-faults
    Scenario: [8] The system crashes after the store failed to answer the deletion of an acknowledgement's record
      Given the topic "inputs" with "i1", "i2"
      And the consumer of shared subscription "workers" has received "i1", "i2" from inputs
      And A has acknowledged "i1" for "workers"
      And the store does not answer the next write of an operation record, and has written it
      And A has been asked to commit
      When the system crashes and restarts
      Then subscription "workers" has "i2" left

    @needs:store-faults @needs:crash
    Scenario: [9] The system crashes after the segment, but not its subscription, was notified of a commit
      Given "i1" has been written to orders
      And the consumer of shared subscription "workers" has received "i1" from orders
      And A has acknowledged "i1" for "workers"
      And the next event of an end is lost
      And A has committed "a1" to orders
      When the system crashes while B is OPEN and restarts
      Then subscription "workers" has "a1" left

    @needs:store-faults @needs:crash
    Scenario Outline: [10] The system crashes after the store failed to answer the record of an abort
      Given A has written "a1" to orders
      And the store does not answer the next note of an abort, <failure>
      And A has been asked to abort
      And "p1" has been written to orders
      When the system crashes and restarts
      Then readers of orders see "p1"

      Examples:
        | failure               |
        | and does not write it |
        | and has written it    |

    @needs:crash
    Scenario: [11] The system crashes after the abort of an acknowledgement on a segment that is not loaded
      Given the topic "inputs" with "i1", "i2"
      And the consumer of shared subscription "workers" has received "i1", "i2" from inputs
      And A has acknowledged "i1" for "workers"
      And inputs has been unloaded
      And A has been asked to abort
      When the system crashes and restarts
      Then subscription "workers" has "i1", "i2" left

  @PIP471-34 @MUST @recovery
  Rule: If a broker crashes while it publishes a message, the message is not visible while its transaction is open.
    An entry in the ledger without a record would be visible as soon as the segment is reloaded.

    @needs:crash-points
    Scenario Outline: [1] The system crashes after the first or the second write of a publish
      Given the system will crash <point>
      And A has tried to write "a1" to orders
      When the system restarts
      Then readers of orders see nothing

      Examples:
        | point           | why                                            |
        | after-op-record | the second write was not made                  |
        | after-append    | both writes were made, and no receipt was sent |

    @needs:crash-points
    Scenario: [2] The system crashes during an abort while a consumer is connected
      Given the consumer of shared subscription "workers" has received nothing from orders
      And A has written "a1" to orders
      And the system will crash after-header-cas
      And A has tried to abort
      When the system restarts
      Then the consumer of "workers" receives nothing

  @PIP471-35 @MUST @aborts @recovery
  Rule: If a transaction times out after a crash during publishing, the message that was being published is never visible.
    The client did not request a commit, and may believe that the message was never stored.

    @needs:crash-points
    Scenario Outline: [1] A transaction times out after a crash between or after the two writes of a publish
      Given transaction C with a moderate timeout
      And the system will crash <point>
      And C has tried to write "c1" to orders
      And the system has restarted
      When C is left open past its timeout
      Then readers of orders see nothing

      Examples:
        | point           | why                                            |
        | after-op-record | the second write was not made                  |
        | after-append    | both writes were made, and no receipt was sent |

  @PIP471-47 @MUST @recovery
  Rule: After a broker has crashed, another broker can end the transactions that were begun at it.
    State that a coordinator keeps only in memory is lost with it.

    @needs:crash
    Scenario: [1] A transaction commits after a crash
      Given A has written "a1" to orders
      And the system has crashed and restarted
      When A commits
      Then it is done
      And readers of orders see "a1"

    @needs:crash
    Scenario: [2] New transactions have new ids after a crash
      Given A has written "a1" to orders
      And the system has crashed and restarted
      When 3 transactions begin
      Then the transaction ids are distinct
