Feature: Splitting a segment
  The segment is sealed, and two children take over its hashes.

  Background:
    Given the scalable topic "orders" of segments "left" and "right"

  @PIP460-03 @MUST @sealing
  Rule: A split seals the segment, and two active children share its hashes.
    Hashes that no child has are lost to their keys, and a parent that stays active has them a second time.

    Scenario: [1] The first segment
      When left is split into low and high
      Then it is done
      And the hashes of left are those of low and high

    Scenario: [2] The last segment
      When right is split into low and high
      Then it is done
      And the hashes of right are those of low and high

    Scenario: [3] A child
      Given left has been split into low and high
      When low is split into first and second
      Then it is done
      And the hashes of low are those of first and second

    Scenario: [4] The children take messages
      Given left has been split into low and high
      And "p1" has been written to low
      When "p2" is written to high
      Then it is done
      And readers of low see "p1"
      And readers of high see "p2"

  @PIP460-05 @SHOULD
  Rule: A segment is split in the middle, and the first child has the lower hashes.
    Halves that are not alike do not halve the load, and names that nobody expects are not found.

    Scenario: [1] An even number of hashes
      When right is split into low and high
      Then the hashes of right are those of low and high, half each

    Scenario: [2] An odd number of hashes
      Given the scalable topic "payments" of segments "a", "b" and "c"
      When b is split into low and high
      Then the hashes of b are those of low and high, half each

    Scenario: [3] Two hashes
      Given right has been split into low and high, 14 times
      When low is split into first and second
      Then the hashes of low are those of first and second, half each

  @PIP460-08 @MUST @sealing
  Rule: A split of a segment that is sealed or that there is not is refused, and changes nothing.
    A second pair of children has every hash of the first pair again.

    Scenario: [1] A sealed segment
      Given left has been split into low and high
      When a split of left is asked for
      Then it is refused as something that cannot be done
      And the layout of orders is what the answers say

    Scenario: [2] A segment that there is not
      Given stranger is a segment that nobody has made of orders
      When a split of stranger is asked for
      Then it is refused as something that cannot be done
      And the layout of orders is what the answers say

    Scenario: [3] A segment that was merged
      Given left has been split into low and high
      And low and high have been merged into whole
      When a split of low is asked for
      Then it is refused as something that cannot be done
      And the layout of orders is what the answers say

    Scenario: [4] The children of a sealed segment go on
      Given left has been split into low and high
      And "p1" has been written to low
      And a split of left has been tried
      When "p2" is written to low
      Then it is done
      And readers of low see "p1", "p2"
      And the layout of orders is what the answers say

    Scenario: [5] All segments go on behind a split of none
      Given stranger is a segment that nobody has made of orders
      And "p1" has been written to left
      And a split of stranger has been tried
      When "p2" is written to left
      Then it is done
      And readers of left see "p1", "p2"
      And the layout of orders is what the answers say

    Scenario: [6] A consumer comes behind a split of a sealed segment
      Given left has been split into low and high
      And a split of left has been tried
      When ann joins "workers" of orders
      Then it is done
      And each active segment of orders is assigned once to ann

  @PIP460-09 @MUST
  Rule: A segment of one hash is not split.
    One of its children would have no hash, and the other one nothing but another name.

    Scenario: [1] It takes messages as before
      Given left has been split into low and high, 15 times
      And "p1" has been written to low
      When a split of low is asked for
      Then it is refused as something that cannot be done
      And the layout of orders is what the answers say
      And readers of low see "p1"

  @PIP460-20 @MUST
  Rule: Of two changes at the same time both are made, one after the other, or one is refused.
    A layout that is written over takes segments with it, and all that was written there.

    Scenario: [1] Splits of two segments
      When a split of left and a split of right are asked for at the same time
      Then the layout of orders is what the answers say
      And at every epoch orders has each hash in one active segment

    Scenario: [2] The same split twice
      When a split of left and a split of left are asked for at the same time
      Then the layout of orders is what the answers say
      And at every epoch orders has each hash in one active segment

    Scenario: [3] A merge, and a split of one of its segments
      Given left has been split into low and high
      When a merge of low and high and a split of high are asked for at the same time
      Then the layout of orders is what the answers say
      And at every epoch orders has each hash in one active segment

    Scenario: [4] A split, and a merge of other segments
      Given left has been split into low and high
      When a split of right and a merge of low and high are asked for at the same time
      Then the layout of orders is what the answers say
      And at every epoch orders has each hash in one active segment

    Scenario: [5] The same merge twice
      Given left has been split into low and high
      When a merge of low and high and a merge of low and high are asked for at the same time
      Then the layout of orders is what the answers say
      And at every epoch orders has segments whose numbers no other one had

  @PIP460-24 @MUST
  Rule: Behind a split each hash of the parent belongs to exactly one of the children.
    The messages of one key would stand in both, in no order.

    Scenario: [1] A split of the last child
      Given right has been split into low and high
      When high is split into first and second
      Then the hashes of high are those of first and second
      And at every epoch orders has each hash in one active segment

    Scenario: [2] A split of the last of three
      Given the scalable topic "payments" of segments "a", "b" and "c"
      When c is split into low and high
      Then the hashes of c are those of low and high
      And at every epoch payments has each hash in one active segment
