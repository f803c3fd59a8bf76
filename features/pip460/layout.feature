Feature: The layout of a scalable topic
  The hashes of all keys are divided among segments. A change seals some segments and creates others in their place.

  Background:
    Given the scalable topic "orders" of segments "left" and "right"

  @PIP460-01 @MUST
  Rule: At every layout epoch, each hash belongs to exactly one active segment.
    A key whose hash belongs to no segment cannot be written, and a key whose hash belongs to two loses its order.

    Scenario: [1] A topic is created with seven segments
      When an administrator makes the scalable topic "payments" of segments "a", "b", "c", "d", "e", "f" and "g"
      Then at every epoch payments has each hash in one active segment

    Scenario: [2] Several segments are split
      Given left has been split into low and high
      And high has been split into first and second
      When right is split into third and fourth
      Then at every epoch orders has each hash in one active segment

    Scenario: [3] A split and a merge of its children are repeated
      Given left has been split into low and high
      And low and high have been merged into whole
      And whole has been split into first and second
      When first and second are merged into last
      Then at every epoch orders has each hash in one active segment

    Scenario: [4] A segment is split again and again, down to few hashes
      Given right has been split into low and high, 5 times
      When low is split into first and second
      Then at every epoch orders has each hash in one active segment

  @PIP460-02 @MUST
  Rule: The layout of a new topic has the requested number of active segments with equal hash ranges, no parents, and epoch 0.
    A client that expects another first epoch or other parents discards the first layout as an outdated one.

    Scenario: [1] A topic is created with one segment
      When an administrator makes the scalable topic "payments" of segment "whole"
      Then it is done
      And payments has 1 equal segments of its first epoch

    Scenario: [2] A topic is created with a number of segments that does not divide the hash space evenly
      When an administrator makes the scalable topic "payments" of segments "a", "b", "c", "d", "e", "f" and "g"
      Then it is done
      And payments has 7 equal segments of its first epoch

    Scenario: [3] A topic is created with four segments
      When an administrator makes the scalable topic "payments" of segments "a", "b", "c" and "d"
      Then it is done
      And payments has 4 equal segments of its first epoch

  @PIP460-04 @MUST
  Rule: In the layout a parent segment names its children, and each child names its parents.
    A client that does not find the parents of a segment reads the segment before the messages that were written first.

    Scenario: [1] A parent and its children name each other after a split
      When left is split into low and high
      Then left and segments "low" and "high" name each other

    Scenario: [2] Two parents and their child name each other after a merge
      Given left has been split into low and high
      When low and high are merged into whole
      Then low and high and segment "whole" name each other
      And left and segments "low" and "high" name each other

    Scenario: [3] Parents and children name each other after both children are split
      Given left has been split into low and high
      And low has been split into first and second
      When high is split into third and fourth
      Then left and segments "low" and "high" name each other
      And low and segments "first" and "second" name each other
      And high and segments "third" and "fourth" name each other

    Scenario: [4] Parents and children name each other after a merged segment is split
      Given left has been split into low and high
      And low and high have been merged into whole
      When whole is split into first and second
      Then low and high and segment "whole" name each other
      And whole and segments "first" and "second" name each other

    Scenario: [5] A client that watches the layout receives parents and children
      Given left has been split into low and high
      And client A has begun to watch orders
      When low and high are merged into whole
      Then client A is notified how orders is now, with parents and children

  @PIP460-06 @MUST
  Rule: Each split and each merge increases the layout epoch by one, and the segments record the epoch at which they were created or sealed.
    A client ignores a layout whose epoch it has seen, so it never learns of a change that did not increase the epoch.

    Scenario: [1] The first change is a split
      When left is split into low and high
      Then orders is at epoch 1, which created low and high and sealed left

    Scenario: [2] The second change splits a child
      Given left has been split into low and high
      When high is split into first and second
      Then orders is at epoch 2, which created first and second and sealed high

    Scenario: [3] The second change is a merge
      Given left has been split into low and high
      When low and high are merged into whole
      Then orders is at epoch 2, which created whole and sealed low and high

    Scenario: [4] A later change leaves the epochs of an earlier one as they were
      Given left has been split into low and high
      When right is split into third and fourth
      Then at every epoch orders has segments whose numbers no other one had
      And orders is at epoch 2, which created third and fourth and sealed right

    Scenario: [5] Five changes increase the epoch to 5
      Given left has been split into low and high, 4 times
      When right is split into third and fourth
      Then orders is at epoch 5

  @PIP460-07 @MUST
  Rule: A controller never assigns a segment number twice, even after the segment was removed.
    A client that knows the number treats the new segment as the former one, and skips its first messages.

    Scenario: [1] Segments are split
      Given left has been split into low and high
      And high has been split into first and second
      When right is split into third and fourth
      Then at every epoch orders has segments whose numbers no other one had

    Scenario: [2] Segments are merged
      Given left has been split into low and high
      And low and high have been merged into whole
      When whole is split into first and second
      Then at every epoch orders has segments whose numbers no other one had

    Scenario: [3] Segments are split after retention removed a sealed one
      Given left has been split into low and high
      And low and high have been merged into whole
      And the retention of sealed segments has passed
      And whole has been split into first and second
      When right is split into third and fourth
      Then at every epoch orders has segments whose numbers no other one had
      And at every epoch orders has each hash in one active segment
