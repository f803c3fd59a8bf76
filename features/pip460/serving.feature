Feature: Brokers serve segments
  A segment is a topic of one broker, which delivers its messages to the consumers that have subscribed there.

  Background:
    Given the scalable topic "orders" of segments "left" and "right"

  @PIP460-53 @MUST
  Rule: Exactly one broker serves a segment; every other broker refuses producers and consumers of it.
    Each of two brokers with the same segment delivers its messages to a part of the consumers, and overwrites the other's positions.

    @needs:more-brokers
    Scenario: [1] A producer opens a segment at a broker that does not own it
      Given "p1" has been written to left
      When a client opens a producer of left at a broker that has it not
      Then it is refused

    @needs:more-brokers
    Scenario: [2] A consumer subscribes to a segment at a broker that does not own it
      Given "p1" has been written to left
      When a client subscribes to left at a broker that has it not
      Then it is refused

    @needs:more-brokers
    Scenario: [3] A consumer subscribes to a sealed segment at a broker that does not own it
      Given "p1" has been written to left
      And left has been split into low and high
      When a client subscribes to left at a broker that has it not
      Then it is refused

  @PIP460-54 @MUST
  Rule: A segment dispatches messages as the subscription type requires: key-shared by key, exclusive to a single consumer.
    Changes of one order overtake each other if two consumers read its key. Two consumers that both expect to be exclusive process
    everything twice.

    Scenario: [1] Two consumers of a key-shared subscription, and messages of one key
      Given the scalable topic "payments" of segment "single"
      And the consumer of key-shared subscription "workers" has received nothing from single
      And the consumer of key-shared subscription "others" has received nothing from single, by the name of "workers"
      When "p1", "p2", "p3", "p4" of key "m" are written to payments
      Then one of "workers" and "others" receives "p1", "p2", "p3", "p4", and the other one nothing

    Scenario: [2] A key-shared consumer returns the messages of a sealed segment
      Given the scalable topic "payments" of segment "single"
      And "p1", "p2", "p3", "p4" of key "m" have been written to payments
      And single has been split into low and high
      And the consumer of key-shared subscription "workers" has received "p1", "p2", "p3", "p4" from single
      And the consumer of key-shared subscription "others" has received nothing from single, by the name of "workers"
      When the consumer of "workers" asks for redelivery of "p1", "p2", "p3", "p4"
      Then one of "workers" and "others" receives "p1", "p2", "p3", "p4", and the other one nothing

    Scenario: [3] A second consumer subscribes to an exclusive subscription
      Given the consumer of exclusive subscription "workers" has received nothing from left
      When another consumer tries to join "workers"
      Then it is refused with ConsumerBusy

    Scenario: [4] A key-shared consumer joins while another one has unacknowledged messages of every key
      Given the scalable topic "payments" of segment "single"
      And "p1", "p2", "p3", "p4", "p5", "p6", "p7", "p8" of a key each have been written to payments
      And the consumer of key-shared subscription "workers" has received "p1", "p2", "p3", "p4", "p5", "p6", "p7", "p8" from single
      And the consumer of key-shared subscription "others" has received nothing from single, by the name of "workers"
      When "q1", "q2", "q3", "q4", "q5", "q6", "q7", "q8" of these keys are written to payments
      Then the consumer of "others" receives nothing for a while

    Scenario: [5] A key-shared consumer joins, and all messages of the key are acknowledged
      Given the scalable topic "payments" of segment "single"
      And "p1" of key "m" have been written to payments
      And the consumer of key-shared subscription "workers" has received "p1" from single
      And the consumer of key-shared subscription "others" has received nothing from single, by the name of "workers"
      And "p1" has been acknowledged for "workers" without a transaction
      When "q1", "q2" of key "m" are written to payments
      Then one of "workers" and "others" receives "q1", "q2", and the other one nothing

    Scenario: [6] A key-shared consumer joins while another one has acknowledged only part of the messages of each key
      Given the scalable topic "payments" of segment "single"
      And "p1", "q1", "p2", "q2", "p3", "q3", "p4", "q4" of a key for each pair have been written to payments
      And the consumer of key-shared subscription "workers" has received "p1", "q1", "p2", "q2", "p3", "q3", "p4", "q4" from single
      And the consumer of key-shared subscription "others" has received nothing from single, by the name of "workers"
      And "p2", "p3", "p4" has been acknowledged for "workers" without a transaction
      When "r1", "r2", "r3", "r4" of these keys are written to payments
      Then the consumer of "others" receives nothing for a while
