@needs:short-retention
Feature: Collection of the headers of ended transactions
  A header stays for a retention, and is deleted when no participant has work left for its transaction. What readers see does not change
  by that.

  Background:
    Given the topic "orders"
    And transactions A and B

  @PIP471-26 @MUST @aborts @retention
  Rule: A segment still hides the messages of an aborted transaction after the coordinator has collected the header.
    Withdrawn messages would become visible merely because they were withdrawn long ago.

    Scenario: [1] A segment is reloaded after the header of an aborted transaction was collected
      Given A has written "a1" to orders
      And A has aborted
      And the retention of A has passed
      And orders has been unloaded
      When B commits "b1" to orders
      Then readers of orders see "b1"

  @PIP471-27 @MUST @commits @retention
  Rule: A segment still delivers the messages of a committed transaction after the coordinator has collected the header.
    Committed data would be lost merely because it was committed long ago.

    Scenario: [1] A segment is reloaded after the header of a committed transaction was collected
      Given A has committed "a1" to orders
      And the retention of A has passed
      And orders has been unloaded
      When B commits "b1" to orders
      Then readers of orders see "a1", "b1"

  @PIP471-37 @MUST @retention
  Rule: A coordinator keeps the header of an ended transaction for the retention time.
    A client that retries an end which was not answered must find the outcome.

    @needs:metadata-store
    Scenario: [1] The header of a committed transaction is kept
      Given A has written "a1" to orders
      When A commits
      Then the store keeps the header of A for the retention

    Scenario: [2] An open transaction commits after the retention of another one
      Given A has written "a1" to orders
      And B has committed "b1" to orders
      And the retention of B has passed
      When A commits
      Then it is done
      And readers of orders see "a1", "b1"

    @needs:metadata-store
    Scenario: [3] The header of a transaction that was open for longer than the retention is kept
      Given A has written "a1" to orders
      And B has committed
      And the retention of B has passed
      When A commits
      Then the store keeps the header of A for the retention

    @needs:metadata-store @needs:crash @needs:virtual-time
    Scenario: [4] The header of a transaction that timed out during an outage is kept
      Given transaction C with a short timeout
      When the system crashes and restarts after the timeout and the retention of C
      Then the store keeps the header of C for the retention

    @needs:metadata-store
    Scenario: [5] The headers of four transactions are kept to the millisecond
      When 4 transactions commit within a second
      Then the store keeps the header of each transaction for the retention

  @PIP471-38 @MUST @retention
  Rule: A coordinator deletes the header of an ended transaction after the retention time if no operation records are left.
    A store that keeps every transaction for ever fills up.

    Scenario Outline: [1] A client retries an end after the collection
      Given A has written "a1" to orders
      And A has <ended>
      And the retention of A has passed
      When A <ends>
      Then it is refused

      Examples:
        | ended     | ends    |
        | committed | commits |
        | aborted   | aborts  |

    Scenario: [2] The header of a transaction of the second coordinator is collected
      Given C is a transaction of the second coordinator
      And C has written "c1" to orders
      And C has committed
      And the retention of C has passed
      When C commits
      Then it is refused

    @needs:metadata-store
    Scenario: [3] The header is collected after a subscription was removed with a pending acknowledgement
      Given the topic "inputs" with "i1"
      And the consumer of shared subscription "workers" has received "i1" from inputs
      And A has acknowledged "i1" for "workers"
      And subscription "workers" has been removed
      And A has committed
      When the retention of A passes
      Then the store soon has no header of A

    @needs:metadata-store
    Scenario: [4] The header is collected after a topic was deleted with messages of the transaction
      Given the scalable topic "invoices" of segments "left" and "right"
      And A has written "a1" to left
      And invoices has been deleted as a whole
      And A has committed
      When the retention of A passes
      Then the store soon has no header of A

    Scenario Outline: [5] A header is collected while that of an earlier transaction is kept
      Given A has written "a1" to orders
      And orders has been unloaded
      And A has been asked to <end>
      And B has <ended>
      And the retention of B has passed
      When B <ends>
      Then it is refused

      Examples:
        | end    | ended     | ends    |
        | commit | committed | commits |
        | abort  | aborted   | aborts  |

    @needs:store-faults
    Scenario Outline: [6] The store fails when the header is deleted
      Given A has written "a1" to orders
      And A has committed
      And the store does not answer the next change of a header, <failure>
      And the retention of A has passed
      When A commits
      Then it is refused

      Examples:
        | failure               |
        | and does not write it |
        | and has written it    |

    @needs:more-brokers
    Scenario: [7] The header is collected after its coordinator has moved to another broker
      Given A has committed "a1" to orders
      And the first coordinator has moved to another broker, since its own had crashed
      And the retention of A has passed
      When A commits
      Then it is refused

    @needs:metadata-store
    Scenario: [8] The header is collected after a topic was deleted with a pending acknowledgement
      Given the scalable topic "invoices" of segments "left" and "right"
      And "i1" has been written to left
      And the consumer of shared subscription "workers" has received "i1" from left
      And A has acknowledged "i1" for "workers"
      And invoices has been deleted as a whole
      When A commits
      Then the store soon has no header of A

    @needs:metadata-store
    Scenario Outline: [9] The header is collected after a topic was deleted with messages of two transactions
      Given the scalable topic "invoices" of segments "left" and "right"
      And A has written "a1" to left
      And B has written "b1" to left
      And invoices has been deleted as a whole
      When <one> commits
      Then the store soon has no header of <one>

      Examples:
        | one | why                      |
        | B   | the later of the two     |
        | A   | the earlier of the two   |

    @needs:metadata-store
    Scenario Outline: [10] The header is collected after a subscription was removed with pending acknowledgements of two transactions
      Given the topic "inputs" with "i1", "i2"
      And the consumer of shared subscription "workers" has received "i1", "i2" from inputs
      And A has acknowledged "i1" for "workers"
      And B has acknowledged "i2" for "workers"
      And subscription "workers" has been removed
      When <one> commits
      Then the store soon has no header of <one>

      Examples:
        | one | why                      |
        | B   | the later of the two     |
        | A   | the earlier of the two   |

  @PIP471-39 @MUST @retention
  Rule: A coordinator that collects a transaction loses neither data nor outcome while a participant has not yet applied the end.
    A participant that was away for longer than the retention would do the opposite of what was decided.

    Scenario: [1] An acknowledgement was committed on a segment that is not loaded
      Given the topic "inputs" with "i1", "i2"
      And the consumer of shared subscription "workers" has received "i1", "i2" from inputs
      And A has acknowledged "i1" for "workers"
      And inputs has been unloaded
      And A has been asked to commit
      When the retention of A passes
      Then subscription "workers" has "i2" left

    Scenario: [2] A message was aborted in a segment that is not loaded
      Given A has written "a1" to orders
      And orders has been unloaded
      And A has been asked to abort
      When the retention of A passes
      Then readers of orders see nothing

    Scenario: [3] A message was committed in a segment that is not loaded
      Given A has written "a1" to orders
      And orders has been unloaded
      And A has been asked to commit
      When the retention of A passes
      Then readers of orders see "a1"

    @needs:metadata-store
    Scenario Outline: [4] The header is kept while a participant has not applied the end
      Given A has written "a1" to orders
      And orders has been unloaded
      And A has been asked to <end>
      And the retention of A has passed
      When A <ends>
      Then it is done

      Examples:
        | end    | ends    |
        | commit | commits |
        | abort  | aborts  |

    @needs:metadata-store @needs:crash-points
    Scenario Outline: [5] The system crashes during the collection
      Given A has written "a1" to orders
      And A has <ended>
      And the system will crash during-collection
      And the retention of A has passed
      When the system restarts
      Then the store soon has no header of A
      And readers of orders see <seen>

      Examples:
        | ended     | seen    |
        | committed | "a1"    |
        | aborted   | nothing |

    Scenario: [6] Messages were committed in two segments of which one is not loaded
      Given the topic "payments" in another namespace
      And A has written "a1" to orders
      And A has written "a2" to payments
      And payments has been unloaded
      And A has been asked to commit
      When the retention of A passes
      Then readers of payments see "a2"

    Scenario: [7] An acknowledgement was aborted on a segment that is not loaded
      Given the topic "inputs" with "i1", "i2"
      And the consumer of shared subscription "workers" has received "i1", "i2" from inputs
      And A has acknowledged "i1" for "workers"
      And inputs has been unloaded
      And A has been asked to abort
      When the retention of A passes
      Then subscription "workers" has "i1", "i2" left

  @PIP471-40 @MUST @retention
  Rule: The store has no index entry for a deleted record.
    An entry without a record sends the sweep to a missing transaction again and again.

    @needs:metadata-indexes
    Scenario Outline: [1] The index entries of a transaction are deleted after its retention
      Given A has written "a1" to orders
      And A has <ended>
      When the retention of A passes
      Then the store soon has no header of A
      And the store soon has no index entries of A

      Examples:
        | ended     |
        | committed |
        | aborted   |

    @needs:metadata-indexes @needs:crash
    Scenario: [2] The index entries of a transaction are deleted by another broker than the one that ended it
      Given A has committed
      And the system has crashed and restarted
      When the retention of A passes
      Then the store soon has no index entries of A
