Feature: Administering scalable topics
  An administrator makes scalable topics, changes them and deletes them. Clients call their segments by name.

  Background:
    Given the scalable topic "orders" of segments "left" and "right"

  @PIP460-26 @MUST
  Rule: A segment is called by its topic, its hashes and its number, and by nothing else.
    A segment that answers to a second name is a second topic, and nobody looks for its messages there.

    Scenario: [1] Its own name
      When "p1" is written to left
      Then it is done
      And readers of left see "p1"

    Scenario: [2] A number that no segment has
      Given stranger is a segment that nobody has made of orders
      When a client opens a producer of stranger
      Then it is refused

    Scenario: [3] Other hashes
      Given stranger is the first segment by hashes that it has not of orders
      When a client opens a producer of stranger
      Then it is refused

    Scenario: [4] The number alone
      Given stranger is the first segment by its number alone of orders
      When a client opens a producer of stranger
      Then it is refused

    Scenario: [5] Decimal hashes
      Given stranger is the first segment by decimal hashes of orders
      When a client subscribes to stranger
      Then it is refused

    Scenario: [6] Its name, behind a split
      Given left has been split into low and high
      When "p1" is written to high
      Then it is done
      And readers of high see "p1"

  @PIP460-46 @MUST
  Rule: An administrator can make, list, look at, split, merge and delete scalable topics.
    What cannot be administered cannot be run.

    Scenario: [1] Make and list
      When an administrator makes the scalable topic "payments" of segments "a" and "b"
      Then it is done
      And payments is among the scalable topics of its namespace
      And orders is among the scalable topics of its namespace

    Scenario: [2] Look at
      When an administrator looks at the layout of orders
      Then it is done
      And orders has 2 equal segments of its first epoch

    Scenario: [3] Split
      When left is split into low and high
      Then it is done
      And the layout of orders is what the answers say

    Scenario: [4] Merge
      Given left has been split into low and high
      When low and high are merged into whole
      Then it is done
      And the layout of orders is what the answers say

    Scenario: [5] Delete
      When an administrator deletes orders as a whole
      Then it is done
      And orders is not among the scalable topics of its namespace

    Scenario: [6] The list of a namespace whose name is a part of another one's
      Given the scalable topic "payments" of segment "single", in a namespace whose name begins with that of others
      When an administrator makes the scalable topic "ledger" of segment "whole"
      Then ledger is among the scalable topics of the namespace of orders
      And payments is not among the scalable topics of the namespace of orders
      And payments is among the scalable topics of its namespace

    Scenario: [7] What clients are told of such a namespace
      Given the scalable topic "payments" of segment "single", in a namespace whose name begins with that of others
      When client A begins to watch the namespace of orders
      Then it is told of orders and not of payments

    Scenario: [8] A topic whose name is the beginning of another one's is deleted
      Given the scalable topic "payments" of segments "a" and "b", under a name that begins with that of the first one
      And "p1" has been written to a
      When an administrator deletes orders as a whole
      Then it is done
      And payments has 2 equal segments of its first epoch
      And readers of a see "p1"

    Scenario: [9] What clients are told when one topic is deleted and another one made
      Given client A has begun to watch the namespace of orders
      And orders has been deleted as a whole
      When an administrator makes the scalable topic "payments" of segment "single"
      Then client A is told of payments and not of orders

    Scenario: [10] Make one that is there
      Given "p1" has been written to left
      And left has been split into low and high
      When an administrator makes the scalable topic "orders" of segments "low", "high" and "right"
      Then orders is at epoch 1, which created low and high and sealed left
      And readers of left see "p1"

    @needs:store-faults
    Scenario: [11] What clients are told of a topic of which the broker itself was not told
      Given orders has been deleted as a whole
      And client A has begun to watch the namespace of orders
      And the store does not tell of the next change of a layout
      When an administrator makes the scalable topic "payments" of segment "single"
      Then client A is told of payments and not of orders

    Scenario: [12] Make one that is there, which nobody has changed
      When an administrator makes the scalable topic "orders" of segments "left", "middle" and "right"
      Then it is refused
      And orders has 2 equal segments of its first epoch

    Scenario: [13] What clients know of one topic when another one is deleted
      Given the scalable topic "payments" of segment "single"
      And client A has begun to watch the namespace of orders
      When an administrator deletes payments as a whole
      Then client A is told of orders and not of payments

    @needs:more-brokers @needs:store-faults
    Scenario: [14] Split, at a broker that is not the controller
      Given the controller of orders is another broker than the one that administrators ask
      When an administrator looks at the layout of orders
      Then soon a split of left is made
      And the layout of orders is what the answers say

  @PIP460-47 @MUST
  Rule: Of a topic that was deleted nothing is left, neither segments, active and sealed, nor metadata.
    Who makes a topic of that name again finds somebody else's messages in it.

    Scenario: [1] Its metadata
      Given left has been split into low and high
      And orders has been deleted as a whole
      When an administrator looks at the layout of orders
      Then it is refused

    Scenario: [2] Its active segments
      Given left has been split into low and high
      And orders has been deleted as a whole
      When a client opens a producer of high
      Then it is refused

    Scenario: [3] Its sealed segments
      Given left has been split into low and high
      And orders has been deleted as a whole
      When a client subscribes to left
      Then it is refused

    Scenario: [4] A topic of that name again
      Given "p1" has been written to left
      And orders has been deleted as a whole
      When an administrator makes the scalable topic "orders" of segments "left" and "right"
      Then it is done
      And orders has 2 equal segments of its first epoch
      And readers of left see nothing

    Scenario: [5] A topic of that name again, and what it had sealed
      Given "p1" has been written to left
      And left has been split into low and high
      And orders has been deleted as a whole
      When an administrator makes the scalable topic "orders" of segments "left" and "right"
      Then orders has 2 equal segments of its first epoch
      And readers of left see nothing

    Scenario: [6] Its subscriptions
      Given subscription "workers" has been registered for orders
      And orders has been deleted as a whole
      And the scalable topic "orders" of segments "left" and "right"
      When "p1" is written to left
      Then subscription "workers" has nothing waiting in left

    Scenario: [7] The consumers of its subscriptions
      Given bob has joined "workers" of orders
      And bob has been cut off
      And orders has been deleted as a whole
      And the scalable topic "orders" of segments "left" and "right"
      When ann joins "workers" of orders
      Then it is done
      And each active segment of orders is assigned once to ann

    @needs:crash
    Scenario: [8] A topic of that name again, when nobody had used it since a restart
      Given "p1" has been written to left
      And the system has crashed and come back
      And orders has been deleted as a whole
      When an administrator makes the scalable topic "orders" of segments "left" and "right"
      Then orders has 2 equal segments of its first epoch
      And readers of left see nothing

    Scenario: [9] A topic of that name again, and a consumer that is still there
      Given ann has joined "workers" of orders
      And orders has been deleted as a whole
      And the scalable topic "orders" of segments "left" and "right"
      When left is split into low and high
      Then soon ann is sent away, or told of orders as it is now

    Scenario: [10] A topic of that name again, and what was removed while the first one was there
      Given "p1" has been written to left
      And left has been split into low and high
      And the retention of sealed segments has passed
      And orders has been deleted as a whole
      When an administrator makes the scalable topic "orders" of segments "left" and "right"
      Then orders has 2 equal segments of its first epoch
      And readers of left see nothing

    Scenario: [11] A consumer of one of its segments
      Given "p1" has been written to left
      And the consumer of shared subscription "workers" has received "p1" from left
      When an administrator deletes orders as a whole
      Then it is done
      And the consumer of "workers" is told that it is closed

    Scenario: [12] A producer of one of its segments
      Given "p1" has been written to left
      When an administrator deletes orders as a whole
      Then it is done
      And the producer of left is told that it is closed

    @needs:crash-points
    Scenario: [13] A topic of that name again, when the first one has gone in the middle of a split
      Given the system will crash after-terminate
      And a split of left has been tried
      And the system has come back
      And orders has been deleted as a whole
      And the scalable topic "orders" of segments "left" and "right"
      When the retention of sealed segments passes
      Then orders has 2 equal segments of its first epoch

  @PIP460-55 @MUST
  Rule: A subscription that is registered is on every active segment, from its first message on.
    What is written to a segment where the subscription is not is never read by it.

    Scenario: [1] Messages from before
      Given "p1" has been written to left
      And "p2" has been written to right
      And subscription "workers" has been registered for orders
      When "p3" is written to right
      Then subscription "workers" has "p1" waiting in left
      And subscription "workers" has "p2", "p3" waiting in right

    Scenario: [2] Behind a split
      Given left has been split into low and high
      And subscription "workers" has been registered for orders
      And "p1" has been written to low
      And "p2" has been written to high
      When "p3" is written to right
      Then subscription "workers" has "p2" waiting in high
      And subscription "workers" has "p3" waiting in right

    Scenario: [3] What was sealed before is not a part of it
      Given "p1" has been written to left
      And left has been split into low and high
      And subscription "workers" has been registered for orders
      When "p2" is written to low
      Then subscription "workers" has nothing waiting in left
      And subscription "workers" has "p2" waiting in low
