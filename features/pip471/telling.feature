Feature: How participants learn of an end
  The store tells, and the header counts. What is told can be lost, late or doubled, and a write can fail.

  Background:
    Given the topic "orders"
    And transactions A and B

  @PIP471-13 @MUST
  Rule: A message whose operation record could not be written is refused, and never seen.
    A receipt for a message that nobody will decide is a promise that nobody keeps.

    @needs:store-faults
    Scenario Outline: [1] The write of the record is not answered
      Given the store does not answer the next write of an operation record, <failure>
      When A writes "a1" to orders
      Then it is refused

      Examples:
        | failure               |
        | and does not write it |
        | and has written it    |

    @needs:store-faults
    Scenario Outline: [2] The transaction commits what was receipted
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
    Scenario Outline: [3] The producer sends the refused message again
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

  @PIP471-22 @MUST @commits
  Rule: A commit is answered without waiting for those who took part.
    A participant that is slow or gone would stop every client whose transactions it is in.

    Scenario: [1] Nobody has the segment loaded
      Given A has written "a1" to orders
      And orders has been unloaded
      When A commits, and a later transaction behind it
      Then it is done

  @PIP471-62 @SHOULD
  Rule: An event that is lost or late does not keep a participant from the outcome for ever.
    Readers would wait for an end that came long ago.

    @needs:store-faults
    Scenario Outline: [1] A commit of a message
      Given A has written "a1" to orders
      And the next event of an end is <trouble>
      When A commits
      Then it is done
      And readers of orders see "a1"

      Examples:
        | trouble    |
        | lost       |
        | late       |
        | told twice |

    @needs:store-faults @needs:metadata-store
    Scenario: [2] A commit of an acknowledgement
      Given the topic "inputs" with "i1", "i2"
      And the consumer of shared subscription "workers" has received "i1", "i2" from inputs
      And A has acknowledged "i1" for "workers"
      And the next event of an end is lost
      When A commits
      Then the store soon has no operation records of A
      And subscription "workers" has "i2" left

    @needs:store-faults @needs:metadata-store
    Scenario: [3] An abort of an acknowledgement
      Given the topic "inputs" with "i1", "i2"
      And the consumer of shared subscription "workers" has received "i1", "i2" from inputs
      And A has acknowledged "i1" for "workers"
      And the next event of an end is lost
      When A aborts
      Then the store soon has no operation records of A
      And subscription "workers" has "i1", "i2" left

    @needs:store-faults @needs:short-retention
    Scenario Outline: [4] The store fails when an abort is noted, and all of it is over when the segment is loaded again
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
    Scenario: [5] A commit of a message, beside an older transaction that is open
      Given B has written "b1" to orders
      And A has written "a1" to orders
      And the next event of an end is late
      When B commits
      Then readers of orders see "b1"

    @needs:store-faults @needs:metadata-store
    Scenario: [6] A commit of an acknowledgement, beside an older transaction that is open
      Given the topic "inputs" with "i1", "i2"
      And the consumer of shared subscription "workers" has received "i1", "i2" from inputs
      And A has acknowledged "i1" for "workers"
      And B has acknowledged "i2" for "workers"
      And the next event of an end is late
      When B commits
      Then the store soon has no operation records of B

    @needs:store-faults
    Scenario Outline: [7] The store fails when an event is written, and the client asks again
      Given A has written "a1" to orders
      And the store does not answer the next event of an end, <failure>
      When A commits
      Then it is done
      And readers of orders see "a1"

      Examples:
        | failure               |
        | and does not write it |
        | and has written it    |

  @PIP471-66 @MUST
  Rule: A store without sequence keys and indexes keeps all the laws.
    What the store does not do its clients do, and a crash in the middle of that must lose nothing.

    @needs:plain-store
    Scenario: [1] A commit and an abort on such a store
      Given B has written "b1" to orders
      And A has written "a1" to orders
      And B has aborted
      When A commits
      Then readers of orders see "a1"

    @needs:plain-store
    Scenario: [2] An acknowledgement on such a store
      Given the topic "inputs" with "i1", "i2"
      And the consumer of shared subscription "workers" has received "i1", "i2" from inputs
      And A has acknowledged "i1" for "workers"
      When A commits
      Then subscription "workers" has "i2" left

    @needs:plain-store
    Scenario: [3] Many messages under way on such a store
      Given A has 20 messages under way to orders
      When A commits
      Then readers of orders see exactly what of A was receipted

    @needs:plain-store @needs:short-retention
    Scenario: [4] The collection on such a store
      Given A has committed "a1" to orders
      And the retention of A has passed
      When A commits
      Then it is refused

    @needs:plain-store
    Scenario: [5] A time-out on such a store
      Given transaction C with a short time-out
      And C has written "c1" to orders
      When C is left open past its time-out
      Then readers of orders see nothing

    @needs:plain-store
    Scenario: [6] Two open transactions in a segment that is loaded again on such a store
      Given A has written "a1" to orders
      And B has written "b1" to orders
      And orders has been unloaded
      And A has aborted
      When B commits
      Then readers of orders see "b1"

    @needs:plain-store @needs:store-faults
    Scenario: [7] An abort comes to a coordinator on such a store that has looked at the header before the commit
      Given A has written "a1" to orders
      And orders has been unloaded
      And A has been asked to commit
      And the next look at a header sees it as it was before its last change
      And A has tried to abort
      When "p1" is written to orders
      Then readers of orders see "a1", "p1"

    @needs:plain-store @needs:store-faults @needs:short-retention
    Scenario: [8] The store fails at an index when a commit is asked for
      Given A has written "a1" to orders
      And the store does not answer the next write for an index, and does not write it
      And A has tried to commit
      And A has committed
      And the retention of A has passed
      When A commits
      Then it is refused

    @needs:plain-store
    Scenario: [9] One more message behind very many of its transaction on such a store
      Given A has 120 messages under way to orders
      When A writes "a1" to orders
      Then it is done
