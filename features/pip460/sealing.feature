Feature: Segments that are sealed
  What a segment has is there until everybody has read it, and nothing is added. Its children go on where it ended.

  Background:
    Given the scalable topic "orders" of segments "left" and "right"
    And subscription "workers" has been registered for orders

  @PIP460-13 @MUST @sealing
  Rule: A sealed segment takes no message, and says so.
    Who is not told goes on writing where nobody reads, and believes in it.

    Scenario: [1] A producer that comes behind a split
      Given left has been split into low and high
      When a client opens a producer of left
      Then it is refused with TopicTerminatedError

    Scenario: [2] A producer that was there
      Given "p1" has been written to left
      And left has been split into low and high
      When the producer that left had sends "late"
      Then each of its requests is answered
      And it is refused with TopicTerminatedError

    Scenario: [3] Producers that come behind a merge
      Given left has been split into low and high
      And low and high have been merged into whole
      When a client opens a producer of high
      Then it is refused with TopicTerminatedError

    Scenario: [4] The first of two that were merged
      Given left has been split into low and high
      And low and high have been merged into whole
      When a client opens a producer of low
      Then it is refused with TopicTerminatedError

    Scenario: [5] What came too late is not read
      Given "p1" has been written to left
      And left has been split into low and high
      When the producer that left had sends "late"
      Then readers of left see "p1"
      And readers of low see nothing
      And readers of high see nothing

    Scenario: [6] A producer that comes when the segment is gone
      Given left has been split into low and high
      And the retention of sealed segments has passed
      When a client opens a producer of left
      Then it is refused

    @needs:crash
    Scenario: [7] A producer that comes behind a crash
      Given left has been split into low and high
      And the system has crashed and come back
      When a client opens a producer of left
      Then it is refused with TopicTerminatedError

    Scenario: [8] A producer that goes on at a child
      Given "p1" has been written to left
      And left has been split into low and high
      When the producer that left had goes on at low with "p2"
      Then it is done
      And readers of low see "p2"

  @PIP460-14 @MUST @sealing
  Rule: What a sealed segment has is readable until every subscription has consumed it.
    A message that was receipted and that nobody has read is lost with its segment.

    Scenario: [1] Behind a split
      Given "p1" has been written to left
      And left has been split into low and high
      When "p2" is written to low
      Then readers of left see "p1"
      And subscription "workers" has "p1" waiting in left

    Scenario: [2] Behind a merge
      Given left has been split into low and high
      And "p1" has been written to low
      And "p2" has been written to high
      And low and high have been merged into whole
      When "p3" is written to whole
      Then subscription "workers" has "p1" waiting in low
      And subscription "workers" has "p2" waiting in high

    Scenario: [3] What a consumer has not acknowledged
      Given "p1" has been written to left
      And "p2" has been written to left
      And the consumer of shared subscription "workers" has received "p1", "p2" from left
      And "p1" has been acknowledged for "workers" without a transaction
      When left is split into low and high
      Then subscription "workers" has "p2" left

    Scenario: [4] What one of two subscriptions has not consumed, behind the retention
      Given subscription "auditors" has been registered for orders
      And "p1" has been written to left
      And the consumer of shared subscription "auditors" has received "p1" from left
      And "p1" has been acknowledged for "auditors" without a transaction
      And left has been split into low and high
      When the retention of sealed segments passes
      Then subscription "workers" has "p1" waiting in left

    Scenario: [5] What a subscription has passed over, behind the retention
      Given "m1", "m2" of key "m" have been written to orders
      And the consumer of shared subscription "workers" has received "m1", "m2" from left
      And "m2" has been acknowledged for "workers" without a transaction
      And left has been split into low and high
      When the retention of sealed segments passes
      Then subscription "workers" has "m1" left

    Scenario: [6] Who comes behind the split is not sent away before an open transaction
      Given transaction A
      And A has written "a1" to left
      And left has been split into low and high
      When a client subscribes to left
      Then it is not told the end of left before "a1", which A commits now

    Scenario: [7] Of two segments that were merged one has been consumed, behind the retention
      Given left has been split into low and high
      And "p1" has been written to high
      And low and high have been merged into whole
      And the retention of sealed segments has passed
      When an administrator looks at the layout of orders
      Then it is done
      And subscription "workers" has "p1" waiting in high

    Scenario: [8] What a subscription that is not registered has not consumed, behind the retention
      Given "p1" has been written to left
      And the consumer of shared subscription "auditors" has received "p1" from left
      And the consumer of shared subscription "workers" has received "p1" from left
      And "p1" has been acknowledged for "workers" without a transaction
      And left has been split into low and high
      When the retention of sealed segments passes
      Then subscription "auditors" has "p1" left

    Scenario: [9] What a consumer gives back behind the split
      Given "p1" has been written to left
      And the consumer of shared subscription "workers" has received "p1" from left
      And left has been split into low and high
      When the consumer of "workers" asks for redelivery of "p1"
      Then the consumer of "workers" receives "p1" before anybody writes again

    Scenario: [10] What a transaction has written that is open, behind the retention
      Given transaction A
      And A has written "a1" to left
      And left has been split into low and high
      And the retention of sealed segments has passed
      When A commits
      Then subscription "workers" has "a1" waiting in left

    Scenario: [11] What a transaction has acknowledged that is open, behind the retention
      Given transaction A
      And "p1" has been written to left
      And the consumer of exclusive subscription "workers" has received "p1" from left
      And A has acknowledged everything up to "p1" for "workers"
      And left has been split into low and high
      When the retention of sealed segments passes
      Then left and segments "low" and "high" name each other

    Scenario: [12] Each consumer of a subscription learns that there is no more
      Given "p1" has been written to left
      And the consumer of shared subscription "workers" has received "p1" from left
      And the consumer of shared subscription "others" has received nothing from left, by the name of "workers"
      And left has been split into low and high
      When "p1" is acknowledged for "workers" without a transaction
      Then the consumer of "workers" is told that there is no more
      And the consumer of "others" is told that there is no more

    Scenario: [13] Who comes when all is acknowledged learns that there is no more
      Given "p1" has been written to left
      And the consumer of shared subscription "workers" has received "p1" from left
      And left has been split into low and high
      And "p1" has been acknowledged for "workers" without a transaction
      When "p2" is written to low
      Then the next consumer of "workers" is told the end of left

    Scenario: [14] Who shares a segment is not sent away before another one has acknowledged what it has
      Given "p1" has been written to left
      And the consumer of shared subscription "workers" has received "p1" from left
      And left has been split into low and high
      And the consumer of shared subscription "others" has received nothing from left, by the name of "workers"
      When "p2" is written to low
      Then the consumer of "others" is told nothing of an end

  @PIP460-16 @MUST @sealing
  Rule: No message is delivered twice because of a change of the layout.
    What is processed twice is paid twice.

    Scenario: [1] Children begin empty
      Given "p1" has been written to left
      And left has been split into low and high
      When "p2" is written to low
      Then subscription "workers" has "p2" waiting in low
      And subscription "workers" has nothing waiting in high

    Scenario: [2] What was acknowledged before a split
      Given "p1" has been written to left
      And the consumer of shared subscription "workers" has received "p1" from left
      And "p1" has been acknowledged for "workers" without a transaction
      When left is split into low and high
      Then subscription "workers" has nothing left
      And subscription "workers" has nothing waiting in low

    Scenario: [3] The child of a merge begins empty
      Given left has been split into low and high
      And "p1" has been written to low
      And "p2" has been written to high
      When low and high are merged into whole
      Then subscription "workers" has nothing waiting in whole
      And readers of whole see nothing

    Scenario: [4] What was acknowledged before a merge
      Given left has been split into low and high
      And "p1" has been written to low
      And the consumer of shared subscription "workers" has received "p1" from low
      And "p1" has been acknowledged for "workers" without a transaction
      When low and high are merged into whole
      Then subscription "workers" has nothing left
      And subscription "workers" has nothing waiting in whole

    Scenario: [5] Messages that are under way
      When left is split into low and high while it is written to
      Then what was receipted is read exactly once from orders, and nothing else twice

    Scenario: [6] What is acknowledged behind a split, and the parent is loaded anew
      Given "p1" has been written to left
      And the consumer of shared subscription "workers" has received "p1" from left
      And left has been split into low and high
      And "p1" has been acknowledged for "workers" without a transaction
      And left has been unloaded
      When "p2" is written to low
      Then subscription "workers" has nothing left

  @PIP460-15 @MUST @sealing
  Rule: No message that was receipted is lost by a change of the layout.
    A receipt is a promise that holds for whoever reads the segment later, sealed or not.

    Scenario: [1] Messages that are under way to a segment that is split
      When right is split into low and high while it is written to
      Then what was receipted is read exactly once from orders, and nothing else twice

    Scenario: [2] Messages that are under way to segments that are merged
      Given left has been split into low and high
      When low and high are merged into whole while it is written to
      Then what was receipted is read exactly once from orders, and nothing else twice

    Scenario: [3] The last message before a split
      Given "p1" has been written to left
      When left is split into low and high
      Then readers of left see "p1"

    Scenario: [4] The last messages before a merge
      Given left has been split into low and high
      And "p1" has been written to low
      And "p2" has been written to high
      When low and high are merged into whole
      Then readers of low see "p1"
      And readers of high see "p2"

    @needs:crash
    Scenario: [5] A sealed segment is removed that has the same hashes, and a number with which the other one's begins
      Given the scalable topic "payments" of segments "a", "b", "c", "d", "e", "f", "g" and "h"
      And b has been split into low and high
      And low and high have been merged into whole
      And "p1" has been written to whole
      And the retention of sealed segments has passed
      When the system crashes and comes back
      Then readers of whole see "p1"

  @PIP460-19 @MUST @sealing
  Rule: A parent and its child never take messages at the same time.
    A message that the parent takes behind one of the child is read before it.

    Scenario: [1] A split
      When left is split into low and high while it is written to
      Then no segment took a message when its child had taken one

    Scenario: [2] A merge
      Given left has been split into low and high
      When low and high are merged into whole while it is written to
      Then no segment took a message when its child had taken one

    @needs:more-brokers @needs:crash-points
    Scenario: [3] A producer of a child, where the controller has ended before it sealed the parent
      Given early is the lower child that a split of the first segment would have of orders
      And the system will crash after-children
      And a split of left has been tried
      When a client opens a producer of early
      Then it is refused, or left takes no message any more

    @needs:more-brokers @needs:crash-points
    Scenario: [4] The producer of a parent, where the controller has ended before it sealed that, and the next one has gone on
      Given left has been split into low and high
      And "p1" has been written to high
      And the system will crash before-terminate
      And a split of high has been tried
      And first and second came of high
      When the producer that high had sends "late"
      Then readers of high see "p1"

  @PIP460-17 @MUST @sealing
  Rule: All subscriptions of a segment are on its children before anybody writes to these.
    A subscription that comes to a child later begins behind what was written there first.

    Scenario: [1] One that is registered, and never was attached
      Given left has been split into low and high
      And "p1" has been written to low
      When "p2" is written to high
      Then subscription "workers" has "p1" waiting in low
      And subscription "workers" has "p2" waiting in high

    Scenario: [2] One that a consumer made on the segment
      Given the consumer of shared subscription "auditors" has received nothing from left
      And left has been split into low and high
      And "p1" has been written to low
      When "p2" is written to high
      Then subscription "auditors" has "p1" waiting in low
      And subscription "auditors" has "p2" waiting in high

    Scenario: [3] A split of a child
      Given left has been split into low and high
      And low has been split into first and second
      And "p1" has been written to first
      When "p2" is written to second
      Then subscription "workers" has "p1" waiting in first
      And subscription "workers" has "p2" waiting in second

    @needs:crash
    Scenario: [4] Behind a crash
      Given left has been split into low and high
      And "p1" has been written to low
      And the system has crashed and come back
      When "p2" is written to high
      Then subscription "workers" has "p1" waiting in low
      And subscription "workers" has "p2" waiting in high

    @needs:crash-points
    Scenario: [5] One that came in the middle of a split
      Given a split of left has been cut short after-terminate
      And subscription "auditors" has come to left, which takes messages still
      And low and high came of left
      And "p1" has been written to low
      When "p2" is written to high
      Then subscription "auditors" has "p1" waiting in low
      And subscription "auditors" has "p2" waiting in high

  @PIP460-18 @MUST @sealing
  Rule: The child of a merge has the subscriptions of all its parents.
    Whoever has read one of the parents goes on in the child, or misses what is written there.

    Scenario: [1] One that is registered
      Given left has been split into low and high
      And low and high have been merged into whole
      When "p1" is written to whole
      Then subscription "workers" has "p1" waiting in whole

    Scenario: [2] One that only the first parent has
      Given left has been split into low and high
      And the consumer of shared subscription "auditors" has received nothing from low
      And low and high have been merged into whole
      When "p1" is written to whole
      Then subscription "auditors" has "p1" waiting in whole

    Scenario: [3] One that only the second parent has
      Given left has been split into low and high
      And the consumer of shared subscription "auditors" has received nothing from high
      And low and high have been merged into whole
      When "p1" is written to whole
      Then subscription "auditors" has "p1" waiting in whole

    Scenario: [4] One that both parents have
      Given left has been split into low and high
      And the consumer of shared subscription "auditors" has received nothing from low
      And the consumer of shared subscription "readers" has received nothing from high, by the name of "auditors"
      And low and high have been merged into whole
      When "p1" is written to whole
      Then subscription "auditors" has "p1" waiting in whole

    @needs:crash-points
    Scenario: [5] One that came to the second parent in the middle of a merge
      Given left has been split into low and high
      And a merge of low and high has been cut short after-terminate
      And subscription "auditors" has come to high, which takes messages still
      And whole came of low and high
      When "p1" is written to whole
      Then subscription "auditors" has "p1" waiting in whole
