Feature: What is asked is answered
  A client that hears nothing cannot know whether it was understood, so it waits, and asks again.

  @PIP31-148 @SHOULD
  Rule: What clients ask for is done where it can be, and answered in any case.
    A client that gets no answer waits until its own time is up, and then does not know what has become of its transaction.

    Scenario: [1] One thing of each kind
      When a new client asks for one thing of each kind
      Then each of them is done

    Scenario: [2] What is not there
      Given the topic "orders" with "before"
      And the consumer of shared subscription "workers" has received "before" from orders
      And U is an unknown transaction
      When a client asks for what is not there, with orders, "workers" and U
      Then each of them is answered

    Scenario: [3] A topic that goes away under its producer
      Given the topic "orders"
      When a client writes to orders before and after it is unloaded, and once it is terminated
      Then each of them is answered

    @needs:participant-ends
    Scenario: [4] Participants that are told of an end
      Given the topic "orders" with "before"
      And the consumer of shared subscription "workers" has received "before" from orders
      When orders and "workers" are told how a transaction ended that they do not have
      Then each of them is answered

    Scenario: [5] A client that is new
      Given the topic "orders"
      When a new client looks for orders
      Then it is answered whatever it asks, as the administrator of orders is

    Scenario: [6] A client that does not look where a topic is
      Given the topic "orders" with "before"
      When a client writes "there" to orders at the broker that it knows
      Then orders has "before", "there", or the client was sent to look for it

    Scenario: [7] A consumer that there is not
      When a client speaks of a consumer that there is not
      Then each of them is answered

    @needs:crash
    Scenario: [8] A client that waits when its broker crashes
      When the system crashes and comes back while a client waits
      Then that client hears that its connection is lost
