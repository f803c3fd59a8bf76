Feature: The layout of a scalable topic
  The hashes of all keys are shared out among segments. A change seals some of them and makes others in their place.

  Background:
    Given the scalable topic "orders" of segments "left" and "right"

  @PIP460-01 @MUST
  Rule: At every epoch each hash belongs to exactly one active segment.
    A key whose hash nobody has can be written nowhere, and one that two segments have loses its order.

    Scenario: [1] A new topic of many segments
      When an administrator makes the scalable topic "payments" of segments "a", "b", "c", "d", "e", "f" and "g"
      Then at every epoch payments has each hash in one active segment

    Scenario: [2] Several splits
      Given left has been split into low and high
      And high has been split into first and second
      When right is split into third and fourth
      Then at every epoch orders has each hash in one active segment

    Scenario: [3] A split and a merge of its children, and again
      Given left has been split into low and high
      And low and high have been merged into whole
      And whole has been split into first and second
      When first and second are merged into last
      Then at every epoch orders has each hash in one active segment

    Scenario: [4] Splits of ever fewer hashes
      Given right has been split into low and high, 5 times
      When low is split into first and second
      Then at every epoch orders has each hash in one active segment

  @PIP460-02 @MUST
  Rule: A new topic has as many active segments as were asked for, with equal ranges, no parents and epoch 0.
    Clients that count epochs and families from another beginning take the first layout for an old one.

    Scenario: [1] One segment
      When an administrator makes the scalable topic "payments" of segment "whole"
      Then it is done
      And payments has 1 equal segments of its first epoch

    Scenario: [2] A number that does not divide the hashes
      When an administrator makes the scalable topic "payments" of segments "a", "b", "c", "d", "e", "f" and "g"
      Then it is done
      And payments has 7 equal segments of its first epoch

    Scenario: [3] A power of two
      When an administrator makes the scalable topic "payments" of segments "a", "b", "c" and "d"
      Then it is done
      And payments has 4 equal segments of its first epoch

  @PIP460-04 @MUST
  Rule: Parents and children name each other.
    Who does not find the parents of a segment reads it before what was written first.

    Scenario: [1] A split
      When left is split into low and high
      Then left and segments "low" and "high" name each other

    Scenario: [2] A merge
      Given left has been split into low and high
      When low and high are merged into whole
      Then low and high and segment "whole" name each other
      And left and segments "low" and "high" name each other

    Scenario: [3] Splits of both children
      Given left has been split into low and high
      And low has been split into first and second
      When high is split into third and fourth
      Then left and segments "low" and "high" name each other
      And low and segments "first" and "second" name each other
      And high and segments "third" and "fourth" name each other

    Scenario: [4] A split of what was merged
      Given left has been split into low and high
      And low and high have been merged into whole
      When whole is split into first and second
      Then low and high and segment "whole" name each other
      And whole and segments "first" and "second" name each other

    Scenario: [5] As who watches is told
      Given left has been split into low and high
      And client A has begun to watch orders
      When low and high are merged into whole
      Then client A is told how orders is now, with parents and children

  @PIP460-06 @MUST
  Rule: Each split and each merge moves the epoch on by one, and its segments say at which epoch they were created and sealed.
    Clients take no layout whose epoch they have seen, so that one which does not grow is never known.

    Scenario: [1] The first change is a split
      When left is split into low and high
      Then orders is at epoch 1, which created low and high and sealed left

    Scenario: [2] A split of a child
      Given left has been split into low and high
      When high is split into first and second
      Then orders is at epoch 2, which created first and second and sealed high

    Scenario: [3] The second change is a merge
      Given left has been split into low and high
      When low and high are merged into whole
      Then orders is at epoch 2, which created whole and sealed low and high

    Scenario: [4] The epochs of a change stay what they were
      Given left has been split into low and high
      When right is split into third and fourth
      Then at every epoch orders has segments whose numbers no other one had
      And orders is at epoch 2, which created third and fourth and sealed right

    Scenario: [5] Many changes
      Given left has been split into low and high, 4 times
      When right is split into third and fourth
      Then orders is at epoch 5

  @PIP460-07 @MUST
  Rule: The number of a segment is given once, also when the segment is gone.
    Who meets a number again takes the new segment for the old one, and begins behind what is new.

    Scenario: [1] Splits
      Given left has been split into low and high
      And high has been split into first and second
      When right is split into third and fourth
      Then at every epoch orders has segments whose numbers no other one had

    Scenario: [2] Merges
      Given left has been split into low and high
      And low and high have been merged into whole
      When whole is split into first and second
      Then at every epoch orders has segments whose numbers no other one had

    Scenario: [3] A sealed segment is gone
      Given left has been split into low and high
      And low and high have been merged into whole
      And the retention of sealed segments has passed
      And whole has been split into first and second
      When right is split into third and fourth
      Then at every epoch orders has segments whose numbers no other one had
      And at every epoch orders has each hash in one active segment
