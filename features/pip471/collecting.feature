Feature: Headers of transactions that ended long ago
  A header stays for a retention, and goes when nobody has anything of its transaction left. What readers see does not change by that.

  Background:
    Given the topic "orders"
    And transactions A and B

  @PIP471-26 @MUST @aborts
  Rule: Messages of an aborted transaction stay hidden when its header is collected.
    What was withdrawn would come to light because it was withdrawn long ago.

    @needs:short-retention
    Scenario: [1] The segment is loaded again behind the collection
      Given A has written "a1" to orders
      And A has aborted
      And the retention of A has passed
      And orders has been unloaded
      When B commits "b1" to orders
      Then readers of orders see "b1"

  @PIP471-27 @MUST @commits
  Rule: Messages of a committed transaction stay visible when its header is collected.
    Committed data would be lost because it was committed long ago.

    @needs:short-retention
    Scenario: [1] The segment is loaded again behind the collection of a commit
      Given A has committed "a1" to orders
      And the retention of A has passed
      And orders has been unloaded
      When B commits "b1" to orders
      Then readers of orders see "a1", "b1"

  @PIP471-37 @MUST
  Rule: A header stays as long as the retention says.
    A client that asks again for an end which it got no answer to must find it.

    @needs:short-retention @needs:metadata-store
    Scenario: [1] A commit
      Given A has written "a1" to orders
      When A commits
      Then the store keeps the header of A for the retention

    @needs:short-retention
    Scenario: [2] An open transaction is no ended one
      Given A has written "a1" to orders
      And B has committed "b1" to orders
      And the retention of B has passed
      When A commits
      Then it is done
      And readers of orders see "a1", "b1"

    @needs:short-retention @needs:metadata-store
    Scenario: [3] A transaction that was open for longer than the retention
      Given A has written "a1" to orders
      And B has committed
      And the retention of B has passed
      When A commits
      Then the store keeps the header of A for the retention

    @needs:short-retention @needs:metadata-store @needs:crash @needs:virtual-time
    Scenario: [4] A transaction whose time-out passed long ago, when the system was down
      Given transaction C with a short time-out
      When the system crashes and comes back behind the time-out and the retention of C
      Then the store keeps the header of C for the retention

    @needs:short-retention @needs:metadata-store
    Scenario: [5] To the millisecond, at whatever moment the collection comes
      When 4 transactions commit within a second
      Then the store keeps the headers of all of them for the retention

  @PIP471-38 @MUST
  Rule: A header of which no operation records are left is collected behind the retention.
    A store that keeps every transaction for ever is full one day.

    @needs:short-retention
    Scenario Outline: [1] An end that comes again behind the collection
      Given A has written "a1" to orders
      And A has <ended>
      And the retention of A has passed
      When A <ends>
      Then it is refused

      Examples:
        | ended     | ends    |
        | committed | commits |
        | aborted   | aborts  |

    @needs:short-retention
    Scenario: [2] A transaction of another coordinator than the first
      Given C is a transaction of the second coordinator
      And C has written "c1" to orders
      And C has committed
      And the retention of C has passed
      When C commits
      Then it is refused

    @needs:short-retention @needs:metadata-store
    Scenario: [3] A subscription that was removed with something pending
      Given the topic "inputs" with "i1"
      And the consumer of shared subscription "workers" has received "i1" from inputs
      And A has acknowledged "i1" for "workers"
      And subscription "workers" has been removed
      And A has committed
      When the retention of A passes
      Then the store soon has no header of A

    @needs:short-retention @needs:metadata-store
    Scenario: [4] A topic that was deleted with something open
      Given the scalable topic "invoices" of segments "left" and "right"
      And A has written "a1" to left
      And invoices has been deleted as a whole
      And A has committed
      When the retention of A passes
      Then the store soon has no header of A

    @needs:short-retention
    Scenario Outline: [5] It ended behind another one, which keeps its header since somebody has not followed
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

    @needs:short-retention @needs:store-faults
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

    @needs:short-retention @needs:more-brokers
    Scenario: [7] The coordinator that looks for them is at another broker by then
      Given A has committed "a1" to orders
      And the first coordinator has moved to another broker, since its own had crashed
      And the retention of A has passed
      When A commits
      Then it is refused

    @needs:short-retention @needs:metadata-store
    Scenario: [8] A topic that was deleted with something pending
      Given the scalable topic "invoices" of segments "left" and "right"
      And "i1" has been written to left
      And the consumer of shared subscription "workers" has received "i1" from left
      And A has acknowledged "i1" for "workers"
      And invoices has been deleted as a whole
      When A commits
      Then the store soon has no header of A

  @PIP471-39 @MUST
  Rule: The collection loses nothing of a transaction that a participant has not followed yet.
    Whoever was away for longer than the retention would do the opposite of what was decided.

    @needs:short-retention
    Scenario: [1] An acknowledgement on a segment that nobody has loaded
      Given the topic "inputs" with "i1", "i2"
      And the consumer of shared subscription "workers" has received "i1", "i2" from inputs
      And A has acknowledged "i1" for "workers"
      And inputs has been unloaded
      And A has been asked to commit
      When the retention of A passes
      Then subscription "workers" has "i2" left

    @needs:short-retention
    Scenario: [2] An aborted message in a segment that nobody has loaded
      Given A has written "a1" to orders
      And orders has been unloaded
      And A has been asked to abort
      When the retention of A passes
      Then readers of orders see nothing

    @needs:short-retention
    Scenario: [3] A committed message in a segment that nobody has loaded
      Given A has written "a1" to orders
      And orders has been unloaded
      And A has been asked to commit
      When the retention of A passes
      Then readers of orders see "a1"

    @needs:short-retention @needs:metadata-store
    Scenario Outline: [4] The header, for as long as somebody has not followed
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

    @needs:short-retention @needs:metadata-store @needs:crash-points
    Scenario Outline: [5] A crash in the middle of the collection
      Given A has written "a1" to orders
      And A has <ended>
      And the system will crash during-collection
      And the retention of A has passed
      When the system comes back
      Then the store soon has no header of A
      And readers of orders see <seen>

      Examples:
        | ended     | seen    |
        | committed | "a1"    |
        | aborted   | nothing |

  @PIP471-40 @MUST
  Rule: What is deleted leaves no entry in an index.
    An entry without a record sends the sweep to what is not there, again and again.

    @needs:short-retention @needs:metadata-indexes
    Scenario Outline: [1] An end behind its retention
      Given A has written "a1" to orders
      And A has <ended>
      When the retention of A passes
      Then the store soon has no header of A
      And no index has anything of A

      Examples:
        | ended     |
        | committed |
        | aborted   |

    @needs:short-retention @needs:metadata-indexes @needs:crash
    Scenario: [2] A transaction that another broker has ended
      Given A has committed
      And the system has crashed and come back
      When the retention of A passes
      Then no index has anything of A
