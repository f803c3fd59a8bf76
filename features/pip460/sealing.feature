Feature: Sealed segments
  The messages of a sealed segment remain until every subscription has consumed them, and none are added. Its children continue where it
  ended.

  Background:
    Given the scalable topic "orders" of segments "left" and "right"
    And subscription "workers" has been registered for orders

  @PIP460-13 @MUST @sealing
  Rule: A broker refuses messages to a sealed segment with an error.
    A producer that is not notified would continue to write to a segment that no consumer reads, and see every send succeed.

    Scenario: [1] A producer opens a segment after it was split
      Given left has been split into low and high
      When a client opens a producer of left
      Then it is refused with TopicTerminatedError

    Scenario: [2] An attached producer sends after the split
      Given "p1" has been written to left
      And left has been split into low and high
      When the producer that left had sends "late"
      Then each of its requests is answered
      And it is refused with TopicTerminatedError

    Scenario: [3] A producer opens the second parent after a merge
      Given left has been split into low and high
      And low and high have been merged into whole
      When a client opens a producer of high
      Then it is refused with TopicTerminatedError

    Scenario: [4] A producer opens the first parent after a merge
      Given left has been split into low and high
      And low and high have been merged into whole
      When a client opens a producer of low
      Then it is refused with TopicTerminatedError

    Scenario: [5] A message that arrives after the split is not readable
      Given "p1" has been written to left
      And left has been split into low and high
      When the producer that left had sends "late"
      Then readers of left see "p1"
      And readers of low see nothing
      And readers of high see nothing

    Scenario: [6] A producer opens a sealed segment that retention has removed
      Given left has been split into low and high
      And the retention of sealed segments has passed
      When a client opens a producer of left
      Then it is refused

    @needs:crash
    Scenario: [7] A producer opens a sealed segment after a crash
      Given left has been split into low and high
      And the system has crashed and restarted
      When a client opens a producer of left
      Then it is refused with TopicTerminatedError

    Scenario: [8] A producer of the parent continues at a child
      Given "p1" has been written to left
      And left has been split into low and high
      When the producer that left had sends "p2" to low
      Then it is done
      And readers of low see "p2"

    Scenario: [9] An attached producer sends after the split of a segment in which a transaction is open
      Given transaction A
      And A has written "a1" to left
      And left has been split into low and high
      When the producer that left had sends "late"
      Then each of its requests is answered
      And it is refused with TopicTerminatedError
      And A is OPEN

  @PIP460-14 @MUST @sealing
  Rule: The messages of a sealed segment stay readable until every subscription has consumed them.
    A message that was acknowledged to its producer and not yet consumed would be lost with its segment.

    Scenario: [1] The messages of the parent are readable after a split
      Given "p1" has been written to left
      And left has been split into low and high
      When "p2" is written to low
      Then readers of left see "p1"
      And subscription "workers" has "p1" waiting in left

    Scenario: [2] The messages of both parents are readable after a merge
      Given left has been split into low and high
      And "p1" has been written to low
      And "p2" has been written to high
      And low and high have been merged into whole
      When "p3" is written to whole
      Then subscription "workers" has "p1" waiting in low
      And subscription "workers" has "p2" waiting in high

    Scenario: [3] A message that a consumer has not acknowledged remains after a split
      Given "p1" has been written to left
      And "p2" has been written to left
      And the consumer of shared subscription "workers" has received "p1", "p2" from left
      And "p1" has been acknowledged for "workers" without a transaction
      When left is split into low and high
      Then subscription "workers" has "p2" left

    Scenario: [4] Only one of two subscriptions has consumed the parent when the retention passes
      Given subscription "auditors" has been registered for orders
      And "p1" has been written to left
      And the consumer of shared subscription "auditors" has received "p1" from left
      And "p1" has been acknowledged for "auditors" without a transaction
      And left has been split into low and high
      When the retention of sealed segments passes
      Then subscription "workers" has "p1" waiting in left

    Scenario: [5] A consumer has acknowledged a later message and not an earlier one when the retention passes
      Given "m1", "m2" of key "m" have been written to orders
      And the consumer of shared subscription "workers" has received "m1", "m2" from left
      And "m2" has been acknowledged for "workers" without a transaction
      And left has been split into low and high
      When the retention of sealed segments passes
      Then subscription "workers" has "m1" left

    Scenario: [6] A consumer of the parent receives no end-of-topic notification before an open transaction
      Given transaction A
      And A has written "a1" to left
      And left has been split into low and high
      When a client subscribes to left
      Then it is not notified of the end of left before "a1", which A commits now

    Scenario: [7] Only one of two merged parents is consumed when the retention passes
      Given left has been split into low and high
      And "p1" has been written to high
      And low and high have been merged into whole
      And the retention of sealed segments has passed
      When an administrator looks at the layout of orders
      Then it is done
      And subscription "workers" has "p1" waiting in high

    Scenario: [8] An unregistered subscription has not consumed the parent when the retention passes
      Given "p1" has been written to left
      And the consumer of shared subscription "auditors" has received "p1" from left
      And the consumer of shared subscription "workers" has received "p1" from left
      And "p1" has been acknowledged for "workers" without a transaction
      And left has been split into low and high
      When the retention of sealed segments passes
      Then subscription "auditors" has "p1" left

    Scenario: [9] A consumer returns a message after the split and receives it again at once
      Given "p1" has been written to left
      And the consumer of shared subscription "workers" has received "p1" from left
      And left has been split into low and high
      When the consumer of "workers" asks for redelivery of "p1"
      Then the consumer of "workers" receives "p1" before any other write

    Scenario: [10] A transaction that has written to the parent is open when the retention passes
      Given transaction A
      And A has written "a1" to left
      And left has been split into low and high
      And the retention of sealed segments has passed
      When A commits
      Then subscription "workers" has "a1" waiting in left

    Scenario: [11] A transaction that has acknowledged in the parent is open when the retention passes
      Given transaction A
      And "p1" has been written to left
      And the consumer of exclusive subscription "workers" has received "p1" from left
      And A has acknowledged everything up to "p1" for "workers"
      And left has been split into low and high
      When the retention of sealed segments passes
      Then left and segments "low" and "high" name each other

    Scenario: [12] Each consumer of a subscription is notified when the parent is consumed
      Given "p1" has been written to left
      And the consumer of shared subscription "workers" has received "p1" from left
      And the consumer of shared subscription "others" has received nothing from left, by the name of "workers"
      And left has been split into low and high
      When "p1" is acknowledged for "workers" without a transaction
      Then the consumer of "workers" learns that there is no more
      And the consumer of "others" learns that there is no more

    Scenario: [13] A consumer that subscribes after everything was acknowledged is notified of the end
      Given "p1" has been written to left
      And the consumer of shared subscription "workers" has received "p1" from left
      And left has been split into low and high
      And "p1" has been acknowledged for "workers" without a transaction
      When "p2" is written to low
      Then the next consumer of "workers" is notified of the end of left

    Scenario: [14] A shared consumer stays attached until the other consumers have acknowledged their messages
      Given "p1" has been written to left
      And the consumer of shared subscription "workers" has received "p1" from left
      And left has been split into low and high
      And the consumer of shared subscription "others" has received nothing from left, by the name of "workers"
      When "p2" is written to low
      Then the consumer of "others" learns nothing of an end

    Scenario: [15] A checkpoint consumer that joins after two splits is assigned the segment between
      Given left has been split into low and high
      And "p1" has been written to low
      And low has been split into third and fourth
      When ann joins "jobs" of orders as a checkpoint consumer
      Then it is done
      And ann is assigned low, perhaps among others

    Scenario: [16] A consumer leaves a sealed segment whose messages it has not acknowledged
      Given "p1" has been written to left
      And the consumer of shared subscription "workers" has received "p1" from left
      And the consumer of shared subscription "others" has received nothing from left, by the name of "workers"
      And left has been split into low and high
      When the consumer of "workers" leaves
      Then the consumer of "others" receives "p1" and nothing else

    Scenario: [17] Only the second of two merged parents is consumed when the retention passes
      Given left has been split into low and high
      And "p1" has been written to low
      And low and high have been merged into whole
      And the retention of sealed segments has passed
      When an administrator looks at the layout of orders
      Then it is done
      And subscription "workers" has "p1" waiting in low

    Scenario: [18] The consumers of two subscriptions are notified when an empty segment is split
      Given the consumer of shared subscription "workers" has received nothing from left
      And the consumer of shared subscription "auditors" has received nothing from left
      When left is split into low and high
      Then the consumer of "workers" learns that there is no more
      And the consumer of "auditors" learns that there is no more

    Scenario: [19] A checkpoint consumer that joins after both children were split is assigned the first parent
      Given "p1" has been written to left
      And left has been split into low and high
      And low has been split into third and fourth
      And high has been split into fifth and sixth
      When ann joins "jobs" of orders as a checkpoint consumer
      Then it is done
      And ann is assigned left, perhaps among others

  @PIP460-16 @MUST @sealing
  Rule: No message is delivered twice because of a split or a merge.
    An order that is processed twice is paid twice.

    Scenario: [1] The children of a split begin empty
      Given "p1" has been written to left
      And left has been split into low and high
      When "p2" is written to low
      Then subscription "workers" has "p2" waiting in low
      And subscription "workers" has nothing waiting in high

    Scenario: [2] A message that was acknowledged before a split is not delivered again
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

    Scenario: [4] A message that was acknowledged before a merge is not delivered again
      Given left has been split into low and high
      And "p1" has been written to low
      And the consumer of shared subscription "workers" has received "p1" from low
      And "p1" has been acknowledged for "workers" without a transaction
      When low and high are merged into whole
      Then subscription "workers" has nothing left
      And subscription "workers" has nothing waiting in whole

    Scenario: [5] Messages that are in flight during a split are delivered once
      When left is split into low and high while it is written to
      Then what was receipted is read exactly once from orders, and nothing else twice

    Scenario: [6] A message that was acknowledged after a split is not delivered again when the parent is reloaded
      Given "p1" has been written to left
      And the consumer of shared subscription "workers" has received "p1" from left
      And left has been split into low and high
      And "p1" has been acknowledged for "workers" without a transaction
      And left has been unloaded
      When "p2" is written to low
      Then subscription "workers" has nothing left

  @PIP460-15 @MUST @sealing
  Rule: No message that a broker has acknowledged is lost in a split or a merge.
    An acknowledgement is a promise to every later reader of the segment, sealed or not.

    Scenario: [1] Messages are in flight to a segment that is split
      When right is split into low and high while it is written to
      Then what was receipted is read exactly once from orders, and nothing else twice

    Scenario: [2] Messages are in flight to segments that are merged
      Given left has been split into low and high
      When low and high are merged into whole while it is written to
      Then what was receipted is read exactly once from orders, and nothing else twice

    Scenario: [3] The last message before a split is readable
      Given "p1" has been written to left
      When left is split into low and high
      Then readers of left see "p1"

    Scenario: [4] The last messages before a merge are readable
      Given left has been split into low and high
      And "p1" has been written to low
      And "p2" has been written to high
      When low and high are merged into whole
      Then readers of low see "p1"
      And readers of high see "p2"

    @needs:crash
    Scenario: [5] Retention removes a segment of the same hash range whose number is a prefix of another one's
      Given the scalable topic "payments" of segments "a", "b", "c", "d", "e", "f", "g" and "h"
      And b has been split into low and high
      And low and high have been merged into whole
      And "p1" has been written to whole
      And the retention of sealed segments has passed
      When the system crashes and restarts
      Then readers of whole see "p1"

  @PIP460-19 @MUST @sealing
  Rule: A parent segment and its child never accept messages at the same time.
    A consumer would read a message that the parent accepts after the child's first one in the wrong order.

    Scenario: [1] Messages are written during a split
      When left is split into low and high while it is written to
      Then no segment took a message when its child had taken one

    Scenario: [2] Messages are written during a merge
      Given left has been split into low and high
      When low and high are merged into whole while it is written to
      Then no segment took a message when its child had taken one

    @needs:more-brokers @needs:crash-points
    Scenario: [3] A producer opens a child whose parent the controller has not yet sealed
      Given early is the lower child that a split of the first segment would have of orders
      And the system will crash after-children
      And a split of left has been tried
      When a client opens a producer of early
      Then it is refused, or left takes no message any more

    @needs:more-brokers @needs:crash-points
    Scenario: [4] A producer writes to a parent whose unfinished split the next controller has completed
      Given left has been split into low and high
      And "p1" has been written to high
      And the system will crash before-terminate
      And a split of high has been tried
      And first and second came of high
      When the producer that high had sends "late"
      Then readers of high see "p1"
