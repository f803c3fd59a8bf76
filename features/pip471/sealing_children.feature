Feature: Children of a segment that an open transaction has used
  A split or a merge gives a segment's keys to its children while transactions are open. A transaction that goes on writes to the children,
  and its end decides about everything that it has written, wherever that stands.

  Background:
    Given the scalable topic "events" of segment "root"
    And root has been split into left and right
    And transactions A and B

  @PIP471-51 @MUST @commits @aborts @sealing
  Rule: A commit or an abort applies to all messages of a transaction, also in segments that were merged since.
    A merge seals two segments at once, and a transaction in both is torn apart if one of them is omitted.

    Scenario: [1] A commit in both parents of a merge
      Given A has written "a1" to left
      And A has written "a2" to right
      And left and right have been merged into whole
      When A commits
      Then it is done
      And readers of left see "a1"
      And readers of right see "a2"

    Scenario: [2] An abort in both parents of a merge
      Given A has written "a1" to left
      And A has written "a2" to right
      And left and right have been merged into whole
      When A aborts
      Then it is done
      And readers of left see nothing
      And readers of right see nothing

    Scenario: [3] A commit in one parent of a merge and an abort of another transaction in the other
      Given A has written "a1" to left
      And B has written "b1" to right
      And left and right have been merged into whole
      And B has aborted
      When A commits
      Then readers of left see "a1"
      And readers of right see nothing

    Scenario: [4] A commit after a merge and a reload of a parent
      Given A has written "a1" to left
      And A has written "a2" to right
      And left and right have been merged into whole
      And left has been unloaded
      When A commits
      Then readers of left see "a1"
      And readers of right see "a2"

    Scenario: [5] A reload of a parent after a merge and an abort
      Given A has written "a1" to left
      And "p1" has been written to left
      And left and right have been merged into whole
      And A has aborted
      And left has been unloaded
      When B commits "b1" to whole
      Then readers of left see "p1"

    Scenario: [6] A commit after a merge reaches a connected consumer
      Given the consumer of shared subscription "workers" has received nothing from right
      And A has written "a1" to left
      And A has written "a2" to right
      And left and right have been merged into whole
      When A commits
      Then the consumer of "workers" receives "a2" and nothing else

    Scenario: [7] A commit after the halves of a split were merged again
      Given left has been split into low and high
      And A has written "a1" to low
      And A has written "a2" to high
      And low and high have been merged into again
      When A commits
      Then readers of low see "a1"
      And readers of high see "a2"

    Scenario: [8] An abort after a merge and a split of its child
      Given A has written "a1" to left
      And "p1" has been written to left
      And left and right have been merged into whole
      And whole has been split into low and high
      When A aborts
      Then readers of left see "p1"

  @PIP471-52 @MUST @commits @aborts @sealing
  Rule: After a split or a merge an open transaction writes to the children, and these messages share its outcome.
    A client cannot choose when a segment is split. If that ended its transaction or tore it apart, transactions would be of no use.

    Scenario: [1] A commit covers a parent and its child after a split
      Given A has written "a1" to left
      And left has been split into low and high
      And A has written "a2" to low
      When A commits
      Then readers of left see "a1"
      And readers of low see "a2"

    Scenario: [2] An abort covers a parent and its child after a split
      Given A has written "a1" to left
      And left has been split into low and high
      And A has written "a2" to low
      And "p1" has been written to low
      When A aborts
      Then readers of left see nothing
      And readers of low see "p1"

    Scenario: [3] A commit covers both children of a split
      Given left has been split into low and high
      And A has written "a1" to low
      And A has written "a2" to high
      When A commits
      Then readers of low see "a1"
      And readers of high see "a2"

    Scenario: [4] A commit covers a parent and the child of a merge
      Given A has written "a1" to left
      And left and right have been merged into whole
      And A has written "a2" to whole
      When A commits
      Then readers of left see "a1"
      And readers of whole see "a2"

    Scenario: [5] An abort covers a parent and the child of a merge
      Given A has written "a1" to right
      And left and right have been merged into whole
      And A has written "a2" to whole
      And "p1" has been written to whole
      When A aborts
      Then readers of right see nothing
      And readers of whole see "p1"

    Scenario: [6] A transaction writes to a sealed segment
      Given A has written "a1" to left
      And left has been split into low and high
      When A writes "a2" to left
      Then it is refused with TopicTerminatedError

    Scenario: [7] A commit succeeds after a message to a sealed segment was refused
      Given A has written "a1" to left
      And left has been split into low and high
      And A has tried to write "a2" to left
      When A commits
      Then it is done
      And readers of left see "a1"

    Scenario: [8] A transaction continues at a child after a message to the parent was refused
      Given A has written "a1" to left
      And left has been split into low and high
      And A has tried to write "a2" to left
      And A has written "a2" to low
      When A commits
      Then readers of left see "a1"
      And readers of low see "a2"

    Scenario: [9] A transaction that is open in the parent blocks no reader of a child
      Given A has written "a1" to left
      And left has been split into low and high
      When B commits "b1" to low
      Then readers of low see "b1"
      And readers of left see nothing

    Scenario: [10] A transaction that is open in one child blocks no reader of the parent or the other child
      Given "p1" has been written to left
      And left has been split into low and high
      And A has written "a1" to low
      When "p2" is written to high
      Then readers of low see nothing
      And readers of high see "p2"
      And readers of left see "p1"

    Scenario: [11] One of two transactions that write after a split aborts
      Given A has written "a1" to left
      And left has been split into low and high
      And B has written "b1" to low
      And A has written "a2" to low
      And B has aborted
      When A commits
      Then readers of low see "a2"

    Scenario: [12] A commit covers the child of a child
      Given A has written "a1" to left
      And left has been split into low and high
      And A has written "a2" to low
      And low has been split into lowest and lower
      And A has written "a3" to lowest
      When A commits
      Then readers of lowest see "a3"

    Scenario: [13] A commit covers parent and child after a reload of the parent
      Given A has written "a1" to left
      And left has been split into low and high
      And A has written "a2" to low
      And left has been unloaded
      When A commits
      Then readers of left see "a1"
      And readers of low see "a2"

    Scenario: [14] A transaction writes to a child
      Given A has written "a1" to left
      And left has been split into low and high
      When A writes "a2" to low
      Then it is done
