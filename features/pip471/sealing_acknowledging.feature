Feature: Acknowledgements on sealed segments
  Consumers read a sealed segment until it is drained. A transaction acknowledges there as on an active segment.

  Background:
    Given the scalable topic "events" of segment "root"
    And root has been split into left and right
    And transactions A and B

  @PIP471-53 @MUST @commits @aborts @sealing
  Rule: A transaction's acknowledgement on a sealed segment follows the transaction's outcome.
    A sealed segment is read until it is drained; the work of its consumers would be lost or repeated.

    Background:
      Given "i1" has been written to left
      And "i2" has been written to left
      And the consumer of shared subscription "workers" has received "i1", "i2" from left

    Scenario: [1] A commit of an acknowledgement from before the split
      Given A has acknowledged "i1" for "workers"
      And left has been split into low and high
      When A commits
      Then subscription "workers" has "i2" left

    Scenario: [2] An abort of an acknowledgement from before the split
      Given A has acknowledged "i1" for "workers"
      And left has been split into low and high
      When A aborts
      Then subscription "workers" has "i1", "i2" left

    Scenario: [3] A commit of an acknowledgement from after the split
      Given left has been split into low and high
      And A has acknowledged "i1" for "workers"
      When A commits
      Then subscription "workers" has "i2" left

    Scenario: [4] An abort of an acknowledgement from after the split
      Given left has been split into low and high
      And A has acknowledged "i1" for "workers"
      When A aborts
      Then subscription "workers" has "i1", "i2" left

    Scenario: [5] A commit of acknowledgements from before and after the split
      Given A has acknowledged "i2" for "workers"
      And left has been split into low and high
      And A has acknowledged "i1" for "workers"
      When A commits
      Then subscription "workers" has nothing left

    Scenario: [6] A commit of a cumulative acknowledgement on a sealed segment
      Given the consumer of exclusive subscription "auditors" has received "i1", "i2" from left
      And A has acknowledged everything up to "i1" for "auditors"
      And left has been split into low and high
      When A commits
      Then subscription "auditors" has "i2" left

    Scenario: [7] An abort of a cumulative acknowledgement on a sealed segment
      Given the consumer of exclusive subscription "auditors" has received "i1", "i2" from left
      And left has been split into low and high
      And A has acknowledged everything up to "i2" for "auditors"
      When A aborts
      Then subscription "auditors" has "i1", "i2" left

    @needs:batch-index-acknowledgement
    Scenario: [8] A commit of an acknowledgement of one message of a batch on a sealed segment
      Given a batch of "b1", "b2" has been written to right
      And the consumer of shared subscription "packers" has received "b1", "b2" from right
      And A has acknowledged "b1" for "packers"
      And right has been split into low and high
      When A commits
      Then subscription "packers" has "b2" left

    Scenario: [9] A commit of acknowledgements on both parents of a merge
      Given "i3" has been written to right
      And the consumer of shared subscription "packers" has received "i3" from right
      And A has acknowledged "i1" for "workers"
      And A has acknowledged "i3" for "packers"
      And left and right have been merged into whole
      When A commits
      Then subscription "packers" has nothing left

    Scenario: [10] A commit and an abort of two transactions on one subscription of a sealed segment
      Given A has acknowledged "i1" for "workers"
      And B has acknowledged "i2" for "workers"
      And left has been split into low and high
      And B has aborted
      When A commits
      Then subscription "workers" has "i2" left

    Scenario: [11] Another transaction acknowledges a message that is pending on a sealed segment
      Given A has acknowledged "i1" for "workers"
      And left has been split into low and high
      When B acknowledges "i1" for "workers"
      Then it is refused with TransactionConflict

    Scenario: [12] Another consumer does not receive a message that is pending on a sealed segment
      Given A has acknowledged "i1" for "workers"
      And left has been split into low and high
      When another consumer takes over "workers"
      Then the consumer of "workers" receives "i2" and nothing else

    Scenario: [13] A timeout of a transaction with an acknowledgement on a sealed segment
      Given transaction C with a moderate timeout
      And C has acknowledged "i1" for "workers"
      And left has been split into low and high
      When C is left open past its timeout
      Then subscription "workers" has "i1", "i2" left

    Scenario: [14] A commit of input from the parent and output to a child
      Given left has been split into low and high
      And A has acknowledged "i1" for "workers"
      And A has written "o1" to low
      When A commits
      Then subscription "workers" has "i2" left
      And readers of low see "o1"

    Scenario: [15] An abort of input from the parent and output to a child
      Given A has acknowledged "i1" for "workers"
      And left has been split into low and high
      And A has written "o1" to low
      When A aborts
      Then subscription "workers" has "i1", "i2" left
      And readers of low see nothing

    Scenario: [16] A commit of an acknowledgement after a split and a reload of the sealed segment
      Given A has acknowledged "i1" for "workers"
      And left has been split into low and high
      And left has been unloaded
      When A commits
      Then subscription "workers" has "i2" left

    Scenario: [17] A reload of the sealed segment after a split and a commit of an acknowledgement
      Given A has acknowledged "i1" for "workers"
      And left has been split into low and high
      And A has committed
      And left has been unloaded
      When B acknowledges "i2" for "workers"
      Then subscription "workers" has nothing left

    Scenario: [18] An acknowledgement of a message that was committed after the split
      Given B has written "b1" to right
      And right has been split into low and high
      And B has committed
      And the consumer of shared subscription "packers" has received "b1" from right
      And A has acknowledged "b1" for "packers"
      When A commits
      Then subscription "packers" has nothing left

    Scenario: [19] A consumer receives no end-of-topic notification while an acknowledgement is pending
      Given "i2" has been acknowledged for "workers" without a transaction
      And A has acknowledged "i1" for "workers"
      When left is split into low and high
      Then the consumer of "workers" is not notified of the end of left before "i1", which A aborts now

    @needs:store-faults
    Scenario: [20] An acknowledged message whose own transaction is not yet applied after a reload
      Given A has committed "a1" to right, and the store lacks the note of it
      And the consumer of shared subscription "packers" has received "a1" from right
      And B has acknowledged "a1" for "packers"
      And right has been split into low and high
      And right has been unloaded, and will be loaded without a look at the end of A
      When B commits
      Then the next consumer of "packers" is notified of the end of right

    Scenario: [21] A consumer is notified of the end after its last acknowledgements are committed
      Given A has acknowledged "i1" for "workers"
      And left has been split into low and high
      And A has acknowledged "i2" for "workers"
      When A commits
      Then the consumer of "workers" learns that there is no more

    Scenario Outline: [22] An abort of acknowledgements on both parents of a merge
      Given "i3" has been written to right
      And the consumer of shared subscription "packers" has received "i3" from right
      And A has acknowledged "i1" for "workers"
      And A has acknowledged "i3" for "packers"
      And left and right have been merged into whole
      When A aborts
      Then subscription <subscription> has <left> left

      Examples:
        | subscription | left       | why                                 |
        | "workers"    | "i1", "i2" | the parent with the lower hashes    |
        | "packers"    | "i3"       | the parent with the higher hashes   |

    Scenario Outline: [23] A consumer is notified of the end of a parent of a merge after a commit on both
      Given "i3" has been written to right
      And the consumer of shared subscription "packers" has received "i3" from right
      And A has acknowledged "i1", "i2" for "workers"
      And A has acknowledged "i3" for "packers"
      And left and right have been merged into whole
      When A commits
      Then the consumer of <subscription> learns that there is no more

      Examples:
        | subscription | why                                 |
        | "workers"    | the parent with the lower hashes    |
        | "packers"    | the parent with the higher hashes   |

    Scenario: [24] A second consumer joins a sealed segment while an acknowledgement is pending there
      Given A has acknowledged "i1" for "workers"
      And left has been split into low and high
      And the consumer of shared subscription "others" has received nothing from left, by the name of "workers"
      When the consumer of "workers" leaves
      Then the consumer of "others" receives "i2" and nothing else
