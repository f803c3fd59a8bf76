Feature: Merging segments
  Both segments are sealed, and one child takes over their hashes. Segments that were one before may always be merged.

  Background:
    Given the scalable topic "orders" of segments "left" and "right"

  @PIP460-10 @MUST @sealing
  Rule: A merge seals two neighbours, and one active child has the hashes of both.
    A parent that stays active goes on taking messages which nobody reads behind those of the child.

    Scenario: [1] Children of a split
      Given left has been split into low and high
      When low and high are merged into whole
      Then it is done
      And the hashes of low and high are those of whole

    Scenario: [2] Named the other way round
      Given right has been split into low and high
      When high and low are merged into whole
      Then it is done
      And the hashes of low and high are those of whole

    Scenario: [3] Children of a split of what was merged
      Given left has been split into low and high
      And low and high have been merged into whole
      And whole has been split into first and second
      When first and second are merged into last
      Then it is done
      And the hashes of first and second are those of last

    Scenario: [4] Epochs, parents and messages of the child
      Given left has been split into low and high
      And low and high have been merged into whole
      When "p1" is written to whole
      Then readers of whole see "p1"
      And orders is at epoch 2, which created whole and sealed low and high
      And low and high and segment "whole" name each other

  @PIP460-11 @MUST @sealing
  Rule: A merge of segments that are no neighbours, sealed, the same or not there is refused, and changes nothing.
    A parent that was sealed before the other one was looked at takes no message any more, and has no child.

    Scenario: [1] Segments that are no neighbours
      Given left has been split into low and high
      When a merge of low and right is asked for
      Then it is refused as something that cannot be done
      And the layout of orders is what the answers say

    Scenario: [2] A sealed one and its neighbour
      Given left has been split into low and high
      And low has been split into first and second
      When a merge of low and high is asked for
      Then it is refused as something that cannot be done
      And the layout of orders is what the answers say

    Scenario: [3] A segment with itself
      When a merge of left and left is asked for
      Then it is refused as something that cannot be done
      And the layout of orders is what the answers say

    Scenario: [4] One that there is not
      Given stranger is a segment that nobody has made of orders
      When a merge of left and stranger is asked for
      Then it is refused as something that cannot be done
      And the layout of orders is what the answers say

    Scenario: [5] Both sealed
      Given left has been split into low and high
      And low and high have been merged into whole
      When a merge of low and high is asked for
      Then it is refused as something that cannot be done
      And the layout of orders is what the answers say

    Scenario: [6] The first goes on behind a merge with none
      Given stranger is a segment that nobody has made of orders
      And "p1" has been written to left
      And a merge of left and stranger has been tried
      When "p2" is written to left
      Then it is done
      And readers of left see "p1", "p2"

    Scenario: [7] The second goes on behind a merge with a sealed one
      Given left has been split into low and high
      And low has been split into first and second
      And "p1" has been written to high
      And a merge of low and high has been tried
      When "p2" is written to high
      Then it is done
      And readers of high see "p1", "p2"

    Scenario: [8] The first goes on behind a merge with one that is no neighbour
      Given left has been split into low and high
      And "p1" has been written to low
      And a merge of low and right has been tried
      When "p2" is written to low
      Then it is done
      And readers of low see "p1", "p2"

    Scenario: [9] The second goes on, too
      Given left has been split into low and high
      And "p1" has been written to right
      And a merge of low and right has been tried
      When "p2" is written to right
      Then it is done
      And readers of right see "p1", "p2"

    Scenario: [10] A segment goes on behind a merge with itself
      Given a merge of left and left has been tried
      When "p1" is written to left
      Then it is done
      And readers of left see "p1"
      And the layout of orders is what the answers say

    Scenario: [11] A later change is made
      Given a merge of left and left has been tried
      When left is split into low and high
      Then it is done
      And the hashes of left are those of low and high
      And the layout of orders is what the answers say

  @PIP460-12 @SHOULD
  Rule: A merge of neighbours that come of different segments, or of more than two, is done whole or refused whole.
    Nobody can tell in which of two ways half a merge is to be mended.

    Scenario: [1] Segments that were never one
      When a merge of left and right is asked for
      Then the layout of orders is what the answers say
      And at every epoch orders has each hash in one active segment

    Scenario: [2] Children of different segments
      Given left has been split into low and high
      And right has been split into third and fourth
      When a merge of high and third is asked for
      Then the layout of orders is what the answers say
      And at every epoch orders has each hash in one active segment

    Scenario: [3] Three neighbours
      Given left has been split into low and high
      And low has been split into first and second
      When a merge of first and second and high is asked for
      Then the layout of orders is what the answers say
      And at every epoch orders has each hash in one active segment

    Scenario: [4] Messages behind it
      Given left has been split into low and high
      And "p1" has been written to high
      And a merge of high and right has been tried
      When "p2" is written to low
      Then readers of low see "p2"
      And the layout of orders is what the answers say
      And readers of high see "p1"
