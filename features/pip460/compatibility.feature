Feature: Scalable topics beside others
  A broker has both kinds of topics, and clients that know of one kind only.

  Background:
    Given the scalable topic "orders" of segments "left" and "right"

  @PIP460-48 @MUST
  Rule: Who uses the name of a scalable topic as that of a topic is refused.
    An extra topic of that name takes messages that no reader of the scalable topic ever sees.

    Scenario: [1] A producer
      When a client opens a producer of orders
      Then it is refused

    Scenario: [2] A consumer
      When a client subscribes to orders
      Then it is refused

    Scenario: [3] A producer by the name of a persistent topic
      When a client opens a producer of orders as a persistent topic
      Then it is refused

    Scenario: [4] A consumer by the name of a persistent topic
      When a client subscribes to orders as a persistent topic
      Then it is refused

    Scenario: [5] A producer of a scalable topic that there is not
      Given payments is a scalable topic that nobody has made
      When a client opens a producer of payments
      Then it is refused

    Scenario: [6] A producer, which does not come again
      When a client opens a producer of orders
      Then it is refused for good

    Scenario: [7] A consumer, which does not come again
      When a client subscribes to orders
      Then it is refused for good

  @PIP460-49 @MUST
  Rule: Topics that are not scalable work as before.
    Who has no scalable topic must not notice that others have.

    Scenario: [1] A message beside a scalable topic
      Given the classic topic "ledger"
      And "p1" has been written to left
      When "p2" is written to ledger
      Then readers of ledger see "p2"
      And readers of left see "p1"

    Scenario: [2] Messages through a split of a scalable topic
      Given the classic topic "ledger"
      And "p1" has been written to ledger
      And left has been split into low and high
      When "p2" is written to ledger
      Then readers of ledger see "p1", "p2"

    Scenario: [3] A subscription through a split of a scalable topic
      Given the classic topic "ledger"
      And "p1" has been written to ledger
      And the consumer of shared subscription "clerks" has received "p1" from ledger
      And left has been split into low and high
      When another consumer takes over "clerks"
      Then the consumer of "clerks" receives "p1" and nothing else

    Scenario: [4] Who comes behind the try of a scalable topic of its name
      Given the classic topic "ledger"
      And "p1" has been written to ledger
      And a scalable topic under the name of ledger has been tried
      When a client opens a producer of ledger
      Then it is done
      And readers of ledger see "p1"
