Feature: Producers that repeat what they have sent
  A producer that lost its connection does not know what was stored, and sends it again: behind a split, to a child.

  Background:
    Given the deduplicated scalable topic "orders" of segments "left" and "right"

  @PIP460-50 @SHOULD @sealing
  Rule: A message that a producer repeats behind a split is not stored a second time.
    It stands in the parent and in a child, and every reader has it twice.

    Scenario: [1] To the first child
      Given shop has sent "p1" to left as number 1
      And left has been split into low and high
      When shop sends "p1" to low as number 1
      Then it is done
      And readers of left see "p1"
      And readers of low see nothing

    Scenario: [2] To the second child
      Given shop has sent "p1" to left as number 1
      And left has been split into low and high
      When shop sends "p1" to high as number 1
      Then it is done
      And readers of high see nothing

    Scenario: [3] Two splits
      Given shop has sent "p1" to left as number 1
      And left has been split into low and high, 2 times
      When shop sends "p1" to low as number 1
      Then it is done
      And readers of low see nothing

    Scenario: [4] What is new is stored
      Given shop has sent "p1" to left as number 1
      And left has been split into low and high
      When shop sends "p2" to low as number 2
      Then it is done
      And readers of low see "p2"

    @needs:crash-points
    Scenario: [5] A split that its controller did not finish
      Given shop has sent "p1" to left as number 1
      And a split of left has been cut short after-layout
      And low and high came of left
      When shop sends "p1" to low as number 1
      Then it is done
      And readers of low see nothing

    Scenario: [6] What is new is stored behind a merge, though one of the parents has a later one
      Given left has been split into low and high
      And shop has sent "p1" to low as number 1
      And shop has sent "p3" to high as number 3
      And low and high have been merged into whole
      When shop sends "p2" to whole as number 2
      Then it is done
      And readers of whole see "p2"

    Scenario: [7] What is new is stored behind a merge, though the only parent that knows the producer has a later one
      Given left has been split into low and high
      And shop has sent "p2" to low as number 2
      And low and high have been merged into whole
      When shop sends "p1" to whole as number 1
      Then it is done
      And readers of whole see "p1"

    Scenario: [8] In a transaction
      Given transaction A
      And shop has sent "a1" to left as number 1, in A
      And left has been split into low and high
      And shop has sent "a1" to low as number 1, in A
      When A commits
      Then readers of left see "a1"
      And readers of low see nothing

    Scenario: [9] A producer that comes to a child is told where it was
      Given shop has sent "p1" to left as number 1
      And left has been split into low and high
      When shop comes to low
      Then it is done
      And it is told that its last message was number 1
