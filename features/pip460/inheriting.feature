Feature: Subscriptions that children inherit
  A split or a merge creates the subscriptions of the parents on the children. A consumer that has read a parent continues with the first
  message of its child.

  Background:
    Given the scalable topic "orders" of segments "left" and "right"
    And subscription "workers" has been registered for orders

  @PIP460-17 @MUST @sealing
  Rule: A controller creates all subscriptions of a segment on its children before a producer can write to the children.
    A subscription that is added to a child later misses the child's first messages.

    Scenario: [1] A registered subscription without consumers is on both children
      Given left has been split into low and high
      And "p1" has been written to low
      When "p2" is written to high
      Then subscription "workers" has "p1" waiting in low
      And subscription "workers" has "p2" waiting in high

    Scenario: [2] A subscription that a consumer created on the segment is on both children
      Given the consumer of shared subscription "auditors" has received nothing from left
      And left has been split into low and high
      And "p1" has been written to low
      When "p2" is written to high
      Then subscription "auditors" has "p1" waiting in low
      And subscription "auditors" has "p2" waiting in high

    Scenario: [3] A registered subscription is on the children of a child
      Given left has been split into low and high
      And low has been split into first and second
      And "p1" has been written to first
      When "p2" is written to second
      Then subscription "workers" has "p1" waiting in first
      And subscription "workers" has "p2" waiting in second

    @needs:crash
    Scenario: [4] A registered subscription is on both children after a crash
      Given left has been split into low and high
      And "p1" has been written to low
      And the system has crashed and restarted
      When "p2" is written to high
      Then subscription "workers" has "p1" waiting in low
      And subscription "workers" has "p2" waiting in high

    @needs:crash-points
    Scenario: [5] A subscription that was created during a split is on both children
      Given a split of left has been cut short after-terminate
      And subscription "auditors" has come to left, which takes messages still
      And low and high came of left
      And "p1" has been written to low
      When "p2" is written to high
      Then subscription "auditors" has "p1" waiting in low
      And subscription "auditors" has "p2" waiting in high

    Scenario: [6] A subscription that a consumer created on a child is on the children of that child
      Given left has been split into low and high
      And the consumer of shared subscription "auditors" has received nothing from high
      And high has been split into first and second
      When "p1" is written to second
      Then subscription "auditors" has "p1" waiting in second

    Scenario: [7] Two subscriptions that consumers created on the segment are on a child
      Given the consumer of shared subscription "auditors" has received nothing from left
      And the consumer of shared subscription "readers" has received nothing from left
      And left has been split into low and high
      When "p1" is written to high
      Then subscription "auditors" has "p1" waiting in high
      And subscription "readers" has "p1" waiting in high

  @PIP460-18 @MUST @sealing
  Rule: The child of a merge has the subscriptions of each parent.
    A consumer that has read one of the parents would miss the messages of the child.

    Scenario: [1] A registered subscription is on the child of a merge
      Given left has been split into low and high
      And low and high have been merged into whole
      When "p1" is written to whole
      Then subscription "workers" has "p1" waiting in whole

    Scenario: [2] A subscription of only the first parent is on the child
      Given left has been split into low and high
      And the consumer of shared subscription "auditors" has received nothing from low
      And low and high have been merged into whole
      When "p1" is written to whole
      Then subscription "auditors" has "p1" waiting in whole

    Scenario: [3] A subscription of only the second parent is on the child
      Given left has been split into low and high
      And the consumer of shared subscription "auditors" has received nothing from high
      And low and high have been merged into whole
      When "p1" is written to whole
      Then subscription "auditors" has "p1" waiting in whole

    Scenario: [4] A subscription of both parents is on the child
      Given left has been split into low and high
      And the consumer of shared subscription "auditors" has received nothing from low
      And the consumer of shared subscription "readers" has received nothing from high, by the name of "auditors"
      And low and high have been merged into whole
      When "p1" is written to whole
      Then subscription "auditors" has "p1" waiting in whole

    @needs:crash-points
    Scenario: [5] A subscription that was created on the second parent during a merge is on the child
      Given left has been split into low and high
      And a merge of low and high has been cut short after-terminate
      And subscription "auditors" has come to high, which takes messages still
      And whole came of low and high
      When "p1" is written to whole
      Then subscription "auditors" has "p1" waiting in whole
