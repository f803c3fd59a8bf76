Feature: Segments that are sealed during a transaction
  A split or a merge seals its parents while transactions are open in them. The parents accept no further entry, and a transaction still
  ends there: its outcome is in the store, and not in a marker.

  Background:
    Given the scalable topic "events" of segment "root"
    And root has been split into left and right
    And transactions A and B

  @PIP471-49 @MUST @commits @sealing
  Rule: A commit is answered at once even if a segment of the transaction was split since, and all its messages become visible.
    A coordinator that has to write a marker into a sealed segment stalls every client with a transaction there.

    Scenario: [1] A commit after a split
      Given A has written "a1" to left
      And left has been split into low and high
      When A commits
      Then it is done
      And readers of left see "a1"

    Scenario: [2] A commit after a split does not delay a later transaction
      Given A has written "a1" to left
      And left has been split into low and high
      When A commits, and a later transaction behind it
      Then it is done
      And readers of left see "a1"

    Scenario: [3] A commit after a split of several messages between those of others
      Given A has written "a1" to left
      And "p1" has been written to left
      And A has written "a2", "a3" to left
      And left has been split into low and high
      When A commits
      Then readers of left see "a1", "p1", "a2", "a3"

    Scenario: [4] A commit after a split of a batch
      Given A has written a batch of "a1", "a2" to left
      And left has been split into low and high
      When A commits
      Then readers of left see "a1", "a2"

    Scenario: [5] A commit after a split of the segment and of its child
      Given A has written "a1" to left
      And left has been split into low and high
      And low has been split into lowest and lower
      When A commits
      Then readers of left see "a1"

    Scenario: [6] A commit after a split reaches a connected consumer
      Given the consumer of shared subscription "workers" has received nothing from left
      And A has written "a1", "a2" to left
      And left has been split into low and high
      When A commits
      Then the consumer of "workers" receives "a1", "a2" and nothing else

    Scenario: [7] A commit after a split reaches a consumer that had received an earlier message
      Given "p1" has been written to left
      And the consumer of shared subscription "workers" has received "p1" from left
      And A has written "a1" to left
      And left has been split into low and high
      When A commits
      Then the consumer of "workers" receives "a1" and nothing else

    Scenario: [8] A split after the commit
      Given A has written "a1" to left
      And A has been asked to commit
      When left is split into low and high
      Then readers of left see "a1"

    Scenario: [9] A commit after a split of the older of two open transactions
      Given A has written "a1" to left
      And B has written "b1" to left
      And left has been split into low and high
      When A commits
      Then readers of left see "a1"

    Scenario: [10] A commit after a split of the younger of two open transactions
      Given A has written "a1" to left
      And B has written "b1" to left
      And left has been split into low and high
      When B commits
      Then readers of left see nothing

    Scenario: [11] A commit after a split and after the abort of another transaction
      Given A has written "a1" to left
      And B has written "b1" to left
      And left has been split into low and high
      And B has aborted
      When A commits
      Then readers of left see "a1"

    Scenario: [12] A commit after a split and a reload of the sealed segment
      Given A has written "a1" to left
      And left has been split into low and high
      And left has been unloaded
      When A commits
      Then readers of left see "a1"

    Scenario: [13] A reload of the sealed segment after a split and a commit
      Given A has written "a1" to left
      And left has been split into low and high
      And A has committed
      And left has been unloaded
      When B commits "b1" to low
      Then readers of left see "a1"

    @needs:crash
    Scenario: [14] A commit after a split and a crash
      Given A has written "a1" to left
      And left has been split into low and high
      And the system has crashed and restarted
      When A commits
      Then readers of left see "a1"

    Scenario: [15] A repeated commit after a split
      Given A has written "a1" to left
      And left has been split into low and high
      And A has committed
      When A commits
      Then it is done
      And readers of left see "a1"

    Scenario: [16] A commit after splits of both segments of the transaction
      Given A has written "a1" to left
      And A has written "a2" to right
      And left has been split into low and high
      And right has been split into lower and higher
      When A commits
      Then readers of left see "a1"
      And readers of right see "a2"

    Scenario: [17] A commit after the segment was terminated without a change of the layout
      Given A has written "a1" to left
      And left has been terminated
      When A commits
      Then it is done
      And readers of left see "a1"

    Scenario: [18] A connected consumer receives no end-of-topic notification before an open transaction
      Given the consumer of shared subscription "workers" has received nothing from left
      And A has written "a1" to left
      When left is split into low and high
      Then the consumer of "workers" is not notified of the end of left before "a1", which A commits now

  @PIP471-50 @MUST @aborts @sealing
  Rule: An abort hides all messages of the transaction even if a segment of it was split since.
    Consumers would act on aborted messages merely because the segment was sealed.

    Scenario: [1] An abort after a split
      Given A has written "a1" to left
      And left has been split into low and high
      When A aborts
      Then it is done
      And readers of left see nothing

    Scenario: [2] An abort after a split with messages of others before, between and after
      Given B has written "b1" to left
      And A has written "a1" to left
      And "p1" has been written to left
      And left has been split into low and high
      And A has aborted
      When B commits
      Then readers of left see "b1", "p1"

    Scenario: [3] An abort after a split with a connected consumer
      Given the consumer of shared subscription "workers" has received nothing from left
      And A has written "a1" to left
      And "p1" has been written to left
      And left has been split into low and high
      When A aborts
      Then the consumer of "workers" receives "p1" and nothing else

    Scenario: [4] An abort after a split of the segment and of its child
      Given A has written "a1" to left
      And "p1" has been written to left
      And left has been split into low and high
      And low has been split into lowest and lower
      When A aborts
      Then readers of left see "p1"

    Scenario: [5] A reload of the sealed segment after a split and an abort
      Given A has written "a1" to left
      And "p1" has been written to left
      And left has been split into low and high
      And A has aborted
      And left has been unloaded
      When B commits "b1" to low
      Then readers of left see "p1"

    Scenario: [6] A split and a reload after an abort
      Given A has written "a1" to left
      And "p1" has been written to left
      And A has aborted
      And left has been split into low and high
      And left has been unloaded
      When B commits "b1" to low
      Then readers of left see "p1"

    @needs:crash
    Scenario: [7] A crash after a split and an abort
      Given A has written "a1" to left
      And "p1" has been written to left
      And left has been split into low and high
      And A has been asked to abort
      When the system crashes and restarts
      Then readers of left see "p1"

    Scenario: [8] A timeout after a split
      Given transaction C with a moderate timeout
      And C has written "c1" to left
      And "p1" has been written to left
      And left has been split into low and high
      When C is left open past its timeout
      Then readers of left see "p1"

    Scenario: [9] A refused commit after a split and an abort
      Given A has written "a1" to left
      And left has been split into low and high
      And A has aborted
      When A commits
      Then it is refused
      And readers of left see nothing

    Scenario: [10] An abort after the segment was terminated without a change of the layout
      Given A has written "a1" to left
      And "p1" has been written to left
      And left has been terminated
      When A aborts
      Then it is done
      And readers of left see "p1"

    Scenario: [11] A consumer that has consumed everything before the aborted messages is notified of the end
      Given "p1" has been written to left
      And the consumer of shared subscription "workers" has received "p1" from left
      And "p1" has been acknowledged for "workers" without a transaction
      And A has written "a1" to left
      And left has been split into low and high
      When A aborts
      Then the consumer of "workers" learns that there is no more

  @PIP471-54 @MUST @sealing
  Rule: The end of a transaction writes no entry into a sealed segment.
    A closed ledger accepts nothing; a coordinator that must write there can never end the transaction.

    @needs:entry-counts
    Scenario: [1] A commit writes nothing
      Given A has written "a1", "a2" to left
      And left has been split into low and high
      When A commits
      Then readers of left see "a1", "a2"
      And the length of left is 2

    @needs:entry-counts
    Scenario: [2] An abort writes nothing
      Given A has written "a1" to left
      And "p1" has been written to left
      And left has been split into low and high
      When A aborts
      Then readers of left see "p1"
      And the length of left is 2

    @needs:entry-counts
    Scenario: [3] A commit writes nothing into either parent of a merge
      Given A has written "a1" to left
      And A has written "a2" to right
      And left and right have been merged into whole
      When A commits
      Then readers of right see "a2"
      And the length of left is 1
      And the length of right is 1

    @needs:entry-counts
    Scenario: [4] A commit of acknowledgements writes nothing
      Given "i1" has been written to left
      And the consumer of shared subscription "workers" has received "i1" from left
      And A has acknowledged "i1" for "workers"
      And left has been split into low and high
      When A commits
      Then subscription "workers" has nothing left
      And the length of left is 1

    @needs:entry-counts
    Scenario: [5] A timeout writes nothing
      Given transaction C with a moderate timeout
      And C has written "c1" to left
      And "p1" has been written to left
      And left has been split into low and high
      When C is left open past its timeout
      Then readers of left see "p1"
      And the length of left is 2

    @needs:entry-counts
    Scenario: [6] A commit after a reload writes nothing
      Given A has written "a1" to left
      And left has been split into low and high
      And left has been unloaded
      When A commits
      Then readers of left see "a1"
      And the length of left is 1

    @needs:entry-counts
    Scenario: [7] A commit after a refused message writes nothing
      Given A has written "a1" to left
      And left has been split into low and high
      And A has tried to write "a2" to left
      When A commits
      Then it is done
      And the length of left is 1

  @PIP471-71 @MUST @commits @aborts @sealing
  Rule: The end of a transaction reaches every segment that it has used, through however many splits and merges since its beginning.
    A broker that follows only the first segments and the active ones leaves a part of the transaction undecided for ever.

    Background:
      Given "p1" has been written to left
      And A has written "a1" to left
      And left has been split into low and high
      And "p2" has been written to low
      And the consumer of shared subscription "workers" has received "p2" from low
      And A has written "a2" to low

    Scenario: [1] A commit of messages in three generations of segments
      Given low has been split into lowest and lower
      And A has written "a3" to lowest
      When A commits
      Then readers of left see "p1", "a1"
      And readers of low see "p2", "a2"
      And readers of lowest see "a3"

    Scenario: [2] An abort of messages in three generations of segments
      Given low has been split into lowest and lower
      And A has written "a3" to lowest
      When A aborts
      Then readers of left see "p1"
      And readers of low see "p2"
      And readers of lowest see nothing

    Scenario: [3] A commit after a split of the segment and a merge of its children
      Given low and high have been merged into whole
      And A has written "a3" to whole
      When A commits
      Then readers of left see "p1", "a1"
      And readers of low see "p2", "a2"
      And readers of whole see "a3"

    Scenario: [4] A commit of an acknowledgement on a segment between two others of the transaction
      Given A has acknowledged "p2" for "workers"
      And low has been split into lowest and lower
      And A has written "a3" to lowest
      When A commits
      Then subscription "workers" has "a2" left
      And readers of lowest see "a3"

    @needs:crash
    Scenario: [5] The system crashes between the splits and the commit
      Given low has been split into lowest and lower
      And A has written "a3" to lowest
      And the system has crashed and restarted
      When A commits
      Then readers of low see "p2", "a2"
      And readers of lowest see "a3"
