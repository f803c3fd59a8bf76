Feature: Consumers that read all segments
  A queue consumer shares every segment with others. A checkpoint consumer reads every segment for itself, and remembers where it was.

  Background:
    Given the scalable topic "orders" of segments "left" and "right"

  @PIP460-42 @MUST @sealing
  Rule: A queue consumer is given the messages of active and of sealed segments, without being registered.
    What stands in a sealed segment is lost to whoever subscribes to active ones only.

    Scenario: [1] Behind a split
      Given "p1" has been written to left
      And left has been split into low and high
      And "p2" has been written to low
      And ann has joined "workers" of orders as a queue consumer
      When the reading of ann comes to "p1", "p2"
      Then the reading of ann was "p1", "p2" in some order

    Scenario: [2] Behind a merge
      Given left has been split into low and high
      And "p1" has been written to high
      And low and high have been merged into whole
      And "p2" has been written to whole
      And ann has joined "workers" of orders as a queue consumer
      When the reading of ann comes to "p1", "p2"
      Then the reading of ann was "p1", "p2" in some order

    Scenario: [3] Two consumers, each message once
      Given "p1", "p2", "p3" of key "m" have been written to orders
      And left has been split into low and high
      And "p4", "p5" of key "m" have been written to orders
      And ann has joined "workers" of orders as a queue consumer
      And bob has joined "workers" of orders as a queue consumer
      When the reading of ann and bob comes to "p1", "p2", "p3", "p4", "p5"
      Then the reading of ann and bob was "p1", "p2", "p3", "p4", "p5" in some order

    Scenario: [4] It takes no segment away from a stream consumer
      Given ann has joined "workers" of orders
      When bob joins "auditors" of orders as a queue consumer
      Then it is done
      And ann is assigned left and right, and was told of no others

    Scenario: [5] Consumers that have acknowledged all of an active segment are told of no end
      Given "p1" has been written to left
      And the consumer of shared subscription "workers" has received "p1" from left
      And "p1" has been acknowledged for "workers" without a transaction
      And the consumer of shared subscription "others" has received nothing from left, by the name of "workers"
      When "p2" is written to right
      Then the consumer of "workers" is told nothing of an end
      And the consumer of "others" is told nothing of an end

  @PIP460-44 @MUST @sealing
  Rule: A checkpoint from before a split can be gone back to behind it.
    A job that begins anew at its checkpoint loses what it finds no more, or counts twice what it finds again.

    Scenario: [1] A split behind the checkpoint
      Given "p1", "p2" of key "m" have been written to orders
      And ann has joined "jobs" of orders with checkpoints
      And the reading of ann has come to "p1", "p2"
      And left has been split into low and high
      When the reading of ann from behind "p1" comes to "p2"
      Then the reading of ann was "p1", "p2"

    Scenario: [2] What the children have comes as well
      Given "p1", "p2" of key "m" have been written to orders
      And ann has joined "jobs" of orders with checkpoints
      And the reading of ann has come to "p1"
      And left has been split into low and high
      And "p3" of key "m" have been written to orders
      When the reading of ann from behind "p1" comes to "p2", "p3"
      Then the reading of ann was "p1", "p2", "p3" in some order

    Scenario: [3] At the end of the segment
      Given "p1", "p2" of key "m" have been written to orders
      And ann has joined "jobs" of orders with checkpoints
      And the reading of ann has come to "p2"
      And left has been split into low and high
      And "p3" of key "m" have been written to orders
      When the reading of ann from behind "p2" comes to "p3"
      Then the reading of ann was "p1", "p2", "p3"

    Scenario: [4] A position in each of two segments that are merged
      Given left has been split into low and high
      And "p1", "p2" of key "m" have been written to orders
      And ann has joined "jobs" of orders with checkpoints
      And the reading of ann has come to "p1", "p2"
      And low and high have been merged into whole
      When the reading of ann from behind "p1" comes to "p2"
      Then the reading of ann was "p1", "p2"

    Scenario: [5] A consumer that comes behind the split is assigned the parent
      Given "p1" of key "m" have been written to orders
      And left has been split into low and high
      When ann joins "jobs" of orders as a checkpoint consumer
      Then it is done
      And left is among the segments of ann

    Scenario: [6] A consumer that comes soon behind the split of an old topic is assigned the parent
      Given "p1" of key "m" have been written to orders
      And the retention of sealed segments has passed
      And left has been split into low and high
      And the retention of sealed segments has passed but for its end
      When ann joins "jobs" of orders as a checkpoint consumer
      Then it is done
      And left is among the segments of ann
