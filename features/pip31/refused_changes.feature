Feature: Changes that are refused
  An administrator or a consumer requests a change that the broker refuses. Clients with open transactions do not notice it.

  Background:
    Given the topic "inputs" with "i1", "i2"

  @PIP31-176 @MUST
  Rule: A broker that refuses to change its coordinators, a topic or a subscription keeps them as they are, with their open transactions.
    One mistaken request would end the transactions of every client, or release what they have acknowledged.

    @needs:more-coordinators
    Scenario: [1] An administrator reduces the number of coordinators
      Given the system has 2 coordinators
      When the number of coordinators is set to 1
      Then it is refused
      And the last coordinator begins a transaction

    @needs:more-coordinators
    Scenario: [2] An administrator reduces the number of coordinators while the last one has an open transaction
      Given A is a transaction of the second coordinator
      And A has written "a1" to inputs
      When the number of coordinators is set to 1
      Then it is refused
      And A is OPEN

    Scenario: [3] An administrator creates a topic that exists and has an open transaction
      Given transaction A
      And A has written "a1" to inputs
      When the topic inputs is made
      Then it is refused
      And A is OPEN
      And readers of inputs see "i1", "i2"

    Scenario: [4] A subscription with two consumers is not removed while an acknowledgement is pending
      Given transaction A
      And the consumer of shared subscription "packers" has received "i1", "i2" from inputs
      And the consumer of shared subscription "others" has received nothing from inputs, by the name of "packers"
      And A has acknowledged "i1" for "packers"
      And subscription "packers" has been tried to remove while it had other consumers
      When A commits
      Then subscription "others" has "i2" left
