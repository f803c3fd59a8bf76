Feature: Consumers that read all segments
  A queue consumer shares every segment with other consumers. A checkpoint consumer reads every segment alone and remembers its positions.

  Background:
    Given the scalable topic "orders" of segments "left" and "right"

  @PIP460-42 @MUST @sealing
  Rule: A queue consumer receives the messages of active and of sealed segments without being registered.
    A consumer that subscribes to active segments only loses the messages of the sealed ones.

    Scenario: [1] A queue consumer reads a sealed parent and its children after a split
      Given "p1" has been written to left
      And left has been split into low and high
      And "p2" has been written to low
      And ann has joined "workers" of orders as a queue consumer
      When the reading of ann comes to "p1", "p2"
      Then the reading of ann was "p1", "p2" in some order

    Scenario: [2] A queue consumer reads the sealed parents and their child after a merge
      Given left has been split into low and high
      And "p1" has been written to high
      And low and high have been merged into whole
      And "p2" has been written to whole
      And ann has joined "workers" of orders as a queue consumer
      When the reading of ann comes to "p1", "p2"
      Then the reading of ann was "p1", "p2" in some order

    Scenario: [3] Two queue consumers receive each message once across a split
      Given "p1", "p2", "p3" of key "m" have been written to orders
      And left has been split into low and high
      And "p4", "p5" of key "m" have been written to orders
      And ann has joined "workers" of orders as a queue consumer
      And bob has joined "workers" of orders as a queue consumer
      When the reading of ann and bob comes to "p1", "p2", "p3", "p4", "p5"
      Then the reading of ann and bob was "p1", "p2", "p3", "p4", "p5" in some order

    Scenario: [4] A queue consumer takes no segment away from a stream consumer
      Given ann has joined "workers" of orders
      When bob joins "auditors" of orders as a queue consumer
      Then it is done
      And ann is assigned left and right, and was notified of no others

    Scenario: [5] Consumers that have acknowledged everything in an active segment receive no end-of-topic notification
      Given "p1" has been written to left
      And the consumer of shared subscription "workers" has received "p1" from left
      And "p1" has been acknowledged for "workers" without a transaction
      And the consumer of shared subscription "others" has received nothing from left, by the name of "workers"
      When "p2" is written to right
      Then the consumer of "workers" learns nothing of an end
      And the consumer of "others" learns nothing of an end

  @PIP460-44 @MUST @sealing
  Rule: A checkpoint consumer can return to a checkpoint that was taken before a split.
    A job that restarts from its checkpoint would lose messages or count them twice.

    Scenario: [1] A segment is split after the checkpoint
      Given "p1", "p2" of key "m" have been written to orders
      And ann has joined "jobs" of orders with checkpoints
      And the reading of ann has come to "p1", "p2"
      And left has been split into low and high
      When the reading of ann from behind "p1" comes to "p2"
      Then the reading of ann was "p1", "p2"

    Scenario: [2] A consumer that returns to its checkpoint also receives the messages of the children
      Given "p1", "p2" of key "m" have been written to orders
      And ann has joined "jobs" of orders with checkpoints
      And the reading of ann has come to "p1"
      And left has been split into low and high
      And "p3" of key "m" have been written to orders
      When the reading of ann from behind "p1" comes to "p2", "p3"
      Then the reading of ann was "p1", "p2", "p3" in some order

    Scenario: [3] The checkpoint is at the end of the segment that is split
      Given "p1", "p2" of key "m" have been written to orders
      And ann has joined "jobs" of orders with checkpoints
      And the reading of ann has come to "p2"
      And left has been split into low and high
      And "p3" of key "m" have been written to orders
      When the reading of ann from behind "p2" comes to "p3"
      Then the reading of ann was "p1", "p2", "p3"

    Scenario: [4] A checkpoint has positions in two segments that are merged
      Given left has been split into low and high
      And "p1", "p2" of key "m" have been written to orders
      And ann has joined "jobs" of orders with checkpoints
      And the reading of ann has come to "p1", "p2"
      And low and high have been merged into whole
      When the reading of ann from behind "p1" comes to "p2"
      Then the reading of ann was "p1", "p2"

    Scenario: [5] A checkpoint consumer that joins after a split is assigned the parent
      Given "p1" of key "m" have been written to orders
      And left has been split into low and high
      When ann joins "jobs" of orders as a checkpoint consumer
      Then it is done
      And ann is assigned left, perhaps among others

    Scenario: [6] A checkpoint consumer that joins an old topic soon after a split is assigned the parent
      Given "p1" of key "m" have been written to orders
      And the retention of sealed segments has passed
      And left has been split into low and high
      And the retention of sealed segments has passed but for its end
      When ann joins "jobs" of orders as a checkpoint consumer
      Then it is done
      And ann is assigned left, perhaps among others
