Feature: What consumers may rely on
  Guarantees without transactions that a broker with transactions still has to give.

  Background:
    Given the topic "inputs" with "i1", "i2", "i3"

  @PIP31-133 @MUST
  Rule: A broker answers every request of a consumer.
    A client without an answer waits for its timeout and reconnects.

    Scenario: [1] A consumer sends each of its requests, from SUBSCRIBE to UNSUBSCRIBE and CLOSE_CONSUMER
      When a consumer of inputs makes each of its requests
      Then each of its requests is answered

  @PIP31-134 @MUST
  Rule: A broker sends a consumer no more messages than the consumer has permits for.
    A client that requests only what fits into its memory would run out of it.

    Scenario Outline: [1] A consumer has permits for two of three messages
      When a consumer of <kind> subscription "workers" of inputs asks for 2 messages
      Then the consumer of "workers" receives "i1", "i2" and no more unasked

      Examples:
        | kind      | why                                               |
        | shared    | permits determine which consumer can receive more |
        | exclusive | permits determine how far to read                 |

    Scenario: [2] An abort redelivers to a consumer that has used its permits
      Given the consumer of shared subscription "workers" has received "i1", "i2" from inputs, with 2 permits
      And transaction A
      And A has acknowledged "i1", "i2" for "workers"
      When A aborts
      Then the consumer of "workers" receives nothing for a while

  @PIP31-135 @MUST
  Rule: A broker marks as redelivered each message that a consumer of a shared subscription has returned, and no other message.
    Clients count how often a message failed in order to set it aside: they would set it aside at once, or retry it for ever.

    Scenario: [1] A consumer receives messages for the first time
      When a consumer of shared subscription "workers" of inputs asks for 3 messages
      Then the consumer of "workers" receives "i1", "i2", "i3" for the first time

    Scenario: [2] A consumer receives messages again that it has returned
      Given the consumer of shared subscription "workers" has received "i1", "i2", "i3" from inputs
      When the consumer of "workers" asks for redelivery of "i1", "i2"
      Then the consumer of "workers" receives "i1", "i2" once more

  @PIP31-138 @MUST
  Rule: A broker refuses a second consumer of an exclusive subscription, and a consumer with another subscription type than the attached ones, and changes nothing of the subscription.
    Two consumers that each expect to be the only one process every message twice.

    Scenario: [1] A second consumer subscribes to an exclusive subscription
      Given the consumer of exclusive subscription "workers" has received "i1", "i2", "i3" from inputs
      When another consumer tries to join "workers"
      Then it is refused with ConsumerBusy

    Scenario: [2] A consumer subscribes with another subscription type
      Given the consumer of shared subscription "workers" has received "i1", "i2", "i3" from inputs
      When another consumer tries to join "workers" as failover
      Then it is refused

    Scenario: [3] A second consumer subscribes to a shared subscription that was exclusive before
      Given the consumer of exclusive subscription "workers" has received "i1", "i2", "i3" from inputs
      And the consumer of "workers" has left
      And the consumer of shared subscription "others" has received "i1", "i2", "i3" from inputs, by the name of "workers"
      When another consumer tries to join "others"
      Then it is done

    Scenario: [4] A second consumer subscribes to an exclusive subscription whose consumer has lost its connection
      Given the consumer of exclusive subscription "workers" has received "i1", "i2", "i3" from inputs
      When another consumer tries to join "workers" when the connection of the one that is there is lost
      Then it is done

    Scenario: [5] A second consumer is refused while an acknowledgement is pending
      Given the consumer of exclusive subscription "workers" has received "i1", "i2", "i3" from inputs
      And transaction A
      And A has acknowledged "i1" for "workers"
      When another consumer tries to join "workers"
      Then it is refused with ConsumerBusy
      And subscription "workers" has "i2", "i3" left

    Scenario: [6] A consumer of another subscription type is refused while an acknowledgement is pending
      Given the consumer of shared subscription "workers" has received "i1", "i2", "i3" from inputs
      And transaction A
      And A has acknowledged "i1" for "workers"
      When another consumer tries to join "workers" as failover
      Then it is refused
      And subscription "workers" has "i2", "i3" left

  @PIP31-139 @SHOULD @sealing
  Rule: When a consumer has acknowledged everything in a terminated topic, the broker notifies it, and no other consumer, that the topic has ended.
    A job that reads a topic to its end would wait for ever, or end before it has read everything.

    Scenario: [1] A consumer has acknowledged everything in a terminated topic
      Given the consumer of exclusive subscription "workers" has received "i1", "i2", "i3" from inputs
      And everything up to "i3" has been acknowledged for "workers" without a transaction
      And inputs has been terminated
      When another consumer takes over "workers"
      Then the consumer of "workers" learns that there is no more

    Scenario: [2] A consumer has not read a message of a terminated topic
      Given inputs has been terminated
      When a consumer of exclusive subscription "workers" of inputs asks for 2 messages
      Then the consumer of "workers" receives "i1", "i2" and no more unasked
      And the consumer of "workers" learns nothing of an end

    Scenario: [3] A consumer has acknowledged everything in a topic that is not terminated
      Given the consumer of exclusive subscription "workers" has received "i1", "i2", "i3" from inputs
      And everything up to "i3" has been acknowledged for "workers" without a transaction
      When another consumer takes over "workers"
      Then the consumer of "workers" learns nothing of an end

  @PIP31-140 @MUST
  Rule: A plain cumulative acknowledgement deletes every message up to the one that it names, and no later one.
    A message that is not deleted is processed twice, and one that is deleted in addition is never processed.

    Scenario: [1] A consumer acknowledges cumulatively up to the second of three messages
      Given the consumer of exclusive subscription "workers" has received "i1", "i2", "i3" from inputs
      When everything up to "i2" is acknowledged for "workers" without a transaction
      Then subscription "workers" has "i3" left

    Scenario: [2] A consumer acknowledges cumulatively up to the first message of a batch
      Given a batch of "b1", "b2", "b3" has been written to inputs
      And the consumer of exclusive subscription "workers" has received "i1", "i2", "i3", "b1", "b2", "b3" from inputs
      When everything up to "b1" is acknowledged for "workers" without a transaction
      Then subscription "workers" has at least "b2", "b3" left

    Scenario: [3] A consumer acknowledges cumulatively up to the last message of a batch
      Given a batch of "b1", "b2", "b3" has been written to inputs
      And "i4" has been written to inputs
      And the consumer of exclusive subscription "workers" has received "i1", "i2", "i3", "b1", "b2", "b3", "i4" from inputs
      When everything up to "b3" is acknowledged for "workers" without a transaction
      Then subscription "workers" has "i4" left

    @needs:crash
    Scenario: [4] A consumer acknowledges cumulatively up to the first message of a committed transaction before a crash
      Given transaction A
      And A has written "a1", "a2", "a3" to inputs
      And A has committed
      And the consumer of exclusive subscription "workers" has received "i1", "i2", "i3", "a1", "a2", "a3" from inputs
      And everything up to "a1" has been acknowledged for "workers" without a transaction
      When the system crashes and restarts
      Then subscription "workers" has at least "a2", "a3" left

  @PIP31-158 @MUST
  Rule: A broker sends a consumer as many messages as the consumer has permits for; messages that it must not receive use no permit.
    A client that requests a few messages at a time would wait for ever, because messages that are never sent used its permits.

    Scenario: [1] A consumer requests a message after two pending ones when the topic is reloaded
      Given the consumer of shared subscription "workers" has received "i1", "i2", "i3" from inputs
      And transaction A
      And A has acknowledged "i1", "i2" for "workers"
      And the consumer of "workers" has left
      And inputs has been unloaded
      When a consumer of shared subscription "workers" of inputs asks for 1 messages
      Then the consumer of "workers" receives "i3" and no more unasked

    Scenario Outline: [2] A consumer requests four messages among which are those of an aborted transaction
      Given transaction A
      And A has written "a1", "a2" to inputs
      And A has aborted
      And "i4" has been written to inputs
      When a consumer of <kind> subscription "workers" of inputs asks for 4 messages
      Then the consumer of "workers" receives "i1", "i2", "i3", "i4" and no more unasked

      Examples:
        | kind      | why                                               |
        | shared    | permits determine which consumer can receive more |
        | exclusive | permits determine how far to read                 |
