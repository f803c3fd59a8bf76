Feature: Every request is answered
  A client without an answer cannot know whether its request was understood, so it waits and retries.

  @PIP31-148 @SHOULD
  Rule: A broker answers every request of a client, and carries it out if it can.
    A client without an answer waits for its own timeout, and then does not know the state of its transaction.

    Scenario: [1] A new client sends one request of each kind
      When a client sends a request of each kind
      Then each of them is done

    Scenario: [2] A client names topics, consumers and transactions that do not exist
      Given the topic "orders" with "before"
      And the consumer of shared subscription "workers" has received "before" from orders
      And U is an unknown transaction
      When a client sends invalid requests to orders and "workers" in U
      Then each of them is answered

    Scenario: [3] A client writes to a topic that is unloaded and then terminated
      Given the topic "orders"
      When a client sends messages around an unload and after a termination to orders
      Then each of them is answered

    @needs:participant-ends
    Scenario: [4] Participants are notified of the end of an unknown transaction
      Given the topic "orders" with "before"
      And the consumer of shared subscription "workers" has received "before" from orders
      When a client sends ends of an unknown transaction to orders and "workers"
      Then each of them is answered

    Scenario: [5] A new client looks up a topic
      Given the topic "orders"
      When a new client of orders makes each of its requests
      Then each of its requests is answered

    Scenario: [6] A client writes to a topic without looking it up
      Given the topic "orders" with "before"
      When a client writes "there" to orders at the broker that it knows
      Then orders has "before", "there", or the client was sent to look for it

    Scenario: [7] A client names a consumer that does not exist
      When a client sends requests about an unknown consumer
      Then each of them is answered

    @needs:crash
    Scenario: [8] A broker crashes while a client waits for an answer
      When the system crashes and restarts while a client waits
      Then that client hears that its connection is lost
