Feature: Several producers in one transaction
  A client opens a producer for each kind of message that it writes, and each producer has its own sequence ids.

  @PIP31-155 @MUST
  Rule: A topic stores the messages of several producers in one transaction, even if their sequence ids are equal.
    A broker that deduplicates per transaction instead of per producer drops the second producer's first message, although it
    acknowledged it.

    Background:
      Given transaction A

    Scenario Outline: [1] Two producers send their first messages in one transaction
      Given the <topic> "orders"
      And producer P has written "a1" to orders in A
      And producer Q has written "a2" to orders in A
      When A commits
      Then readers of orders see "a1", "a2"

      Examples:
        | topic              | why                                                          |
        | topic              | a repetition in a transaction may be recognised on any topic |
        | deduplicated topic | every repetition is recognised here                          |

    Scenario: [2] Two producers write in one transaction, and the topic is unloaded in between
      Given the deduplicated topic "orders"
      And producer P has written "a1" to orders in A
      And orders has been unloaded
      And producer Q has written "a2" to orders in A
      When A commits
      Then readers of orders see "a1", "a2"
