Feature: The order of messages across a change of the layout
  The messages of one key are in a segment and then in its children. Stream consumers are assigned the children when the parent is
  drained.

  Background:
    Given the scalable topic "orders" of segments "left" and "right"

  @PIP460-21 @MUST @sealing
  Rule: After a split, stream consumers receive the messages of a key in the order in which they were written.
    A consumer that reads a child before its parent processes a correction before the message that it corrects.

    Scenario: [1] One consumer reads the parent and the child
      Given ann has joined "workers" of orders
      And "m1", "m2" of key "m" have been written to orders
      And left has been split into low and high
      And "m3", "m4" of key "m" have been written to orders
      When the reading of ann comes to "m1", "m2", "m3", "m4"
      Then the reading of ann was "m1", "m2", "m3", "m4"

    Scenario: [2] The child is assigned to another consumer than the parent
      Given ann has joined "workers" of orders
      And bob has joined "workers" of orders
      And "m1", "m2", "m3" of key "m" have been written to orders
      And left has been split into low and high
      And "m4" of key "m" have been written to orders
      When the reading of ann and bob comes to "m1", "m2", "m3", "m4"
      Then the reading of ann and bob was "m1", "m2", "m3", "m4"

    Scenario: [3] The child is split as well
      Given ann has joined "workers" of orders
      And "m1", "m2" of key "m" have been written to orders
      And left has been split into low and high, 2 times
      And "m3", "m4" of key "m" have been written to orders
      When the reading of ann comes to "m1", "m2", "m3", "m4"
      Then the reading of ann was "m1", "m2", "m3", "m4"

    Scenario: [4] A consumer joins after the split
      Given subscription "workers" has been registered for orders
      And "m1", "m2" of key "m" have been written to orders
      And left has been split into low and high
      And "m3", "m4" of key "m" have been written to orders
      And ann has joined "workers" of orders
      When the reading of ann comes to "m1", "m2", "m3", "m4"
      Then the reading of ann was "m1", "m2", "m3", "m4"

    Scenario: [5] A part of the parent was read before the split
      Given ann has joined "workers" of orders
      And "m1", "m2" of key "m" have been written to orders
      And the reading of ann has come to "m1"
      And left has been split into low and high
      And "m3" of key "m" have been written to orders
      When the reading of ann comes to "m3"
      Then the reading of ann was "m1", "m2", "m3"

  @PIP460-45 @MUST @sealing
  Rule: A controller does not assign the children of a split before the subscription has drained the parent.
    Two consumers would process messages of one key at the same time, in an unpredictable order.

    Scenario: [1] No message of the parent was read
      Given ann has joined "workers" of orders
      And "m1" has been written to left
      And left has been split into low and high
      When right is split into third and fourth
      Then ann is assigned left and third and fourth

    Scenario: [2] The messages of the parent are delivered and not acknowledged
      Given ann has joined "workers" of orders
      And "m1" has been written to left
      And the reading of ann has come to "m1", unacknowledged
      And left has been split into low and high
      When right is split into third and fourth
      Then ann is assigned left and third and fourth

    Scenario: [3] The parent is drained after the split
      Given ann has joined "workers" of orders
      And "m1" has been written to left
      And left has been split into low and high
      When the reading of ann comes to "m1"
      Then ann is assigned low and high and right

    Scenario: [4] Only one of two merged parents is drained
      Given ann has joined "workers" of orders
      And left has been split into low and high
      And "m1" has been written to high
      And low and high have been merged into whole
      When right is split into third and fourth
      Then ann is assigned high and third and fourth

    Scenario: [5] Only another subscription has drained the parent
      Given ann has joined "workers" of orders
      And bob has joined "auditors" of orders
      And "m1" has been written to left
      And left has been split into low and high
      When the reading of bob comes to "m1"
      Then bob is assigned low and high and right
      And ann is assigned left and right

    Scenario: [6] A child is split before the first parent is drained
      Given ann has joined "workers" of orders
      And "m1" has been written to left
      And left has been split into low and high
      And low has been split into first and second
      When right is split into third and fourth
      Then ann is assigned left and third and fourth

    Scenario: [7] The last message is acknowledged, and an earlier one is not
      Given "m1", "m2" of key "m" have been written to orders
      And the consumer of shared subscription "workers" has received "m1", "m2" from left
      And "m2" has been acknowledged for "workers" without a transaction
      And left has been split into low and high
      When ann joins "workers" of orders
      Then ann is assigned left and right

    Scenario: [8] An open transaction has acknowledged everything in the parent
      Given transaction A
      And "m1", "m2" of key "m" have been written to orders
      And the consumer of exclusive subscription "workers" has received "m1", "m2" from left
      And A has acknowledged everything up to "m2" for "workers"
      And left has been split into low and high
      When ann joins "workers" of orders
      Then ann is assigned left and right

    @needs:crash
    Scenario: [9] The system crashes before the parent is drained
      Given ann has joined "workers" of orders
      And "m1" has been written to left
      And left has been split into low and high
      And the system has crashed and restarted
      When ann joins "workers" of orders
      Then ann is assigned left and right

    Scenario: [10] An open transaction has written to the parent
      Given ann has joined "workers" of orders
      And transaction A
      And A has written "a1" to left
      And left has been split into low and high
      When right is split into third and fourth
      Then ann is assigned left and third and fourth

    Scenario: [11] The transaction that had written to the parent is aborted
      Given the consumer of shared subscription "workers" has received nothing from left
      And transaction A
      And A has written "a1" to left
      And left has been split into low and high
      And ann has joined "workers" of orders
      When A aborts
      Then ann is assigned low and high and right

    Scenario: [12] One message of a batch is acknowledged
      Given a batch of "m1", "m2" has been written to left
      And the consumer of shared subscription "workers" has received "m1", "m2" from left
      And "m2" has been acknowledged for "workers" without a transaction
      And left has been split into low and high
      When ann joins "workers" of orders
      Then ann is assigned left and right

    Scenario: [13] A child is split before the first parent is drained, and the retention passes
      Given ann has joined "workers" of orders
      And "m1" has been written to left
      And left has been split into low and high
      And low has been split into first and second
      And the retention of sealed segments has passed
      When right is split into third and fourth
      Then ann is assigned left and third and fourth

    Scenario: [14] Only the second of two merged parents is drained
      Given ann has joined "workers" of orders
      And left has been split into low and high
      And "m1" has been written to low
      And low and high have been merged into whole
      When right is split into third and fourth
      Then ann is assigned low and third and fourth
