Feature: Producers that send a message again
  A producer whose connection is lost before the send receipt cannot know whether its message is stored, so it sends it again.

  Background:
    Given the deduplicated topic "orders"

  @PIP31-48 @MUST
  Rule: A topic stores a message once even if its producer sends it again after a lost connection.
    A producer that lost the send receipt sends the message again; if it is stored twice, it is delivered twice.

    Scenario: [1] A producer sends a message again on a new connection
      Given transaction A
      And producer P has written "a1" to orders in A
      And producer P has sent "a1" again on a new connection
      When A commits
      Then readers of orders see "a1"

    Scenario: [2] A producer sends a message again after the topic was unloaded
      Given transaction A
      And producer P has written "a1" to orders in A
      And orders has been unloaded
      And producer P has sent "a1" again on a new connection
      When A commits
      Then readers of orders see "a1"

    Scenario: [3] A producer sends a batch again after the topic was unloaded
      Given transaction A
      And producer P has written a batch of "a1", "a2", "a3" to orders in A
      And orders has been unloaded
      And producer P has sent a batch of "a1", "a2", "a3" again on a new connection
      When A commits
      Then readers of orders see "a1", "a2", "a3"

    Scenario: [4] A producer sends a new message to a deduplicated topic
      When "plain" is written to orders
      Then it is done
      And readers of orders get as far as "plain"

  @PIP31-144 @SHOULD
  Rule: A broker answers PRODUCER with the last sequence id that it has stored of the producer with that name.
    All messages of a producer that restarts at 0 would be acknowledged as duplicates, and never become visible.

    Scenario: [1] A producer reopens after it was closed
      Given transaction A
      And producer P has written "a1" to orders in A
      And producer P has closed
      When producer P opens again
      Then it is done
      And producer P is answered the last sequence id that it has used

    Scenario: [2] A producer of a batch reopens after the topic was unloaded
      Given transaction A
      And producer P has written a batch of "a1", "a2", "a3" to orders in A
      And producer P has closed
      And orders has been unloaded
      When producer P opens again
      Then producer P is answered the last sequence id that it has used

    Scenario: [3] A producer with another name writes to the topic
      Given transaction A
      And producer P has written a batch of "a1", "a2", "a3" to orders in A
      And producer Q has written "b1" to orders in A
      When A commits
      Then readers of orders see "a1", "a2", "a3", "b1"

    Scenario: [4] A new producer opens a deduplicated topic
      When producer P opens for the first time at orders
      Then producer P is answered the last sequence id that it has used
