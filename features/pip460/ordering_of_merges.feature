Feature: The order of messages across a merge
  The controller assigns a child when both of its parents are drained. The merged segments come from one split, since every system must
  allow that merge.

  Background:
    Given the scalable topic "orders" of segments "left" and "right"
    And left has been split into low and high

  @PIP460-22 @MUST @sealing
  Rule: After a merge, stream consumers receive the messages of a key in the order in which they were written.
    A consumer that reads a child before each of its parents processes a correction before the message that it corrects.

    Scenario: [1] One consumer reads both parents and the child
      Given ann has joined "workers" of orders
      And "m1", "m2" of key "m" have been written to orders
      And low and high have been merged into whole
      And "m3", "m4" of key "m" have been written to orders
      When the reading of ann comes to "m1", "m2", "m3", "m4"
      Then the reading of ann was "m1", "m2", "m3", "m4"

    Scenario: [2] The second parent has the messages, and the child is assigned to another consumer
      Given ann has joined "workers" of orders
      And bob has joined "workers" of orders
      And "e1", "e2", "e3" of key "e" have been written to orders
      And low and high have been merged into whole
      And "e4" of key "e" have been written to orders
      When the reading of ann and bob comes to "e1", "e2", "e3", "e4"
      Then the reading of ann and bob was "e1", "e2", "e3", "e4"

    Scenario: [3] A segment is split and its children are merged again
      Given ann has joined "workers" of orders
      And "m1", "m2" of key "m" have been written to orders
      And low has been split into third and fourth
      And third and fourth have been merged into whole
      And "m3", "m4" of key "m" have been written to orders
      When the reading of ann comes to "m1", "m2", "m3", "m4"
      Then the reading of ann was "m1", "m2", "m3", "m4"

    Scenario: [4] A consumer joins after the merge
      Given subscription "workers" has been registered for orders
      And "m1", "m2" of key "m" have been written to orders
      And low and high have been merged into whole
      And "m3", "m4" of key "m" have been written to orders
      And ann has joined "workers" of orders
      When the reading of ann comes to "m1", "m2", "m3", "m4"
      Then the reading of ann was "m1", "m2", "m3", "m4"
