Feature: How participants are notified of an end
  The store notifies, and the header is authoritative. Notifications can be lost, late or duplicated, and a write can fail.

  Background:
    Given the topic "orders"
    And transactions A and B

  @PIP471-13 @MUST
  Rule: A broker refuses a message whose operation record it could not write, and never makes the message visible.
    An acknowledged message that is never decided breaks the promise to its producer.

    @needs:store-faults
    Scenario Outline: [1] The store does not answer the write of the record
      Given the store does not answer the next write of an operation record, <failure>
      When A writes "a1" to orders
      Then it is refused

      Examples:
        | failure               |
        | and does not write it |
        | and has written it    |

    @needs:store-faults
    Scenario Outline: [2] A transaction commits after one of its messages was refused
      Given the store does not answer the next write of an operation record, <failure>
      And A has tried to write "a1" to orders
      And A has written "a2" to orders
      When A commits
      Then readers of orders see "a2"

      Examples:
        | failure               |
        | and does not write it |
        | and has written it    |

    @needs:store-faults
    Scenario Outline: [3] A producer sends a refused message again
      Given the deduplicated topic "payments"
      And the store does not answer the next write of an operation record, <failure>
      And producer P has tried to write "a1" to payments in A
      And producer P has sent "a1" again on a new connection
      When A commits
      Then readers of payments see "a1"

      Examples:
        | failure               |
        | and does not write it |
        | and has written it    |

    @needs:store-faults
    Scenario: [4] The store does not answer the write of the record of a second message
      Given A has written "a1" to orders
      And the store does not answer the next write of an operation record, and does not write it
      And A has tried to write "a2" to orders
      When A commits
      Then readers of orders see "a1"

    @needs:store-faults
    Scenario: [5] A transaction commits after one of its messages was refused and the segment was reloaded
      Given the store does not answer the next write of an operation record, and does not write it
      And A has tried to write "a1" to orders
      And A has written "a2" to orders
      And orders has been unloaded
      When A commits
      Then readers of orders see "a2"

  @PIP471-22 @MUST @commits
  Rule: A coordinator answers a commit without waiting for the participants.
    A slow or unreachable participant would block every client with a transaction there.

    Scenario: [1] A client commits while the segment is not loaded
      Given A has written "a1" to orders
      And orders has been unloaded
      When A commits, and a later transaction behind it
      Then it is done

  @PIP471-62 @SHOULD
  Rule: A participant applies the outcome of a transaction even if the notification is lost or late.
    Readers would wait for ever for an end that was decided long ago.

    @needs:store-faults
    Scenario Outline: [1] A notification is lost, late or duplicated when a message is committed
      Given A has written "a1" to orders
      And the next event of an end is <trouble>
      When A commits
      Then it is done
      And readers of orders see "a1"

      Examples:
        | trouble    |
        | lost       |
        | late       |
        | delivered twice |

    @needs:store-faults @needs:metadata-store
    Scenario: [2] A notification is lost when an acknowledgement is committed
      Given the topic "inputs" with "i1", "i2"
      And the consumer of shared subscription "workers" has received "i1", "i2" from inputs
      And A has acknowledged "i1" for "workers"
      And the next event of an end is lost
      When A commits
      Then the store soon has no operation records of A
      And subscription "workers" has "i2" left

    @needs:store-faults @needs:metadata-store
    Scenario: [3] A notification is lost when an acknowledgement is aborted
      Given the topic "inputs" with "i1", "i2"
      And the consumer of shared subscription "workers" has received "i1", "i2" from inputs
      And A has acknowledged "i1" for "workers"
      And the next event of an end is lost
      When A aborts
      Then the store soon has no operation records of A
      And subscription "workers" has "i1", "i2" left

    @needs:store-faults @needs:short-retention
    Scenario Outline: [4] The store fails when an abort is recorded, and the segment is reloaded after the retention
      Given A has written "a1" to orders
      And the store does not answer the next note of an abort, <failure>
      And A has aborted
      And the retention of A has passed
      And orders has been unloaded
      When "p1" is written to orders
      Then readers of orders see "p1"

      Examples:
        | failure               |
        | and does not write it |
        | and has written it    |

    @needs:store-faults
    Scenario: [5] A notification is late when a message is committed while an older transaction is open
      Given B has written "b1" to orders
      And A has written "a1" to orders
      And the next event of an end is late
      When B commits
      Then readers of orders see "b1"

    @needs:store-faults @needs:metadata-store
    Scenario: [6] A notification is late when an acknowledgement is committed while an older transaction is open
      Given the topic "inputs" with "i1", "i2"
      And the consumer of shared subscription "workers" has received "i1", "i2" from inputs
      And A has acknowledged "i1" for "workers"
      And B has acknowledged "i2" for "workers"
      And the next event of an end is late
      When B commits
      Then the store soon has no operation records of B

    @needs:store-faults
    Scenario Outline: [7] The store fails when a notification is written, and the commit is retried
      Given A has written "a1" to orders
      And the store does not answer the next event of an end, <failure>
      When A commits
      Then it is done
      And readers of orders see "a1"

      Examples:
        | failure               |
        | and does not write it |
        | and has written it    |

    @needs:store-faults
    Scenario Outline: [8] A notification is late, and another transaction ends the other way before it arrives
      Given A has written "a1" to orders
      And B has written "b1" to orders
      And the next event of an end is late
      And A has <ended>
      When B <ends>
      Then readers of orders see <visible>

      Examples:
        | ended     | ends    | visible | why                                               |
        | committed | aborts  | "a1"    | the later abort must not hide what was committed  |
        | aborted   | commits | "b1"    | the later commit must not show what was withdrawn |

  @PIP471-66 @MUST
  Rule: All requirements also hold on a metadata store without sequence keys and indexes.
    The brokers do what the store does not do, and a crash in the middle of that must lose nothing.

    @needs:plain-store
    Scenario: [1] A commit and an abort on a store without sequence keys and indexes
      Given B has written "b1" to orders
      And A has written "a1" to orders
      And B has aborted
      When A commits
      Then readers of orders see "a1"

    @needs:plain-store
    Scenario: [2] An acknowledgement on a store without sequence keys and indexes
      Given the topic "inputs" with "i1", "i2"
      And the consumer of shared subscription "workers" has received "i1", "i2" from inputs
      And A has acknowledged "i1" for "workers"
      When A commits
      Then subscription "workers" has "i2" left

    @needs:plain-store
    Scenario: [3] Twenty messages are in flight on a store without sequence keys and indexes
      Given A has 20 messages in flight to orders
      When A commits
      Then readers of orders see exactly what of A was receipted

    @needs:plain-store @needs:short-retention
    Scenario: [4] A header is collected on a store without sequence keys and indexes
      Given A has committed "a1" to orders
      And the retention of A has passed
      When A commits
      Then it is refused

    @needs:plain-store
    Scenario: [5] A transaction times out on a store without sequence keys and indexes
      Given transaction C with a short timeout
      And C has written "c1" to orders
      When C is left open past its timeout
      Then readers of orders see nothing

    @needs:plain-store
    Scenario: [6] A segment with two open transactions is reloaded on a store without sequence keys and indexes
      Given A has written "a1" to orders
      And B has written "b1" to orders
      And orders has been unloaded
      And A has aborted
      When B commits
      Then readers of orders see "b1"

    @needs:plain-store @needs:store-faults
    Scenario: [7] Abort races a commit that another coordinator wrote after this one read the header (store without sequence keys)
      Given A has written "a1" to orders
      And orders has been unloaded
      And A has been asked to commit
      And the next look at a header sees it as it was before its last change
      And A has tried to abort
      When "p1" is written to orders
      Then readers of orders see "a1", "p1"

    @needs:plain-store @needs:store-faults @needs:short-retention
    Scenario: [8] A store without sequence keys and indexes fails to write an index entry during a commit
      Given A has written "a1" to orders
      And the store does not answer the next write for an index, and does not write it
      And A has tried to commit
      And A has committed
      And the retention of A has passed
      When A commits
      Then it is refused

    @needs:plain-store
    Scenario: [9] A transaction of 120 messages writes one more on a store without sequence keys and indexes
      Given A has 120 messages in flight to orders
      When A writes "a1" to orders
      Then it is done
