Feature: Consumers and controllers that are absent for a while
  A controller waits for a stream consumer that was disconnected, and after a failover it waits for every consumer.

  Background:
    Given the scalable topic "orders" of segments "left" and "right"
    And ann has joined "workers" of orders
    And bob has joined "workers" of orders
    And left and right are those of ann and bob

  @PIP460-37 @MUST
  Rule: A stream or checkpoint consumer that reconnects within the grace period keeps its segments, and no other consumer's assignment changes.
    On an unstable network every segment would move back and forth, and messages that one consumer has read would be redelivered to
    another.

    Scenario: [1] The other consumer is not notified when one is disconnected
      When bob is cut off
      Then ann is assigned left, and was notified of no others

    Scenario: [2] A consumer that reconnects has the segments that it had
      Given bob has been cut off
      When bob joins "workers" of orders
      Then it is done
      And bob is assigned right
      And ann is assigned left, and was notified of no others

    Scenario: [3] The consumer whose name sorts first reconnects
      Given ann has been cut off
      When ann joins "workers" of orders
      Then it is done
      And ann is assigned left
      And bob is assigned right, and was notified of no others

    Scenario: [4] A consumer that reconnects reads on after what it has acknowledged
      Given "p1" has been written to right
      And "p2" has been written to right
      And the reading of bob has come to "p1"
      And bob has been cut off
      And bob has joined "workers" of orders
      When the reading of bob comes to "p2"
      Then the reading of bob was "p1", "p2"

    Scenario: [5] The former connection of a consumer ends after the consumer has reconnected
      Given bob has joined "workers" of orders
      And bob has been cut off from its first connection
      When right is split into low and high
      Then each active segment of orders is assigned once to ann and bob

    Scenario: [6] A segment of a disconnected consumer is split before the consumer reconnects
      Given bob has been cut off
      And right has been split into low and high
      When bob joins "workers" of orders
      Then each active segment of orders is assigned once to ann and bob
      And ann was notified of no other segments

    Scenario: [7] A consumer is disconnected a second time
      Given bob has been cut off
      And the grace period has passed but for its end
      And bob has joined "workers" of orders
      And bob has been cut off
      When the grace period passes but for its end
      Then ann is assigned left, and was notified of no others

    Scenario: [8] A segment that a consumer had drained before it reconnected is split
      Given "p1" has been written to right
      And the reading of bob has come to "p1"
      And bob has been cut off
      And bob has joined "workers" of orders
      When right is split into low and high
      Then each active segment of orders is assigned once to ann and bob

    Scenario: [9] Of two disconnected consumers, only the one whose grace period has passed loses its segments
      Given carol has joined "workers" of orders
      And ann has been cut off
      And the grace period has passed but for its end
      And bob has been cut off
      When the grace period passes but for its end
      Then carol is assigned right

    Scenario: [10] The grace period of a consumer that has reconnected passes
      Given bob has been cut off
      And bob has joined "workers" of orders
      When the grace period passes
      Then bob is assigned right
      And ann is assigned left, and was notified of no others

    Scenario: [11] A second consumer is disconnected within the grace period of the first
      Given carol has joined "workers" of orders
      And ann has been cut off
      When carol is cut off
      Then bob was notified of no other segments

    Scenario: [12] A checkpoint consumer is disconnected
      Given carol has joined "jobs" of orders as a checkpoint consumer
      And dave has joined "jobs" of orders as a checkpoint consumer
      When dave is cut off
      Then carol is assigned left, and was notified of no others

  @PIP460-38 @MUST
  Rule: A controller reassigns the segments of a stream or checkpoint consumer that does not reconnect within the grace period.
    Messages in a segment without a consumer stay unread until an administrator intervenes.

    Scenario: [1] The remaining consumer is assigned all segments
      Given "p1" has been written to right
      And "p2" has been written to right
      And the reading of bob has come to "p1"
      And bob has been cut off
      When the grace period passes
      Then ann is assigned left and right

    @needs:crash
    Scenario: [2] The system crashes after the segments were reassigned
      Given "p1" has been written to right
      And bob has been cut off
      And the grace period has passed
      And the reading of ann has come to "p1"
      And the system has crashed and restarted
      When ann joins "workers" of orders
      Then ann is assigned left and right

    @needs:virtual-time
    Scenario: [3] The grace period ends while retention removes a sealed segment and its sealed child
      Given left has been split into low and high
      And low has been split into first and second
      And bob has been cut off
      When the retention of sealed segments passes
      Then ann is assigned first and second and high and right

    Scenario: [4] A consumer that returns after its grace period shares with those that have its segments now
      Given bob has been cut off
      And the grace period has passed
      And abe has joined "workers" of orders
      When bob joins "workers" of orders
      Then each active segment of orders is assigned once to abe and ann and bob

    Scenario: [5] A consumer of another topic of the controller does not reconnect
      Given the scalable topic "payments" of segments "a" and "b"
      And abe has joined "workers" of payments
      And carol has joined "workers" of payments
      And carol has been cut off
      When the grace period passes
      Then abe is assigned a and b

    Scenario: [6] Two consumers of one subscription do not reconnect
      Given carol has joined "workers" of orders
      And ann has been cut off
      And bob has been cut off
      When the grace period passes
      Then carol is assigned left and right

    Scenario: [7] A consumer does not reconnect whose segment was split before it was drained
      Given "p1" has been written to right
      And right has been split into low and high
      And bob has been cut off
      When the grace period passes
      Then ann is assigned left and right

    Scenario: [8] A consumer of another subscription does not reconnect, and its name is that of a connected one
      Given carol has joined "auditors" of orders, calling itself "bob"
      And carol has been cut off
      When the grace period passes
      Then ann is assigned left, and was notified of no others

    Scenario: [9] Other consumers join while a consumer is waited for that does not reconnect
      Given bob has been cut off
      And the grace period has passed but for its end
      And dave has joined "workers" of orders
      And the grace period has passed but for its end
      When carol joins "workers" of orders
      Then each active segment of orders is assigned once to ann and carol and dave

    Scenario: [10] Segments are split while a consumer is waited for that does not reconnect
      Given bob has been cut off
      And the grace period has passed but for its end
      And left has been split into low and high
      And the grace period has passed but for its end
      When low is split into lowest and lower
      Then each active segment of orders is assigned once to ann

    Scenario: [11] A checkpoint consumer does not reconnect
      Given carol has joined "jobs" of orders as a checkpoint consumer
      And dave has joined "jobs" of orders as a checkpoint consumer
      And dave has been cut off
      When the grace period passes
      Then carol is assigned left and right

    Scenario: [12] A consumer of another topic does not reconnect, and its name is that of a connected one
      Given the scalable topic "payments" of segments "a" and "b"
      And carol has joined "workers" of payments, calling itself "bob"
      And carol has been cut off
      When the grace period passes
      Then ann is assigned left, and was notified of no others

  @PIP460-39 @MUST @recovery
  Rule: Assignments survive a failover of the controller: a stream consumer that reconnects is assigned the segments that it had.
    Otherwise each failover takes all segments away from each consumer that reconnects a little later than the others.

    @needs:crash
    Scenario: [1] The first consumer that reconnects has its own segments and no others
      Given the system has crashed and restarted
      When bob joins "workers" of orders
      Then it is done
      And bob is assigned right

    @needs:crash
    Scenario: [2] All consumers reconnect and have the segments that they had
      Given the system has crashed and restarted
      And bob has joined "workers" of orders
      When ann joins "workers" of orders
      Then it is done
      And ann is assigned left
      And bob is assigned right, and was notified of no others

    @needs:crash
    Scenario: [3] A consumer that reconnects reads on
      Given "p1" has been written to right
      And the system has crashed and restarted
      And bob has joined "workers" of orders
      When the reading of bob comes to "p1"
      Then the reading of bob was "p1"

  @PIP460-40 @MUST @recovery
  Rule: Stream consumers continue to read their segments while the topic has no controller.
    If a controller were needed for each message, its crash would stop all consumers of the topic.

    @needs:more-brokers
    Scenario: [1] Consumers without a controller receive messages that were written before it crashed
      Given "p1" has been written to left
      And "p2" has been written to right
      And the controller of orders has crashed
      When the reading of ann and bob comes to "p1", "p2"
      Then the reading of ann was "p1"
      And the reading of bob was "p2"

    @needs:more-brokers
    Scenario: [2] Consumers without a controller receive messages that were written after it crashed
      Given the controller of orders has crashed
      And "p1" has been written to left
      And "p2" has been written to right
      When the reading of ann and bob comes to "p1", "p2"
      Then the reading of ann was "p1"
      And the reading of bob was "p2"

  @PIP460-52 @MUST @recovery
  Rule: After a failover, the new controller waits the whole grace period for each consumer of its predecessor.
    A new controller does not know how long its predecessor has waited, and the consumers that were connected to the predecessor have
    lost their connections too.

    @needs:crash @needs:virtual-time
    Scenario: [1] A consumer was disconnected long before the failover
      Given bob has been cut off
      And the grace period has passed but for its end
      And the system has crashed and restarted
      And ann has joined "workers" of orders
      When the grace period passes but for its end
      Then ann is assigned left, and was notified of no others

    @needs:crash @needs:virtual-time
    Scenario: [2] A consumer reconnects late, after a failover
      Given bob has been cut off
      And the grace period has passed but for its end
      And the system has crashed and restarted
      And the grace period has passed but for its end
      When bob joins "workers" of orders
      Then bob is assigned right

    @needs:crash @needs:virtual-time
    Scenario: [3] A consumer that does not reconnect after a failover loses its segments
      Given the system has crashed and restarted
      And ann has joined "workers" of orders
      When the grace period passes
      Then ann is assigned left and right

    @needs:more-brokers @needs:store-faults @needs:virtual-time
    Scenario: [4] A consumer has reconnected to an interim controller
      Given bob has been cut off
      And the grace period has passed but for its end
      And the controller of orders has been replaced while it lives
      And bob has joined "workers" of orders
      And the controller of orders has been replaced while it lives
      When the grace period passes but for its end
      Then ann is assigned left, and was notified of no others

    @needs:crash @needs:virtual-time
    Scenario: [5] A consumer does not reconnect after two failovers
      Given the system has crashed and restarted
      And ann has joined "workers" of orders
      And the grace period has passed but for its end
      And the system has crashed and restarted
      And ann has joined "workers" of orders
      When the grace period passes but for its end
      Then ann is assigned left, and was notified of no others

    @needs:crash
    Scenario: [6] A checkpoint consumer reconnects after a failover, and the other one has not reconnected yet
      Given carol has joined "jobs" of orders as a checkpoint consumer
      And dave has joined "jobs" of orders as a checkpoint consumer
      And the system has crashed and restarted
      When carol joins "jobs" of orders as a checkpoint consumer
      Then it is done
      And carol is assigned left
