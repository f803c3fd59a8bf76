Feature: Administering scalable topics
  An administrator creates, changes and deletes scalable topics. Clients address their segments by name.

  Background:
    Given the scalable topic "orders" of segments "left" and "right"

  @PIP460-26 @MUST
  Rule: A segment's name consists of its topic, hash range and number, and a broker refuses a client that uses any other name.
    A segment with a second name becomes a second topic, and no consumer looks for its messages there.

    Scenario: [1] A producer writes to a segment by its full name
      When "p1" is written to left
      Then it is done
      And readers of left see "p1"

    Scenario: [2] A producer names a segment number that does not exist
      Given stranger is a segment that does not exist of orders
      When a client opens a producer of stranger
      Then it is refused

    Scenario: [3] A producer names an existing segment with the wrong hash range
      Given stranger is the first segment by hashes that it has not of orders
      When a client opens a producer of stranger
      Then it is refused

    Scenario: [4] A producer names a segment by its number alone
      Given stranger is the first segment by its number alone of orders
      When a client opens a producer of stranger
      Then it is refused

    Scenario: [5] A consumer names a segment with its hash range in decimal
      Given stranger is the first segment by decimal hashes of orders
      When a client subscribes to stranger
      Then it is refused

    Scenario: [6] A producer writes to a child segment by its full name after a split
      Given left has been split into low and high
      When "p1" is written to high
      Then it is done
      And readers of high see "p1"

  @PIP460-46 @MUST
  Rule: An administrator can create, list, inspect, split, merge and delete scalable topics.
    A topic that cannot be administered cannot be operated.

    Scenario: [1] An administrator creates a scalable topic and lists its namespace
      When an administrator makes the scalable topic "payments" of segments "a" and "b"
      Then it is done
      And payments is among the scalable topics of its namespace
      And orders is among the scalable topics of its namespace

    Scenario: [2] An administrator inspects the layout of a topic
      When an administrator looks at the layout of orders
      Then it is done
      And orders has 2 equal segments of its first epoch

    Scenario: [3] An administrator splits a segment
      When left is split into low and high
      Then it is done
      And the layout of orders is what the answers say

    Scenario: [4] An administrator merges two segments
      Given left has been split into low and high
      When low and high are merged into whole
      Then it is done
      And the layout of orders is what the answers say

    Scenario: [5] An administrator deletes a topic
      When an administrator deletes orders as a whole
      Then it is done
      And orders is not among the scalable topics of its namespace

    Scenario: [6] An administrator lists a namespace whose name is a prefix of another namespace's name
      Given the scalable topic "payments" of segment "single", in a namespace whose name begins with that of others
      When an administrator makes the scalable topic "ledger" of segment "whole"
      Then ledger is among the scalable topics of the namespace of orders
      And payments is not among the scalable topics of the namespace of orders
      And payments is among the scalable topics of its namespace

    Scenario: [7] A client watches a namespace whose name is a prefix of another namespace's name
      Given the scalable topic "payments" of segment "single", in a namespace whose name begins with that of others
      When client A begins to watch the namespace of orders
      Then it is notified of orders and not of payments

    Scenario: [8] An administrator deletes a topic whose name is a prefix of another topic's name
      Given the scalable topic "payments" of segments "a" and "b", under a name that begins with that of the first one
      And "p1" has been written to a
      When an administrator deletes orders as a whole
      Then it is done
      And payments has 2 equal segments of its first epoch
      And readers of a see "p1"

    Scenario: [9] A client that watches a namespace is notified of a deleted and a created topic
      Given client A has begun to watch the namespace of orders
      And orders has been deleted as a whole
      When an administrator makes the scalable topic "payments" of segment "single"
      Then client A is notified of payments and not of orders

    Scenario: [10] An administrator creates a topic that exists and has been split
      Given "p1" has been written to left
      And left has been split into low and high
      When an administrator makes the scalable topic "orders" of segments "low", "high" and "right"
      Then orders is at epoch 1, which created low and high and sealed left
      And readers of left see "p1"

    @needs:store-faults
    Scenario: [11] A client is notified of a topic whose creation was not notified to its broker
      Given orders has been deleted as a whole
      And client A has begun to watch the namespace of orders
      And the next event of a change of a layout is lost
      When an administrator makes the scalable topic "payments" of segment "single"
      Then client A is notified of payments and not of orders

    Scenario: [12] An administrator creates a topic that exists and is unchanged
      When an administrator makes the scalable topic "orders" of segments "left", "middle" and "right"
      Then it is refused
      And orders has 2 equal segments of its first epoch

    Scenario: [13] A client that watches a namespace still knows one topic when another one is deleted
      Given the scalable topic "payments" of segment "single"
      And client A has begun to watch the namespace of orders
      When an administrator deletes payments as a whole
      Then client A is notified of orders and not of payments

    @needs:more-brokers @needs:store-faults
    Scenario: [14] An administrator splits a segment through a broker that is not the controller
      Given the controller of orders is another broker than the one that administrators ask
      When an administrator looks at the layout of orders
      Then soon a split of left is made
      And the layout of orders is what the answers say

    Scenario: [15] An administrator creates a topic that exists and has an open transaction
      Given transaction A
      And A has written "a1" to left
      When an administrator makes the scalable topic "orders" of segments "left", "middle" and "right"
      Then it is refused
      And A is OPEN
      And readers of left see nothing

    Scenario: [16] A client watches a namespace with two topics
      Given the scalable topic "payments" of segment "single"
      And the scalable topic "events" of segment "root", in a namespace whose name begins with that of others
      When client A begins to watch the namespace of orders
      Then it is notified of orders and not of events
      And it is notified of payments and not of events

  @PIP460-47 @MUST
  Rule: Nothing is left of a deleted topic: no active or sealed segment and no metadata.
    A new topic of the same name would begin with the messages of the deleted one.

    Scenario: [1] The layout of a deleted topic is requested
      Given left has been split into low and high
      And orders has been deleted as a whole
      When an administrator looks at the layout of orders
      Then it is refused

    Scenario: [2] A producer opens an active segment of a deleted topic
      Given left has been split into low and high
      And orders has been deleted as a whole
      When a client opens a producer of high
      Then it is refused

    Scenario: [3] A consumer subscribes to a sealed segment of a deleted topic
      Given left has been split into low and high
      And orders has been deleted as a whole
      When a client subscribes to left
      Then it is refused

    Scenario: [4] A recreated topic has none of the former messages
      Given "p1" has been written to left
      And orders has been deleted as a whole
      When an administrator makes the scalable topic "orders" of segments "left" and "right"
      Then it is done
      And orders has 2 equal segments of its first epoch
      And readers of left see nothing

    Scenario: [5] A recreated topic has none of the messages of a segment that was sealed
      Given "p1" has been written to left
      And left has been split into low and high
      And orders has been deleted as a whole
      When an administrator makes the scalable topic "orders" of segments "left" and "right"
      Then orders has 2 equal segments of its first epoch
      And readers of left see nothing

    Scenario: [6] A recreated topic has none of the former subscriptions
      Given subscription "workers" has been registered for orders
      And orders has been deleted as a whole
      And the scalable topic "orders" of segments "left" and "right"
      When "p1" is written to left
      Then subscription "workers" has nothing waiting in left

    Scenario: [7] A recreated topic has none of the former consumers
      Given bob has joined "workers" of orders
      And bob has been cut off
      And orders has been deleted as a whole
      And the scalable topic "orders" of segments "left" and "right"
      When ann joins "workers" of orders
      Then it is done
      And each active segment of orders is assigned once to ann

    @needs:crash
    Scenario: [8] A topic that was not used since a restart is deleted and recreated
      Given "p1" has been written to left
      And the system has crashed and restarted
      And orders has been deleted as a whole
      When an administrator makes the scalable topic "orders" of segments "left" and "right"
      Then orders has 2 equal segments of its first epoch
      And readers of left see nothing

    Scenario: [9] A consumer of a deleted topic is still connected when the topic is recreated
      Given ann has joined "workers" of orders
      And orders has been deleted as a whole
      And the scalable topic "orders" of segments "left" and "right"
      When left is split into low and high
      Then soon ann is sent away, or notified of orders as it is now

    Scenario: [10] A recreated topic has none of the messages of a segment that retention had removed
      Given "p1" has been written to left
      And left has been split into low and high
      And the retention of sealed segments has passed
      And orders has been deleted as a whole
      When an administrator makes the scalable topic "orders" of segments "left" and "right"
      Then orders has 2 equal segments of its first epoch
      And readers of left see nothing

    Scenario: [11] A consumer of a segment is notified when the topic is deleted
      Given "p1" has been written to left
      And the consumer of shared subscription "workers" has received "p1" from left
      When an administrator deletes orders as a whole
      Then it is done
      And the consumer of "workers" is notified that it is closed

    Scenario: [12] A producer of a segment is notified when the topic is deleted
      Given "p1" has been written to left
      When an administrator deletes orders as a whole
      Then it is done
      And the producer of left is notified that it is closed

    @needs:crash-points
    Scenario: [13] A topic that was deleted during an unfinished split is recreated
      Given the system will crash after-terminate
      And a split of left has been tried
      And the system has restarted
      And orders has been deleted as a whole
      And the scalable topic "orders" of segments "left" and "right"
      When the retention of sealed segments passes
      Then orders has 2 equal segments of its first epoch

    Scenario: [14] Two consumers of a deleted topic are still connected when the topic is recreated
      Given ann has joined "workers" of orders
      And bob has joined "workers" of orders
      And orders has been deleted as a whole
      And the scalable topic "orders" of segments "left" and "right"
      When left is split into low and high
      Then soon ann is sent away, or notified of orders as it is now
      And soon bob is sent away, or notified of orders as it is now

    Scenario: [15] Consumers of two subscriptions of a deleted topic are still connected when the topic is recreated
      Given ann has joined "workers" of orders
      And bob has joined "auditors" of orders
      And orders has been deleted as a whole
      And the scalable topic "orders" of segments "left" and "right"
      When left is split into low and high
      Then soon ann is sent away, or notified of orders as it is now
      And soon bob is sent away, or notified of orders as it is now

    Scenario: [16] A recreated topic has none of the messages of the second segment that retention had removed
      Given "p1" has been written to right
      And left has been split into low and high
      And right has been split into third and fourth
      And the retention of sealed segments has passed
      And orders has been deleted as a whole
      When an administrator makes the scalable topic "orders" of segments "left" and "right"
      Then readers of right see nothing

    Scenario: [17] A recreated topic has none of the former messages of its last segment
      Given "p1" has been written to right
      And orders has been deleted as a whole
      When an administrator makes the scalable topic "orders" of segments "left" and "right"
      Then orders has 2 equal segments of its first epoch
      And readers of right see nothing

    Scenario: [18] The children of a recreated topic have none of two former subscriptions
      Given subscription "auditors" has been registered for orders
      And subscription "workers" has been registered for orders
      And orders has been deleted as a whole
      And the scalable topic "orders" of segments "left" and "right"
      And left has been split into low and high
      When "p1" is written to low
      Then subscription "auditors" has nothing waiting in low

  @PIP460-55 @MUST
  Rule: A subscription that is registered for a topic is on every active segment, from the segment's first message on.
    A consumer never reads what is written to a segment without its subscription.

    Scenario: [1] A subscription is registered after messages were written
      Given "p1" has been written to left
      And "p2" has been written to right
      And subscription "workers" has been registered for orders
      When "p3" is written to right
      Then subscription "workers" has "p1" waiting in left
      And subscription "workers" has "p2", "p3" waiting in right

    Scenario: [2] A subscription is registered after a split
      Given left has been split into low and high
      And subscription "workers" has been registered for orders
      And "p1" has been written to low
      And "p2" has been written to high
      When "p3" is written to right
      Then subscription "workers" has "p2" waiting in high
      And subscription "workers" has "p3" waiting in right

    Scenario: [3] A subscription that is registered after a split does not include the sealed parent
      Given "p1" has been written to left
      And left has been split into low and high
      And subscription "workers" has been registered for orders
      When "p2" is written to low
      Then subscription "workers" has nothing waiting in left
      And subscription "workers" has "p2" waiting in low
