Feature: Readers that start at a position
  A reader keeps its own position, and starts after the message that it read last.

  Background:
    Given the topic "orders" with "o1", "o2"
    And transactions A and B

  @PIP31-141 @MUST
  Rule: A reader that starts after a message receives only the later visible messages.
    The reader would process a message twice after each restart, skip one, or receive what is not committed.

    Scenario: [1] A reader starts after a plain message with one transaction committed and one open
      Given A has written "a1" to orders
      And B has written "b1" to orders
      When A commits
      Then readers of orders from behind "o2" see "a1"

    Scenario: [2] A reader starts after a message in a batch
      Given a batch of "p1", "p2", "p3" has been written to orders
      And A has written "a1" to orders
      When A commits
      Then readers of orders from behind "p2" see "p3", "a1"

    Scenario: [3] A reader starts after the first message of a transaction
      Given A has written "a1", "a2" to orders
      When A commits
      Then readers of orders from behind "a1" see "a2"

    Scenario: [4] A reader starts at the end of a topic that is reloaded
      Given a consumer of "late" has begun behind all that is in orders
      And orders has been unloaded
      And A has written "a1" to orders
      When A commits
      Then the consumer of "late" receives "a1" and nothing else
