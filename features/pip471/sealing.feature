Feature: Segments that are sealed under a transaction
  A split or a merge seals its parents in the middle of whatever transactions are open in them. They take no entry any more, and a
  transaction ends in them all the same: its outcome is in the store, and not in a marker.

  Background:
    Given the scalable topic "events" of segment "root"
    And root has been split into left and right
    And transactions A and B

  @PIP471-49 @MUST @commits @sealing
  Rule: A commit of a transaction that wrote to a segment which was split meanwhile is answered at once, and all is visible.
    A coordinator that has to write a marker into a segment which takes none stalls every client that has something there.

    Scenario: [1] A split before the commit
      Given A has written "a1" to left
      And left has been split into low and high
      When A commits
      Then it is done
      And readers of left see "a1"

    Scenario: [2] The commit waits for nothing
      Given A has written "a1" to left
      And left has been split into low and high
      When A commits, and a later transaction behind it
      Then it is done
      And readers of left see "a1"

    Scenario: [3] Several messages, among those of others
      Given A has written "a1" to left
      And "p1" has been written to left
      And A has written "a2", "a3" to left
      And left has been split into low and high
      When A commits
      Then readers of left see "a1", "p1", "a2", "a3"

    Scenario: [4] A batch
      Given A has written a batch of "a1", "a2" to left
      And left has been split into low and high
      When A commits
      Then readers of left see "a1", "a2"

    Scenario: [5] The child was split as well
      Given A has written "a1" to left
      And left has been split into low and high
      And low has been split into lowest and lower
      When A commits
      Then readers of left see "a1"

    Scenario: [6] A consumer that was there before
      Given the consumer of shared subscription "workers" has received nothing from left
      And A has written "a1", "a2" to left
      And left has been split into low and high
      When A commits
      Then the consumer of "workers" receives "a1", "a2" and nothing else

    Scenario: [7] A consumer that was given a part before the split
      Given "p1" has been written to left
      And the consumer of shared subscription "workers" has received "p1" from left
      And A has written "a1" to left
      And left has been split into low and high
      When A commits
      Then the consumer of "workers" receives "a1" and nothing else

    Scenario: [8] A split behind the commit
      Given A has written "a1" to left
      And A has been asked to commit
      When left is split into low and high
      Then readers of left see "a1"

    Scenario: [9] The older of two open transactions
      Given A has written "a1" to left
      And B has written "b1" to left
      And left has been split into low and high
      When A commits
      Then readers of left see "a1"

    Scenario: [10] The younger of two open transactions
      Given A has written "a1" to left
      And B has written "b1" to left
      And left has been split into low and high
      When B commits
      Then readers of left see nothing

    Scenario: [11] One commits behind the split and the other aborts
      Given A has written "a1" to left
      And B has written "b1" to left
      And left has been split into low and high
      And B has aborted
      When A commits
      Then readers of left see "a1"

    Scenario: [12] The sealed segment is loaded again before the commit
      Given A has written "a1" to left
      And left has been split into low and high
      And left has been unloaded
      When A commits
      Then readers of left see "a1"

    Scenario: [13] It is loaded again behind the commit
      Given A has written "a1" to left
      And left has been split into low and high
      And A has committed
      And left has been unloaded
      When B commits "b1" to low
      Then readers of left see "a1"

    @needs:crash
    Scenario: [14] A crash of the system between the split and the commit
      Given A has written "a1" to left
      And left has been split into low and high
      And the system has crashed and come back
      When A commits
      Then readers of left see "a1"

    Scenario: [15] The commit is asked for again
      Given A has written "a1" to left
      And left has been split into low and high
      And A has committed
      When A commits
      Then it is done
      And readers of left see "a1"

    Scenario: [16] Both segments that it has written to were split
      Given A has written "a1" to left
      And A has written "a2" to right
      And left has been split into low and high
      And right has been split into lower and higher
      When A commits
      Then readers of left see "a1"
      And readers of right see "a2"

    Scenario: [17] The segment was terminated, and the layout does not know it
      Given A has written "a1" to left
      And left has been terminated
      When A commits
      Then it is done
      And readers of left see "a1"

    Scenario: [18] A consumer that was there is not sent away before an open transaction
      Given the consumer of shared subscription "workers" has received nothing from left
      And A has written "a1" to left
      When left is split into low and high
      Then the consumer of "workers" is not told the end of left before "a1", which A commits now

  @PIP471-50 @MUST @aborts @sealing
  Rule: An abort of a transaction that wrote to a segment which was split meanwhile hides all of it.
    What was withdrawn would be acted on, only since its segment has stopped to take messages.

    Scenario: [1] A split before the abort
      Given A has written "a1" to left
      And left has been split into low and high
      When A aborts
      Then it is done
      And readers of left see nothing

    Scenario: [2] What others wrote before, between and behind its messages
      Given B has written "b1" to left
      And A has written "a1" to left
      And "p1" has been written to left
      And left has been split into low and high
      And A has aborted
      When B commits
      Then readers of left see "b1", "p1"

    Scenario: [3] An abort before a consumer that was there
      Given the consumer of shared subscription "workers" has received nothing from left
      And A has written "a1" to left
      And "p1" has been written to left
      And left has been split into low and high
      When A aborts
      Then the consumer of "workers" receives "p1" and nothing else

    Scenario: [4] An abort when the child was split as well
      Given A has written "a1" to left
      And "p1" has been written to left
      And left has been split into low and high
      And low has been split into lowest and lower
      When A aborts
      Then readers of left see "p1"

    Scenario: [5] The sealed segment is loaded again behind the abort
      Given A has written "a1" to left
      And "p1" has been written to left
      And left has been split into low and high
      And A has aborted
      And left has been unloaded
      When B commits "b1" to low
      Then readers of left see "p1"

    Scenario: [6] A split behind the abort, and it is loaded again
      Given A has written "a1" to left
      And "p1" has been written to left
      And A has aborted
      And left has been split into low and high
      And left has been unloaded
      When B commits "b1" to low
      Then readers of left see "p1"

    @needs:crash
    Scenario: [7] A crash of the system right behind the abort
      Given A has written "a1" to left
      And "p1" has been written to left
      And left has been split into low and high
      And A has been asked to abort
      When the system crashes and comes back
      Then readers of left see "p1"

    Scenario: [8] A time-out behind a split
      Given transaction C with a moderate time-out
      And C has written "c1" to left
      And "p1" has been written to left
      And left has been split into low and high
      When C is left open past its time-out
      Then readers of left see "p1"

    Scenario: [9] A commit is asked for behind the abort
      Given A has written "a1" to left
      And left has been split into low and high
      And A has aborted
      When A commits
      Then it is refused
      And readers of left see nothing

    Scenario: [10] An abort when the segment was terminated, and the layout does not know it
      Given A has written "a1" to left
      And "p1" has been written to left
      And left has been terminated
      When A aborts
      Then it is done
      And readers of left see "p1"

    Scenario: [11] A consumer that has taken all that is before the aborted messages learns that there is no more
      Given "p1" has been written to left
      And the consumer of shared subscription "workers" has received "p1" from left
      And "p1" has been acknowledged for "workers" without a transaction
      And A has written "a1" to left
      And left has been split into low and high
      When A aborts
      Then the consumer of "workers" is told that there is no more

  @PIP471-51 @MUST @commits @aborts @sealing
  Rule: Both ends hold over a merge.
    A merge seals two segments at once, and a transaction in both of them would be torn apart where one is forgotten.

    Scenario: [1] A commit in both parents
      Given A has written "a1" to left
      And A has written "a2" to right
      And left and right have been merged into whole
      When A commits
      Then it is done
      And readers of left see "a1"
      And readers of right see "a2"

    Scenario: [2] An abort in both parents
      Given A has written "a1" to left
      And A has written "a2" to right
      And left and right have been merged into whole
      When A aborts
      Then it is done
      And readers of left see nothing
      And readers of right see nothing

    Scenario: [3] One commits in one parent and the other aborts in the other
      Given A has written "a1" to left
      And B has written "b1" to right
      And left and right have been merged into whole
      And B has aborted
      When A commits
      Then readers of left see "a1"
      And readers of right see nothing

    Scenario: [4] The parents are loaded again before a commit
      Given A has written "a1" to left
      And A has written "a2" to right
      And left and right have been merged into whole
      And left has been unloaded
      When A commits
      Then readers of left see "a1"
      And readers of right see "a2"

    Scenario: [5] The parents are loaded again behind an abort
      Given A has written "a1" to left
      And "p1" has been written to left
      And left and right have been merged into whole
      And A has aborted
      And left has been unloaded
      When B commits "b1" to whole
      Then readers of left see "p1"

    Scenario: [6] A consumer that was there before, and a commit
      Given the consumer of shared subscription "workers" has received nothing from right
      And A has written "a1" to left
      And A has written "a2" to right
      And left and right have been merged into whole
      When A commits
      Then the consumer of "workers" receives "a2" and nothing else

    Scenario: [7] The halves of a split are merged again, and a commit of what it wrote to all of them
      Given left has been split into low and high
      And A has written "a1" to low
      And A has written "a2" to high
      And low and high have been merged into again
      When A commits
      Then readers of low see "a1"
      And readers of high see "a2"

    Scenario: [8] The child of the merge is split, and an abort
      Given A has written "a1" to left
      And "p1" has been written to left
      And left and right have been merged into whole
      And whole has been split into low and high
      When A aborts
      Then readers of left see "p1"

  @PIP471-52 @MUST @commits @aborts @sealing
  Rule: What a transaction writes behind a split or a merge goes to the children and shares the outcome.
    A client does not choose when a segment is split. If its transaction ended there, or fell apart into two, no client could use one.

    Scenario: [1] A commit over a parent and its children
      Given A has written "a1" to left
      And left has been split into low and high
      And A has written "a2" to low
      When A commits
      Then readers of left see "a1"
      And readers of low see "a2"

    Scenario: [2] An abort over a parent and its children
      Given A has written "a1" to left
      And left has been split into low and high
      And A has written "a2" to low
      And "p1" has been written to low
      When A aborts
      Then readers of left see nothing
      And readers of low see "p1"

    Scenario: [3] In both children
      Given left has been split into low and high
      And A has written "a1" to low
      And A has written "a2" to high
      When A commits
      Then readers of low see "a1"
      And readers of high see "a2"

    Scenario: [4] A commit over the parents and the child of a merge
      Given A has written "a1" to left
      And left and right have been merged into whole
      And A has written "a2" to whole
      When A commits
      Then readers of left see "a1"
      And readers of whole see "a2"

    Scenario: [5] An abort over the parents and the child of a merge
      Given A has written "a1" to right
      And left and right have been merged into whole
      And A has written "a2" to whole
      And "p1" has been written to whole
      When A aborts
      Then readers of right see nothing
      And readers of whole see "p1"

    Scenario: [6] A message that comes too late to the sealed segment
      Given A has written "a1" to left
      And left has been split into low and high
      When A writes "a2" to left
      Then it is refused with TopicTerminatedError

    Scenario: [7] What was refused there is not in the outcome, and the rest is
      Given A has written "a1" to left
      And left has been split into low and high
      And A has tried to write "a2" to left
      When A commits
      Then it is done
      And readers of left see "a1"

    Scenario: [8] The transaction goes on behind the refusal
      Given A has written "a1" to left
      And left has been split into low and high
      And A has tried to write "a2" to left
      And A has written "a2" to low
      When A commits
      Then readers of left see "a1"
      And readers of low see "a2"

    Scenario: [9] It is open in the parent, and holds up none of the children
      Given A has written "a1" to left
      And left has been split into low and high
      When B commits "b1" to low
      Then readers of low see "b1"
      And readers of left see nothing

    Scenario: [10] It is open in one child, and holds up neither the parent nor the other one
      Given "p1" has been written to left
      And left has been split into low and high
      And A has written "a1" to low
      When "p2" is written to high
      Then readers of low see nothing
      And readers of high see "p2"
      And readers of left see "p1"

    Scenario: [11] Two transactions over the split, of which one aborts
      Given A has written "a1" to left
      And left has been split into low and high
      And B has written "b1" to low
      And A has written "a2" to low
      And B has aborted
      When A commits
      Then readers of low see "a2"

    Scenario: [12] A split within the split
      Given A has written "a1" to left
      And left has been split into low and high
      And A has written "a2" to low
      And low has been split into lowest and lower
      And A has written "a3" to lowest
      When A commits
      Then readers of lowest see "a3"

    Scenario: [13] All segments are loaded again between the split and the commit
      Given A has written "a1" to left
      And left has been split into low and high
      And A has written "a2" to low
      And left has been unloaded
      When A commits
      Then readers of left see "a1"
      And readers of low see "a2"

    Scenario: [14] It may write to a child
      Given A has written "a1" to left
      And left has been split into low and high
      When A writes "a2" to low
      Then it is done

  @PIP471-53 @MUST @commits @aborts @sealing
  Rule: An acknowledgement in a transaction on a sealed segment follows the end.
    A sealed segment is read until it is drained. What its readers have done would be lost, or be done twice.

    Background:
      Given "i1" has been written to left
      And "i2" has been written to left
      And the consumer of shared subscription "workers" has received "i1", "i2" from left

    Scenario: [1] Acknowledged before the split, and a commit
      Given A has acknowledged "i1" for "workers"
      And left has been split into low and high
      When A commits
      Then subscription "workers" has "i2" left

    Scenario: [2] Acknowledged before the split, and an abort
      Given A has acknowledged "i1" for "workers"
      And left has been split into low and high
      When A aborts
      Then subscription "workers" has "i1", "i2" left

    Scenario: [3] Acknowledged behind the split, and a commit
      Given left has been split into low and high
      And A has acknowledged "i1" for "workers"
      When A commits
      Then subscription "workers" has "i2" left

    Scenario: [4] Acknowledged behind the split, and an abort
      Given left has been split into low and high
      And A has acknowledged "i1" for "workers"
      When A aborts
      Then subscription "workers" has "i1", "i2" left

    Scenario: [5] Before and behind the split
      Given A has acknowledged "i2" for "workers"
      And left has been split into low and high
      And A has acknowledged "i1" for "workers"
      When A commits
      Then subscription "workers" has nothing left

    Scenario: [6] Everything up to a message, and a commit
      Given the consumer of exclusive subscription "auditors" has received "i1", "i2" from left
      And A has acknowledged everything up to "i1" for "auditors"
      And left has been split into low and high
      When A commits
      Then subscription "auditors" has "i2" left

    Scenario: [7] Everything up to a message, and an abort
      Given the consumer of exclusive subscription "auditors" has received "i1", "i2" from left
      And left has been split into low and high
      And A has acknowledged everything up to "i2" for "auditors"
      When A aborts
      Then subscription "auditors" has "i1", "i2" left

    @needs:batch-index-acknowledgement
    Scenario: [8] A message of a batch
      Given a batch of "b1", "b2" has been written to right
      And the consumer of shared subscription "packers" has received "b1", "b2" from right
      And A has acknowledged "b1" for "packers"
      And right has been split into low and high
      When A commits
      Then subscription "packers" has "b2" left

    Scenario: [9] On both parents of a merge, and a commit
      Given "i3" has been written to right
      And the consumer of shared subscription "packers" has received "i3" from right
      And A has acknowledged "i1" for "workers"
      And A has acknowledged "i3" for "packers"
      And left and right have been merged into whole
      When A commits
      Then subscription "packers" has nothing left

    Scenario: [10] Two transactions on one subscription, of which one aborts
      Given A has acknowledged "i1" for "workers"
      And B has acknowledged "i2" for "workers"
      And left has been split into low and high
      And B has aborted
      When A commits
      Then subscription "workers" has "i2" left

    Scenario: [11] What is pending is another transaction's conflict
      Given A has acknowledged "i1" for "workers"
      And left has been split into low and high
      When B acknowledges "i1" for "workers"
      Then it is refused with TransactionConflict

    Scenario: [12] What is pending is given to no other consumer
      Given A has acknowledged "i1" for "workers"
      And left has been split into low and high
      When another consumer takes over "workers"
      Then the consumer of "workers" receives "i2" and nothing else

    Scenario: [13] A time-out of what was acknowledged
      Given transaction C with a moderate time-out
      And C has acknowledged "i1" for "workers"
      And left has been split into low and high
      When C is left open past its time-out
      Then subscription "workers" has "i1", "i2" left

    Scenario: [14] Input from the parent and output to a child, and a commit
      Given left has been split into low and high
      And A has acknowledged "i1" for "workers"
      And A has written "o1" to low
      When A commits
      Then subscription "workers" has "i2" left
      And readers of low see "o1"

    Scenario: [15] Input from the parent and output to a child, and an abort
      Given A has acknowledged "i1" for "workers"
      And left has been split into low and high
      And A has written "o1" to low
      When A aborts
      Then subscription "workers" has "i1", "i2" left
      And readers of low see nothing

    Scenario: [16] The subscription of the sealed segment is loaded again before the commit
      Given A has acknowledged "i1" for "workers"
      And left has been split into low and high
      And left has been unloaded
      When A commits
      Then subscription "workers" has "i2" left

    Scenario: [17] The subscription is loaded again behind the commit
      Given A has acknowledged "i1" for "workers"
      And left has been split into low and high
      And A has committed
      And left has been unloaded
      When B acknowledges "i2" for "workers"
      Then subscription "workers" has nothing left

    Scenario: [18] Messages of a transaction that committed behind the split
      Given B has written "b1" to right
      And right has been split into low and high
      And B has committed
      And the consumer of shared subscription "packers" has received "b1" from right
      And A has acknowledged "b1" for "packers"
      When A commits
      Then subscription "packers" has nothing left

    Scenario: [19] A consumer is not sent away before what is pending is decided
      Given "i2" has been acknowledged for "workers" without a transaction
      And A has acknowledged "i1" for "workers"
      When left is split into low and high
      Then the consumer of "workers" is not told the end of left before "i1", which A aborts now

    @needs:store-faults
    Scenario: [20] A single message, and an earlier end is not followed there yet
      Given A has committed "a1" to right, and the store lacks the note of it
      And the consumer of shared subscription "packers" has received "a1" from right
      And B has acknowledged "a1" for "packers"
      And right has been split into low and high
      And right has been unloaded, and will be loaded without a look at the end of A
      When B commits
      Then the next consumer of "packers" is told the end of right

    Scenario: [21] A consumer whose last messages are acknowledged in a transaction learns of the end behind its commit
      Given A has acknowledged "i1" for "workers"
      And left has been split into low and high
      And A has acknowledged "i2" for "workers"
      When A commits
      Then the consumer of "workers" is told that there is no more

  @PIP471-54 @MUST @sealing
  Rule: An end writes nothing into a sealed segment.
    A ledger that is closed takes nothing. Whoever must write there to end a transaction can never end it.

    @needs:entry-counts
    Scenario: [1] A commit
      Given A has written "a1", "a2" to left
      And left has been split into low and high
      When A commits
      Then readers of left see "a1", "a2"
      And the length of left is 2

    @needs:entry-counts
    Scenario: [2] An abort
      Given A has written "a1" to left
      And "p1" has been written to left
      And left has been split into low and high
      When A aborts
      Then readers of left see "p1"
      And the length of left is 2

    @needs:entry-counts
    Scenario: [3] A commit in both parents of a merge
      Given A has written "a1" to left
      And A has written "a2" to right
      And left and right have been merged into whole
      When A commits
      Then readers of right see "a2"
      And the length of left is 1
      And the length of right is 1

    @needs:entry-counts
    Scenario: [4] A commit of acknowledgements
      Given "i1" has been written to left
      And the consumer of shared subscription "workers" has received "i1" from left
      And A has acknowledged "i1" for "workers"
      And left has been split into low and high
      When A commits
      Then subscription "workers" has nothing left
      And the length of left is 1

    @needs:entry-counts
    Scenario: [5] A time-out, and nothing is written
      Given transaction C with a moderate time-out
      And C has written "c1" to left
      And "p1" has been written to left
      And left has been split into low and high
      When C is left open past its time-out
      Then readers of left see "p1"
      And the length of left is 2

    @needs:entry-counts
    Scenario: [6] It is loaded again, and then the transaction ends
      Given A has written "a1" to left
      And left has been split into low and high
      And left has been unloaded
      When A commits
      Then readers of left see "a1"
      And the length of left is 1

    @needs:entry-counts
    Scenario: [7] A message that was refused
      Given A has written "a1" to left
      And left has been split into low and high
      And A has tried to write "a2" to left
      When A commits
      Then it is done
      And the length of left is 1
