Feature: Merging segments
  Both segments are sealed, and one child takes over their hashes. Segments that came from one split can always be merged.

  Background:
    Given the scalable topic "orders" of segments "left" and "right"

  @PIP460-10 @MUST @sealing
  Rule: A merge seals two adjacent segments and gives the hashes of both to one active child.
    A parent that stays active accepts messages that belong after those of the child, and no consumer reads them there.

    Scenario: [1] The two children of a split are merged
      Given left has been split into low and high
      When low and high are merged into whole
      Then it is done
      And the hashes of low and high are those of whole

    Scenario: [2] A request for a merge names the two segments in reverse order
      Given right has been split into low and high
      When high and low are merged into whole
      Then it is done
      And the hashes of low and high are those of whole

    Scenario: [3] A merged segment is split, and its children are merged
      Given left has been split into low and high
      And low and high have been merged into whole
      And whole has been split into first and second
      When first and second are merged into last
      Then it is done
      And the hashes of first and second are those of last

    Scenario: [4] The child of a merge has a new epoch and both parents, and accepts messages
      Given left has been split into low and high
      And low and high have been merged into whole
      When "p1" is written to whole
      Then readers of whole see "p1"
      And orders is at epoch 2, which created whole and sealed low and high
      And low and high and segment "whole" name each other

  @PIP460-11 @MUST @sealing
  Rule: A controller refuses a merge if a segment is missing or sealed, or if both are the same or not adjacent, and changes nothing.
    If one parent is sealed before the other one is checked, it accepts no more messages and has no child.

    Scenario: [1] A merge of segments that are not adjacent is requested
      Given left has been split into low and high
      When a merge of low and right is asked for
      Then it is refused as something that cannot be done
      And the layout of orders is what the answers say

    Scenario: [2] A merge of a sealed segment and its neighbour is requested
      Given left has been split into low and high
      And low has been split into first and second
      When a merge of low and high is asked for
      Then it is refused as something that cannot be done
      And the layout of orders is what the answers say

    Scenario: [3] A merge of a segment with itself is requested
      When a merge of left and left is asked for
      Then it is refused as something that cannot be done
      And the layout of orders is what the answers say

    Scenario: [4] A merge with a segment that does not exist is requested
      Given stranger is a segment that does not exist of orders
      When a merge of left and stranger is asked for
      Then it is refused as something that cannot be done
      And the layout of orders is what the answers say

    Scenario: [5] A merge of two sealed segments is requested
      Given left has been split into low and high
      And low and high have been merged into whole
      When a merge of low and high is asked for
      Then it is refused as something that cannot be done
      And the layout of orders is what the answers say

    Scenario: [6] A segment accepts messages after a refused merge with a missing one
      Given stranger is a segment that does not exist of orders
      And "p1" has been written to left
      And a merge of left and stranger has been tried
      When "p2" is written to left
      Then it is done
      And readers of left see "p1", "p2"

    Scenario: [7] A segment accepts messages after a refused merge with a sealed one
      Given left has been split into low and high
      And low has been split into first and second
      And "p1" has been written to high
      And a merge of low and high has been tried
      When "p2" is written to high
      Then it is done
      And readers of high see "p1", "p2"

    Scenario: [8] The first segment accepts messages after a refused merge with one that is not adjacent
      Given left has been split into low and high
      And "p1" has been written to low
      And a merge of low and right has been tried
      When "p2" is written to low
      Then it is done
      And readers of low see "p1", "p2"

    Scenario: [9] The second segment accepts messages after a refused merge of two that are not adjacent
      Given left has been split into low and high
      And "p1" has been written to right
      And a merge of low and right has been tried
      When "p2" is written to right
      Then it is done
      And readers of right see "p1", "p2"

    Scenario: [10] A segment accepts messages after a refused merge with itself
      Given a merge of left and left has been tried
      When "p1" is written to left
      Then it is done
      And readers of left see "p1"
      And the layout of orders is what the answers say

    Scenario: [11] A segment is split after a refused merge with itself
      Given a merge of left and left has been tried
      When left is split into low and high
      Then it is done
      And the hashes of left are those of low and high
      And the layout of orders is what the answers say

    Scenario: [12] A transaction is open in a segment when its merge with one that is not adjacent is refused
      Given left has been split into low and high
      And transaction A
      And A has written "a1" to low
      When a merge of low and right is asked for
      Then it is refused as something that cannot be done
      And A is OPEN
      And readers of low see nothing

    Scenario: [13] A merge of a segment and its sealed neighbour is requested
      Given left has been split into low and high
      And high has been split into first and second
      When a merge of low and high is asked for
      Then it is refused as something that cannot be done
      And the layout of orders is what the answers say

  @PIP460-12 @SHOULD
  Rule: A controller either completes or refuses, as a whole, a merge of more than two adjacent segments or of segments with different parents.
    An operator who finds half a merge cannot decide whether to complete it or to undo it.

    Scenario: [1] A merge of two segments that never were one is requested
      When a merge of left and right is asked for
      Then the layout of orders is what the answers say
      And at every epoch orders has each hash in one active segment

    Scenario: [2] A merge of children of different segments is requested
      Given left has been split into low and high
      And right has been split into third and fourth
      When a merge of high and third is asked for
      Then the layout of orders is what the answers say
      And at every epoch orders has each hash in one active segment

    Scenario: [3] A merge of three adjacent segments is requested
      Given left has been split into low and high
      And low has been split into first and second
      When a merge of first and second and high is asked for
      Then the layout of orders is what the answers say
      And at every epoch orders has each hash in one active segment

    Scenario: [4] Messages are written after a requested merge of segments with different parents
      Given left has been split into low and high
      And "p1" has been written to high
      And a merge of high and right has been tried
      When "p2" is written to low
      Then readers of low see "p2"
      And the layout of orders is what the answers say
      And readers of high see "p1"
