Feature: Scalable topics next to classic topics
  A broker serves both kinds of topics, and some clients know only one kind.

  Background:
    Given the scalable topic "orders" of segments "left" and "right"

  @PIP460-48 @MUST
  Rule: A broker refuses a client that opens a scalable topic as a classic topic.
    The broker would create a classic topic of the same name, whose messages no reader of the scalable topic ever receives.

    Scenario: [1] A producer opens a scalable topic as a classic topic
      When a client opens a producer of orders
      Then it is refused

    Scenario: [2] A consumer subscribes to a scalable topic as a classic topic
      When a client subscribes to orders
      Then it is refused

    Scenario: [3] A producer opens a scalable topic by its persistent name
      When a client opens a producer of orders as a persistent topic
      Then it is refused

    Scenario: [4] A consumer subscribes to a scalable topic by its persistent name
      When a client subscribes to orders as a persistent topic
      Then it is refused

    Scenario: [5] A producer opens a scalable topic that does not exist as a classic topic
      Given payments is a scalable topic that does not exist
      When a client opens a producer of payments
      Then it is refused

    Scenario: [6] A producer of a scalable topic is refused with an error that it does not retry
      When a client opens a producer of orders
      Then it is refused for good

    Scenario: [7] A consumer of a scalable topic is refused with an error that it does not retry
      When a client subscribes to orders
      Then it is refused for good

  @PIP460-49 @MUST
  Rule: Classic topics work on a broker that serves scalable topics as they do on any other broker.
    A user without scalable topics must not notice that another user has some.

    Scenario: [1] A message is written to a classic topic next to a scalable topic
      Given the classic topic "ledger"
      And "p1" has been written to left
      When "p2" is written to ledger
      Then readers of ledger see "p2"
      And readers of left see "p1"

    Scenario: [2] The messages of a classic topic survive a split of a scalable topic
      Given the classic topic "ledger"
      And "p1" has been written to ledger
      And left has been split into low and high
      When "p2" is written to ledger
      Then readers of ledger see "p1", "p2"

    Scenario: [3] The subscription of a classic topic survives a split of a scalable topic
      Given the classic topic "ledger"
      And "p1" has been written to ledger
      And the consumer of shared subscription "clerks" has received "p1" from ledger
      And left has been split into low and high
      When another consumer takes over "clerks"
      Then the consumer of "clerks" receives "p1" and nothing else

    Scenario: [4] A producer opens a classic topic after an attempt to create a scalable topic of the same name
      Given the classic topic "ledger"
      And "p1" has been written to ledger
      And a scalable topic under the name of ledger has been tried
      When a client opens a producer of ledger
      Then it is done
      And readers of ledger see "p1"
