Feature: Segments are assigned to stream consumers
  A stream consumer registers at the topic's controller, which tells it which segments it is to read.

  Background:
    Given the scalable topic "orders" of segments "left", "middle" and "right"

  @PIP460-34 @MUST
  Rule: Each active segment is assigned to exactly one stream consumer of a subscription.
    A segment of nobody is never read, and one of two is read by whoever is first.

    Scenario: [1] One consumer
      When ann joins "workers" of orders
      Then it is done
      And each active segment of orders is assigned once to ann

    Scenario: [2] Two consumers
      Given ann has joined "workers" of orders
      When bob joins "workers" of orders
      Then it is done
      And each active segment of orders is assigned once to ann and bob

    Scenario: [3] More consumers than segments
      Given the scalable topic "payments" of segment "single"
      And ann has joined "workers" of payments
      When bob joins "workers" of payments
      Then each active segment of payments is assigned once to ann and bob

    Scenario: [4] Another subscription has them all as well
      Given ann has joined "workers" of orders
      When bob joins "auditors" of orders
      Then each active segment of orders is assigned once to ann
      And each active segment of orders is assigned once to bob

    Scenario: [5] Behind a split
      Given ann has joined "workers" of orders
      And bob has joined "workers" of orders
      When middle is split into low and high
      Then each active segment of orders is assigned once to ann and bob

    Scenario: [6] Behind a merge
      Given ann has joined "workers" of orders
      And bob has joined "workers" of orders
      When left and middle are merged into whole
      Then each active segment of orders is assigned once to ann and bob

    Scenario: [7] A consumer that comes behind a split
      Given left has been split into low and high
      And ann has joined "workers" of orders
      When bob joins "workers" of orders
      Then each active segment of orders is assigned once to ann and bob

    Scenario: [8] A subscription whose name has a colon, behind a split
      Given ann has joined "workers:1" of orders
      When middle is split into low and high
      Then each active segment of orders is assigned once to ann

    Scenario: [9] A consumer whose name has a colon and a slash
      When ann joins "workers" of orders, calling itself "host:6650/1"
      Then each of its requests is answered
      And each active segment of orders is assigned once to ann

    Scenario: [10] Two consumers, of which one has the name that the other one's becomes in a URL
      Given ann has joined "workers" of orders, calling itself "host:6650/1"
      When bob joins "workers" of orders, calling itself "host%3A6650%2F1"
      Then each of its requests is answered
      And each active segment of orders is assigned once to ann and bob

    Scenario: [11] A subscription whose name has a slash, behind a split
      Given ann has joined "team/workers" of orders
      When middle is split into low and high
      Then each active segment of orders is assigned once to ann

    Scenario: [12] A subscription that was removed with its consumers, and made again
      Given ann has joined "workers" of orders
      And ann has been cut off
      And subscription "workers" has been unregistered from orders
      When bob joins "workers" of orders
      Then each active segment of orders is assigned once to bob

    Scenario: [13] Subscriptions of two topics, which have one name
      Given the scalable topic "payments" of segments "a" and "b"
      And ann has joined "workers" of orders
      And bob has joined "workers" of payments
      When middle is split into low and high
      Then each active segment of orders is assigned once to ann
      And each active segment of payments is assigned once to bob

    Scenario: [14] Consumers of two subscriptions, which call themselves the same
      Given ann has joined "workers" of orders, calling itself "reader"
      And bob has joined "auditors" of orders, calling itself "reader"
      When middle is split into low and high
      Then each active segment of orders is assigned once to ann
      And each active segment of orders is assigned once to bob

  @PIP460-35 @SHOULD
  Rule: Segments are dealt out in turn, both they and the consumers sorted.
    A controller that deals them out as it likes moves segments for nothing when another one takes over.

    Scenario: [1] Three segments, and two consumers
      Given ann has joined "workers" of orders
      When bob joins "workers" of orders
      Then each active segment of orders is assigned in turn to ann and bob

    Scenario: [2] The first by name comes last
      Given bob has joined "workers" of orders
      When ann joins "workers" of orders
      Then each active segment of orders is assigned in turn to ann and bob

    Scenario: [3] Three consumers
      Given carol has joined "workers" of orders
      And ann has joined "workers" of orders
      When bob joins "workers" of orders
      Then each active segment of orders is assigned in turn to ann and bob and carol

  @PIP460-36 @MUST
  Rule: When a stream consumer comes or goes, the segments are dealt out anew, and all are covered.
    A consumer that is not told reads on beside the one that has its segment now.

    Scenario: [1] The first is told that a second one has come
      Given ann has joined "workers" of orders
      When bob joins "workers" of orders
      Then ann and bob have a segment of orders each
      And each active segment of orders is assigned once to ann and bob

    Scenario: [2] A third one
      Given ann has joined "workers" of orders
      And bob has joined "workers" of orders
      When carol joins "workers" of orders
      Then ann and bob and carol have a segment of orders each
      And each active segment of orders is assigned once to ann and bob and carol

    Scenario: [3] One for which nothing is left
      Given the scalable topic "payments" of segment "single"
      And ann has joined "workers" of payments
      When bob joins "workers" of payments
      Then each active segment of payments is assigned once to ann and bob

    Scenario: [4] Both read what they have
      Given ann has joined "workers" of orders
      And bob has joined "workers" of orders
      And "p1" has been written to left
      And "p2" has been written to middle
      When the reading of ann and bob comes to "p1", "p2"
      Then the reading of ann and bob was "p1", "p2" in some order

    Scenario: [5] One that has nothing left
      Given the scalable topic "payments" of segment "single"
      And bob has joined "workers" of payments
      When ann joins "workers" of payments
      Then it is done
      And each active segment of payments is assigned once to ann and bob

    Scenario: [6] Another subscription goes, whose name is the beginning of this one's
      Given subscription "work" has been registered for orders
      And ann has joined "workers" of orders
      And subscription "work" has been unregistered from orders
      When middle is split into low and high
      Then each active segment of orders is assigned once to ann

    Scenario: [7] Another subscription goes, with its consumer
      Given ann has joined "workers" of orders
      And bob has joined "auditors" of orders
      And subscription "auditors" has been unregistered from orders
      When middle is split into low and high
      Then each active segment of orders is assigned once to ann

    Scenario: [8] Two that have one connection
      Given ann has joined "workers" of orders
      And bob has joined "workers" of orders, over the connection of ann
      When middle is split into low and high
      Then each active segment of orders is assigned once to ann and bob

    Scenario: [9] One that reads nothing for many changes
      Given ann has joined "workers" of orders
      And left has been split into low and high, 12 times
      And right has been split into third and fourth, 8 times
      When high is split into first and second
      Then each active segment of orders is assigned once to ann

    Scenario: [10] An assignment has the epoch of its layout
      Given ann has joined "workers" of orders
      When middle is split into low and high
      Then each active segment of orders is assigned once to ann
      And soon ann is sent away, or told of orders as it is now
