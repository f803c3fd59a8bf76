Feature: Producers that send a message again
  A producer that lost its connection does not know what was stored and sends it again; after a split, to a child.

  Background:
    Given the deduplicated scalable topic "orders" of segments "left" and "right"

  @PIP460-50 @SHOULD @sealing
  Rule: A child segment does not store a message again that its producer had already stored in the parent before the split.
    The message would be in the parent and in a child, and every consumer would receive it twice.

    Scenario: [1] A producer sends a message again to the first child
      Given shop has sent "p1" to left as number 1
      And left has been split into low and high
      When shop sends "p1" to low as number 1
      Then it is done
      And readers of left see "p1"
      And readers of low see nothing

    Scenario: [2] A producer sends a message again to the second child
      Given shop has sent "p1" to left as number 1
      And left has been split into low and high
      When shop sends "p1" to high as number 1
      Then it is done
      And readers of high see nothing

    Scenario: [3] A producer sends a message again after two splits
      Given shop has sent "p1" to left as number 1
      And left has been split into low and high, 2 times
      When shop sends "p1" to low as number 1
      Then it is done
      And readers of low see nothing

    Scenario: [4] A producer sends a new message to a child
      Given shop has sent "p1" to left as number 1
      And left has been split into low and high
      When shop sends "p2" to low as number 2
      Then it is done
      And readers of low see "p2"

    @needs:crash-points
    Scenario: [5] A producer sends a message again after a split that its controller did not finish
      Given shop has sent "p1" to left as number 1
      And a split of left has been cut short after-layout
      And low and high came of left
      When shop sends "p1" to low as number 1
      Then it is done
      And readers of low see nothing

    Scenario Outline: [6] A producer sends a new message after a merge, and the other parent has a later one
      Given left has been split into low and high
      And shop has sent "p1" to <behind> as number 1
      And shop has sent "p3" to <ahead> as number 3
      And low and high have been merged into whole
      When shop sends "p2" to whole as number 2
      Then it is done
      And readers of whole see "p2"

      Examples:
        | behind | ahead | why                                  |
        | low    | high  | the first parent has fewer messages  |
        | high   | low   | the second parent has fewer messages |

    Scenario: [7] A producer sends a new message after a merge, and the only parent that knows it has a later one
      Given left has been split into low and high
      And shop has sent "p2" to low as number 2
      And low and high have been merged into whole
      When shop sends "p1" to whole as number 1
      Then it is done
      And readers of whole see "p1"

    Scenario: [8] A producer sends a message again in a transaction
      Given transaction A
      And shop has sent "a1" to left as number 1, in A
      And left has been split into low and high
      And shop has sent "a1" to low as number 1, in A
      When A commits
      Then readers of left see "a1"
      And readers of low see nothing

    Scenario: [9] A producer that opens a child is given its last sequence number in the parent
      Given shop has sent "p1" to left as number 1
      And left has been split into low and high
      When shop comes to low
      Then it is done
      And it is answered that its last message was number 1

    Scenario: [10] The second of two producers sends a message again
      Given shop has sent "p1" to left as number 1
      And depot has sent "p2" to left as number 1
      And left has been split into low and high
      When depot sends "p2" to low as number 1
      Then it is done
      And readers of low see nothing

    @needs:crash-points
    Scenario: [11] A producer sends a message again after a split whose controller crashed before it sealed the parent
      Given shop has sent "p1" to left as number 1
      And a split of left has been cut short before-terminate
      And low and high came of left
      When shop sends "p1" to low as number 1
      Then it is done
      And readers of low see nothing

    @needs:crash-points
    Scenario: [12] A producer sends a message again that the parent stored during an unfinished split
      Given a split of left has been cut short before-terminate
      And shop has sent "p1" to left as number 1
      And low and high came of left
      When shop sends "p1" to low as number 1
      Then it is done
      And readers of low see nothing

    Scenario: [13] A producer sends a message again after the child was reloaded twice
      Given shop has sent "p1" to left as number 1
      And left has been split into low and high
      And low has been unloaded
      And "p2" has been written to low
      And low has been unloaded
      When shop sends "p1" to low as number 1
      Then readers of low see "p2"
