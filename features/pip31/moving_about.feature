Feature: Subscriptions that move during a transaction
  Consumers request the last message id, seek, and remove their subscription while transactions are open.

  Background:
    Given the topic "inputs" with "i1", "i2"
    And the consumer of exclusive subscription "workers" has received "i1", "i2" from inputs
    And transaction A

  @PIP31-94 @SHOULD
  Rule: A broker answers GET_LAST_MESSAGE_ID with the id of the last message that readers can receive, or with no message id if there is none.
    A reader that reads up to the last message would wait for one that it never receives.

    Scenario: [1] The last message belongs to an open transaction
      When A writes "a1" to inputs
      Then the consumer of "workers" learns that "i2" is the last message

    Scenario: [2] The last message belongs to an aborted transaction
      Given A has written "a1" to inputs
      When A aborts
      Then the consumer of "workers" learns that "i2" is the last message

    Scenario: [3] The last message belongs to a committed transaction
      Given A has written "a1" to inputs
      When A commits
      Then the consumer of "workers" learns that "a1" is the last message

    Scenario: [4] The last messages are a committed batch
      Given A has written a batch of "a1", "a2" to inputs
      When A commits
      Then the consumer of "workers" learns that "a2" is the last message

    Scenario: [5] A topic contains only an open transaction
      Given the topic "results"
      And the consumer of shared subscription "others" has received nothing from results
      When A writes "a1" to results
      Then the consumer of "others" learns that nothing is the last message

  @PIP31-95 @MUST
  Rule: A subscription that seeks backwards receives no undecided or aborted message, and keeps its pending acknowledgements.
    A consumer that reads a topic again after a mistake would receive uncommitted messages, or commit its input twice.

    Scenario: [1] A consumer seeks backwards while a later transaction is open
      Given A has written "a1" to inputs
      When the consumer of "workers" goes back to "i1"
      Then the consumer of "workers" receives "i1", "i2" and nothing else

    Scenario: [2] A consumer seeks backwards after a later transaction was aborted
      Given A has written "a1" to inputs
      And A has aborted
      When the consumer of "workers" goes back to "i1"
      Then the consumer of "workers" receives "i1", "i2" and nothing else

    Scenario: [3] A consumer seeks backwards after a later transaction was committed
      Given A has written "a1" to inputs
      And A has committed
      When the consumer of "workers" goes back to "i1"
      Then the consumer of "workers" receives "a1", "i1", "i2" and nothing else

    Scenario: [4] A consumer seeks backwards past a pending acknowledgement
      Given A has acknowledged "i1" for "workers"
      When the consumer of "workers" goes back to "i1"
      Then the consumer of "workers" receives "i2" and nothing else

    Scenario: [5] A pending acknowledgement is committed after its consumer sought backwards
      Given A has acknowledged "i1" for "workers"
      And the consumer of "workers" has gone back to "i1"
      When A commits
      Then subscription "workers" has "i2" left

    Scenario: [6] A consumer without messages seeks backwards on a shared subscription
      Given the consumer of shared subscription "packers" has received "i1", "i2" from inputs
      And the consumer of shared subscription "others" has received nothing from inputs, by the name of "packers"
      When the consumer of "others" goes back to "i1"
      Then "packers" and "others" receive "i1", "i2" between them

    Scenario: [7] Another consumer joins an exclusive subscription after its consumer sought backwards
      Given the consumer of "workers" has gone back to "i1"
      When another consumer tries to join "workers"
      Then it is done

    Scenario: [8] A pending acknowledgement is aborted after its consumer sought backwards
      Given A has acknowledged "i1" for "workers"
      And the consumer of "workers" has gone back to "i1"
      When A aborts
      Then subscription "workers" has "i1", "i2" left

  @PIP31-96 @MUST
  Rule: A subscription that is removed takes no further part in its transactions, and delays no end.
    The commit would wait for a subscription that cannot return, or delete messages of a new one with its name.

    Scenario: [1] A transaction commits after its subscription was removed
      Given A has acknowledged "i1" for "workers"
      And A has written "a1" to inputs
      And subscription "workers" has been removed
      When A commits
      Then it is done
      And A is COMMITTED
      And readers of inputs see "i1", "i2", "a1"

    Scenario: [2] A subscription is created again after the commit that followed its removal
      Given A has acknowledged "i1" for "workers"
      And subscription "workers" has been removed
      When A commits
      Then subscription "workers" has "i1", "i2" left

    Scenario: [3] A subscription is created again before the commit that follows its removal
      Given A has acknowledged "i1" for "workers"
      And "i2" has been acknowledged for "workers" without a transaction
      And subscription "workers" has been removed
      And another consumer has taken over "workers"
      When A commits
      Then subscription "workers" has "i1", "i2" left

    @needs:crash
    Scenario: [4] The system crashes after a subscription was removed
      Given A has acknowledged "i1" for "workers"
      And subscription "workers" has been removed
      And A has committed
      When the system crashes and restarts
      Then subscription "workers" has "i1", "i2" left

    Scenario: [5] A subscription with two consumers is not removed
      Given the consumer of shared subscription "packers" has received "i1", "i2" from inputs
      And the consumer of shared subscription "others" has received nothing from inputs, by the name of "packers"
      And "i1" has been acknowledged for "packers" without a transaction
      And subscription "packers" has been tried to remove while it had other consumers
      When A commits
      Then subscription "others" has "i2" left

    Scenario: [6] A topic is reloaded after a subscription was removed
      Given A has acknowledged "i1" for "workers"
      And subscription "workers" has been removed
      And inputs has been unloaded
      When A commits
      Then there is no subscription "workers"

    Scenario: [7] A subscription is created again at the end of the topic
      Given "i2" has been acknowledged for "workers" without a transaction
      And subscription "workers" has been removed
      When a consumer of "workers" begins behind all that is in inputs
      Then the consumer of "workers" receives nothing
