Feature: Several producers in one transaction
  A client opens a producer for each thing that it writes, and each of them counts its messages from the beginning.

  @PIP31-155 @MUST
  Rule: Messages of several producers in one transaction are all stored, also where their sequence ids are the same.
    Who takes the transaction for the producer takes the first message of the second producer for a repetition: it is receipted and gone.

    Background:
      Given transaction A

    Scenario Outline: [1] The first messages of two producers
      Given the <topic> "orders"
      And producer P has written "a1" to orders in A
      And producer Q has written "a2" to orders in A
      When A commits
      Then readers of orders see "a1", "a2"

      Examples:
        | topic              | why                                                     |
        | topic              | what a transaction repeats may be recognised everywhere |
        | deduplicated topic | here whatever is repeated is                            |

    Scenario: [2] The topic is unloaded in between
      Given the deduplicated topic "orders"
      And producer P has written "a1" to orders in A
      And orders has been unloaded
      And producer Q has written "a2" to orders in A
      When A commits
      Then readers of orders see "a1", "a2"
