Feature: Brokers serve segments
  A segment is a topic of one broker, which gives its messages to the consumers that have subscribed there.

  Background:
    Given the scalable topic "orders" of segments "left" and "right"

  @PIP460-53 @MUST
  Rule: A segment is one broker's at a time, and every other one refuses who comes for it.
    Two brokers that have one segment in memory show its messages to half of the consumers each, and write over each other's positions.

    @needs:more-brokers
    Scenario: [1] A producer that comes to another broker
      Given "p1" has been written to left
      When a client opens a producer of left at a broker that has it not
      Then it is refused

    @needs:more-brokers
    Scenario: [2] A consumer that comes to another broker
      Given "p1" has been written to left
      When a client subscribes to left at a broker that has it not
      Then it is refused

    @needs:more-brokers
    Scenario: [3] A consumer of a sealed segment that comes to another broker
      Given "p1" has been written to left
      And left has been split into low and high
      When a client subscribes to left at a broker that has it not
      Then it is refused
