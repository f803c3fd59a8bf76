Feature: Splitting a segment
  The segment is sealed, and two children take over its hashes.

  Background:
    Given the scalable topic "orders" of segments "left" and "right"

  @PIP460-03 @MUST @sealing
  Rule: A split seals a segment and divides its hashes between two active children.
    A key whose hash no child has cannot be written. If the parent stays active, it has every key a second time.

    Scenario: [1] The first segment is split
      When left is split into low and high
      Then it is done
      And the hashes of left are those of low and high

    Scenario: [2] The last segment is split
      When right is split into low and high
      Then it is done
      And the hashes of right are those of low and high

    Scenario: [3] A child segment is split
      Given left has been split into low and high
      When low is split into first and second
      Then it is done
      And the hashes of low are those of first and second

    Scenario: [4] Both children accept messages
      Given left has been split into low and high
      And "p1" has been written to low
      When "p2" is written to high
      Then it is done
      And readers of low see "p1"
      And readers of high see "p2"

  @PIP460-05 @SHOULD
  Rule: A split divides the hash range in the middle and gives the lower half to the first child.
    Unequal halves do not halve the load, and a client cannot find a segment whose name it does not expect.

    Scenario: [1] A segment with an even number of hashes is split
      When right is split into low and high
      Then the hashes of right are those of low and high, half each

    Scenario: [2] A segment with an odd number of hashes is split
      Given the scalable topic "payments" of segments "a", "b" and "c"
      When b is split into low and high
      Then the hashes of b are those of low and high, half each

    Scenario: [3] A segment with two hashes is split
      Given right has been split into low and high, 14 times
      When low is split into first and second
      Then the hashes of low are those of first and second, half each

  @PIP460-08 @MUST @sealing
  Rule: A controller refuses to split a segment that is sealed or does not exist, and changes nothing.
    A second pair of children would have every hash of the first pair again.

    Scenario: [1] A split of a sealed segment is requested
      Given left has been split into low and high
      When a split of left is asked for
      Then it is refused as something that cannot be done
      And the layout of orders is what the answers say

    Scenario: [2] A split of a segment that does not exist is requested
      Given stranger is a segment that does not exist of orders
      When a split of stranger is asked for
      Then it is refused as something that cannot be done
      And the layout of orders is what the answers say

    Scenario: [3] A split of a merged segment is requested
      Given left has been split into low and high
      And low and high have been merged into whole
      When a split of low is asked for
      Then it is refused as something that cannot be done
      And the layout of orders is what the answers say

    Scenario: [4] The children accept messages after a refused split of their parent
      Given left has been split into low and high
      And "p1" has been written to low
      And a split of left has been tried
      When "p2" is written to low
      Then it is done
      And readers of low see "p1", "p2"
      And the layout of orders is what the answers say

    Scenario: [5] The other segments accept messages after a refused split of one that does not exist
      Given stranger is a segment that does not exist of orders
      And "p1" has been written to left
      And a split of stranger has been tried
      When "p2" is written to left
      Then it is done
      And readers of left see "p1", "p2"
      And the layout of orders is what the answers say

    Scenario: [6] A consumer joins after a refused split of a sealed segment
      Given left has been split into low and high
      And a split of left has been tried
      When ann joins "workers" of orders
      Then it is done
      And each active segment of orders is assigned once to ann

    Scenario: [7] A transaction is open in a child when a split of its parent is refused
      Given left has been split into low and high
      And transaction A
      And A has written "a1" to low
      When a split of left is asked for
      Then it is refused as something that cannot be done
      And A is OPEN
      And readers of low see nothing

  @PIP460-09 @MUST
  Rule: A controller refuses to split a segment with a single hash.
    One child would own an empty hash range, the other the same range under a new name.

    Scenario: [1] A segment with a single hash accepts messages after a refused split
      Given left has been split into low and high, 15 times
      And "p1" has been written to low
      When a split of low is asked for
      Then it is refused as something that cannot be done
      And the layout of orders is what the answers say
      And readers of low see "p1"

  @PIP460-20 @MUST
  Rule: A controller makes two concurrent changes of a layout one after the other, or refuses one of them.
    A layout that another change overwrites loses segments together with their messages.

    Scenario: [1] Two segments are split concurrently
      When a split of left and a split of right are asked for at the same time
      Then the layout of orders is what the answers say
      And at every epoch orders has each hash in one active segment

    Scenario: [2] The same split is requested twice concurrently
      When a split of left and a split of left are asked for at the same time
      Then the layout of orders is what the answers say
      And at every epoch orders has each hash in one active segment

    Scenario: [3] A merge is requested concurrently with a split of one of its segments
      Given left has been split into low and high
      When a merge of low and high and a split of high are asked for at the same time
      Then the layout of orders is what the answers say
      And at every epoch orders has each hash in one active segment

    Scenario: [4] A split is requested concurrently with a merge of other segments
      Given left has been split into low and high
      When a split of right and a merge of low and high are asked for at the same time
      Then the layout of orders is what the answers say
      And at every epoch orders has each hash in one active segment

    Scenario: [5] The same merge is requested twice concurrently
      Given left has been split into low and high
      When a merge of low and high and a merge of low and high are asked for at the same time
      Then the layout of orders is what the answers say
      And at every epoch orders has segments whose numbers no other one had

  @PIP460-24 @MUST
  Rule: After a split, each hash of the parent belongs to exactly one of the children.
    The messages of one key would be in both children, in no order.

    Scenario: [1] The last child of a split is split
      Given right has been split into low and high
      When high is split into first and second
      Then the hashes of high are those of first and second
      And at every epoch orders has each hash in one active segment

    Scenario: [2] The last of three segments is split
      Given the scalable topic "payments" of segments "a", "b" and "c"
      When c is split into low and high
      Then the hashes of c are those of low and high
      And at every epoch payments has each hash in one active segment
