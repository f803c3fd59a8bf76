Feature: Subscriptions that move while something is undecided
  Consumers ask where the topic ends, go back in it, and remove their subscription, while transactions are open.

  Background:
    Given the topic "inputs" with "i1", "i2"
    And the consumer of exclusive subscription "workers" has received "i1", "i2" from inputs
    And transaction A

  @PIP31-94 @SHOULD
  Rule: The last message id that a broker tells is that of a message that readers may get.
    A reader that reads up to the last message would wait for one that it is never given.

    Scenario: [1] An open transaction at the end of the topic
      When A writes "a1" to inputs
      Then the consumer of "workers" is told that "i2" is the last message

    Scenario: [2] An aborted transaction at the end of the topic
      Given A has written "a1" to inputs
      When A aborts
      Then the consumer of "workers" is told that "i2" is the last message

    Scenario: [3] A committed transaction at the end of the topic
      Given A has written "a1" to inputs
      When A commits
      Then the consumer of "workers" is told that "a1" is the last message

    Scenario: [4] A committed batch at the end of the topic
      Given A has written a batch of "a1", "a2" to inputs
      When A commits
      Then the consumer of "workers" is told that "a2" is the last message

    Scenario: [5] A topic that has nothing but an open transaction
      Given the topic "results"
      And the consumer of shared subscription "others" has received nothing from results
      When A writes "a1" to results
      Then the consumer of "others" is told that nothing is the last message

  @PIP31-95 @MUST
  Rule: A subscription that goes back receives nothing that is undecided, and keeps what is pending.
    Who reads a topic again after a mistake would see what is not committed, or have input twice in one commit.

    Scenario: [1] An open transaction behind the messages
      Given A has written "a1" to inputs
      When the consumer of "workers" goes back to "i1"
      Then the consumer of "workers" receives "i1", "i2" and nothing else

    Scenario: [2] An aborted transaction behind the messages
      Given A has written "a1" to inputs
      And A has aborted
      When the consumer of "workers" goes back to "i1"
      Then the consumer of "workers" receives "i1", "i2" and nothing else

    Scenario: [3] A committed transaction behind the messages
      Given A has written "a1" to inputs
      And A has committed
      When the consumer of "workers" goes back to "i1"
      Then the consumer of "workers" receives "a1", "i1", "i2" and nothing else

    Scenario: [4] A pending acknowledgement
      Given A has acknowledged "i1" for "workers"
      When the consumer of "workers" goes back to "i1"
      Then the consumer of "workers" receives "i2" and nothing else

    Scenario: [5] A pending acknowledgement that is committed afterwards
      Given A has acknowledged "i1" for "workers"
      And the consumer of "workers" has gone back to "i1"
      When A commits
      Then subscription "workers" has "i2" left

    Scenario: [6] A subscription of two consumers, of which the one goes back that has nothing
      Given the consumer of shared subscription "packers" has received "i1", "i2" from inputs
      And the consumer of shared subscription "others" has received nothing from inputs, by the name of "packers"
      When the consumer of "others" goes back to "i1"
      Then "packers" and "others" receive "i1", "i2" between them

    Scenario: [7] Another consumer comes to an exclusive subscription whose consumer went back
      Given the consumer of "workers" has gone back to "i1"
      When another consumer tries to join "workers"
      Then it is done

  @PIP31-96 @MUST
  Rule: A subscription that is removed takes its part in a transaction with it, and holds up nobody.
    The commit would wait for a subscription that nobody can bring back, or delete messages of a new one that has its name.

    Scenario: [1] A commit after the subscription is gone
      Given A has acknowledged "i1" for "workers"
      And A has written "a1" to inputs
      And subscription "workers" has been removed
      When A commits
      Then it is done
      And A is COMMITTED
      And readers of inputs see "i1", "i2", "a1"

    Scenario: [2] A new subscription of that name after the commit
      Given A has acknowledged "i1" for "workers"
      And subscription "workers" has been removed
      When A commits
      Then subscription "workers" has "i1", "i2" left

    Scenario: [3] A new subscription of that name before the commit
      Given A has acknowledged "i1" for "workers"
      And "i2" has been acknowledged for "workers" without a transaction
      And subscription "workers" has been removed
      And another consumer has taken over "workers"
      When A commits
      Then subscription "workers" has "i1", "i2" left

    @needs:crash
    Scenario: [4] A crash after the subscription is gone
      Given A has acknowledged "i1" for "workers"
      And subscription "workers" has been removed
      And A has committed
      When the system crashes and comes back
      Then subscription "workers" has "i1", "i2" left

    Scenario: [5] A subscription that has other consumers stays
      Given the consumer of shared subscription "packers" has received "i1", "i2" from inputs
      And the consumer of shared subscription "others" has received nothing from inputs, by the name of "packers"
      And "i1" has been acknowledged for "packers" without a transaction
      And subscription "packers" has been tried to remove while it had other consumers
      When A commits
      Then subscription "others" has "i2" left

    Scenario: [6] The topic is loaded anew after the subscription is gone
      Given A has acknowledged "i1" for "workers"
      And subscription "workers" has been removed
      And inputs has been unloaded
      When A commits
      Then there is no subscription "workers"

    Scenario: [7] A new subscription of that name that begins behind all that is there
      Given "i2" has been acknowledged for "workers" without a transaction
      And subscription "workers" has been removed
      When a consumer of "workers" begins behind all that is in inputs
      Then the consumer of "workers" receives nothing
