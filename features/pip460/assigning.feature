Feature: Segments are assigned to stream consumers
  A stream consumer registers with the topic's controller, which assigns the segments that it reads.

  Background:
    Given the scalable topic "orders" of segments "left", "middle" and "right"

  @PIP460-34 @MUST
  Rule: A controller assigns each active segment to exactly one stream consumer of a subscription.
    A segment without an owner is never read; a segment with two owners is read by whichever polls first.

    Scenario: [1] One consumer joins and is assigned all segments
      When ann joins "workers" of orders
      Then it is done
      And each active segment of orders is assigned once to ann

    Scenario: [2] A second consumer joins
      Given ann has joined "workers" of orders
      When bob joins "workers" of orders
      Then it is done
      And each active segment of orders is assigned once to ann and bob

    Scenario: [3] There are more consumers than segments
      Given the scalable topic "payments" of segment "single"
      And ann has joined "workers" of payments
      When bob joins "workers" of payments
      Then each active segment of payments is assigned once to ann and bob

    Scenario: [4] The consumer of another subscription is assigned all segments as well
      Given ann has joined "workers" of orders
      When bob joins "auditors" of orders
      Then each active segment of orders is assigned once to ann
      And each active segment of orders is assigned once to bob

    Scenario: [5] Two consumers share the segments after a split
      Given ann has joined "workers" of orders
      And bob has joined "workers" of orders
      When middle is split into low and high
      Then each active segment of orders is assigned once to ann and bob

    Scenario: [6] Two consumers share the segments after a merge
      Given ann has joined "workers" of orders
      And bob has joined "workers" of orders
      When left and middle are merged into whole
      Then each active segment of orders is assigned once to ann and bob

    Scenario: [7] A consumer joins after a split
      Given left has been split into low and high
      And ann has joined "workers" of orders
      When bob joins "workers" of orders
      Then each active segment of orders is assigned once to ann and bob

    Scenario: [8] The name of a subscription contains a colon, and a segment is split
      Given ann has joined "workers:1" of orders
      When middle is split into low and high
      Then each active segment of orders is assigned once to ann

    Scenario: [9] The name of a consumer contains a colon and a slash
      When ann joins "workers" of orders, calling itself "host:6650/1"
      Then each of its requests is answered
      And each active segment of orders is assigned once to ann

    Scenario: [10] The name of one consumer is the URL-encoded name of another
      Given ann has joined "workers" of orders, calling itself "host:6650/1"
      When bob joins "workers" of orders, calling itself "host%3A6650%2F1"
      Then each of its requests is answered
      And each active segment of orders is assigned once to ann and bob

    Scenario: [11] The name of a subscription contains a slash, and a segment is split
      Given ann has joined "team/workers" of orders
      When middle is split into low and high
      Then each active segment of orders is assigned once to ann

    Scenario: [12] A subscription is removed together with its consumers and created again
      Given ann has joined "workers" of orders
      And ann has been cut off
      And subscription "workers" has been unregistered from orders
      When bob joins "workers" of orders
      Then each active segment of orders is assigned once to bob

    Scenario: [13] Subscriptions of two topics have the same name
      Given the scalable topic "payments" of segments "a" and "b"
      And ann has joined "workers" of orders
      And bob has joined "workers" of payments
      When middle is split into low and high
      Then each active segment of orders is assigned once to ann
      And each active segment of payments is assigned once to bob

    Scenario: [14] Consumers of two subscriptions have the same name
      Given ann has joined "workers" of orders, calling itself "reader"
      And bob has joined "auditors" of orders, calling itself "reader"
      When middle is split into low and high
      Then each active segment of orders is assigned once to ann
      And each active segment of orders is assigned once to bob

    Scenario: [15] A subscription is removed together with two consumers and created again
      Given ann has joined "workers" of orders
      And bob has joined "workers" of orders
      And ann has been cut off
      And bob has been cut off
      And subscription "workers" has been unregistered from orders
      When carol joins "workers" of orders
      Then each active segment of orders is assigned once to carol

  @PIP460-35 @SHOULD
  Rule: A controller assigns segments to stream consumers round-robin, with both segments and consumers sorted.
    A controller that assigns them in an arbitrary order moves segments without need after each failover.

    Scenario: [1] Three segments are assigned to two consumers
      Given ann has joined "workers" of orders
      When bob joins "workers" of orders
      Then each active segment of orders is assigned in turn to ann and bob

    Scenario: [2] The consumer whose name sorts first joins last
      Given bob has joined "workers" of orders
      When ann joins "workers" of orders
      Then each active segment of orders is assigned in turn to ann and bob

    Scenario: [3] Three segments are assigned to three consumers
      Given carol has joined "workers" of orders
      And ann has joined "workers" of orders
      When bob joins "workers" of orders
      Then each active segment of orders is assigned in turn to ann and bob and carol

  @PIP460-36 @MUST
  Rule: When a stream consumer joins or leaves, the controller reassigns the segments so that each one is assigned.
    A consumer that is not notified continues to read a segment that now belongs to another consumer.

    Scenario: [1] The first consumer is notified when a second one joins
      Given ann has joined "workers" of orders
      When bob joins "workers" of orders
      Then ann and bob have a segment of orders each
      And each active segment of orders is assigned once to ann and bob

    Scenario: [2] A third consumer joins
      Given ann has joined "workers" of orders
      And bob has joined "workers" of orders
      When carol joins "workers" of orders
      Then ann and bob and carol have a segment of orders each
      And each active segment of orders is assigned once to ann and bob and carol

    Scenario: [3] A consumer joins a topic whose only segment is assigned already
      Given the scalable topic "payments" of segment "single"
      And ann has joined "workers" of payments
      When bob joins "workers" of payments
      Then each active segment of payments is assigned once to ann and bob

    Scenario: [4] Two consumers read the segments that they are assigned
      Given ann has joined "workers" of orders
      And bob has joined "workers" of orders
      And "p1" has been written to left
      And "p2" has been written to middle
      When the reading of ann and bob comes to "p1", "p2"
      Then the reading of ann and bob was "p1", "p2" in some order

    Scenario: [5] The consumer whose name sorts first joins a topic of one segment
      Given the scalable topic "payments" of segment "single"
      And bob has joined "workers" of payments
      When ann joins "workers" of payments
      Then it is done
      And each active segment of payments is assigned once to ann and bob

    Scenario: [6] A subscription whose name is a prefix of this one's name is deleted
      Given subscription "work" has been registered for orders
      And ann has joined "workers" of orders
      And subscription "work" has been unregistered from orders
      When middle is split into low and high
      Then each active segment of orders is assigned once to ann

    Scenario: [7] Another subscription is deleted together with its consumer
      Given ann has joined "workers" of orders
      And bob has joined "auditors" of orders
      And subscription "auditors" has been unregistered from orders
      When middle is split into low and high
      Then each active segment of orders is assigned once to ann

    Scenario: [8] Two consumers share one connection
      Given ann has joined "workers" of orders
      And bob has joined "workers" of orders, over the connection of ann
      When middle is split into low and high
      Then each active segment of orders is assigned once to ann and bob

    Scenario: [9] A consumer reads no notification during many changes
      Given ann has joined "workers" of orders
      And left has been split into low and high, 12 times
      And right has been split into third and fourth, 8 times
      When high is split into first and second
      Then each active segment of orders is assigned once to ann

    Scenario: [10] An assignment carries the epoch of the layout after a split
      Given ann has joined "workers" of orders
      When middle is split into low and high
      Then each active segment of orders is assigned once to ann
      And soon ann is sent away, or notified of orders as it is now
