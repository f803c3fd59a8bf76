@needs:crash
Feature: Pending acknowledgements across crashes
  Pending acknowledgements and their ends are on disk; a broker that restarts finds both, however often it crashes.

  Background:
    Given the topic "inputs" with "i1", "i2", "i3"
    And transactions A and B

  @PIP31-86 @MUST @recovery
  Rule: A pending acknowledgement follows the end of its transaction, however often the broker crashes before the end.
    A broker may restore that an acknowledgement is pending and not for which message: the commit is answered, and the message is
    processed twice.

    Scenario: [1] A transaction with an acknowledgement commits after a crash
      Given the consumer of shared subscription "workers" has received "i1", "i2", "i3" from inputs
      And A has acknowledged "i1" for "workers"
      And the system has crashed and restarted
      When A commits
      Then subscription "workers" has "i2", "i3" left

    Scenario: [2] A transaction with an acknowledgement commits between two crashes
      Given the consumer of shared subscription "workers" has received "i1", "i2", "i3" from inputs
      And A has acknowledged "i1" for "workers"
      And the system has crashed and restarted
      And A has committed
      When the system crashes and restarts
      Then subscription "workers" has "i2", "i3" left

    Scenario: [3] A transaction with an acknowledgement aborts after a crash
      Given the consumer of shared subscription "workers" has received "i1", "i2", "i3" from inputs
      And A has acknowledged "i1" for "workers"
      And the system has crashed and restarted
      When A aborts
      Then subscription "workers" has "i1", "i2", "i3" left

    Scenario: [4] A transaction with a cumulative acknowledgement commits after a crash
      Given the consumer of exclusive subscription "auditors" has received "i1", "i2", "i3" from inputs
      And A has acknowledged everything up to "i2" for "auditors"
      And the system has crashed and restarted
      When A commits
      Then subscription "auditors" has "i3" left

    Scenario: [5] A transaction with a cumulative acknowledgement aborts after a crash
      Given the consumer of exclusive subscription "auditors" has received "i1", "i2", "i3" from inputs
      And A has acknowledged everything up to "i2" for "auditors"
      And the system has crashed and restarted
      When A aborts
      Then subscription "auditors" has "i1", "i2", "i3" left

    Scenario: [6] A transaction with two acknowledgements commits after a crash
      Given the consumer of shared subscription "workers" has received "i1", "i2", "i3" from inputs
      And A has acknowledged "i1" for "workers"
      And A has acknowledged "i2" for "workers"
      And the system has crashed and restarted
      When A commits
      Then subscription "workers" has "i3" left

    Scenario: [7] A transaction with two acknowledgements aborts after a crash
      Given the consumer of shared subscription "workers" has received "i1", "i2", "i3" from inputs
      And A has acknowledged "i1" for "workers"
      And A has acknowledged "i2" for "workers"
      And the system has crashed and restarted
      When A aborts
      Then subscription "workers" has "i1", "i2", "i3" left

    Scenario: [8] A consumer seeks backwards after a crash and a commit
      Given the consumer of shared subscription "workers" has received "i1", "i2", "i3" from inputs
      And A has acknowledged "i1" for "workers"
      And the system has crashed and restarted
      And A has committed
      When the consumer of "workers" goes back to "i1"
      Then the consumer of "workers" receives "i1", "i2", "i3" and nothing else

    Scenario: [9] A transaction with a cumulative acknowledgement aborts after a crash while a consumer waits
      Given the consumer of exclusive subscription "auditors" has received "i1", "i2", "i3" from inputs
      And A has acknowledged everything up to "i2" for "auditors"
      And the system has crashed and restarted
      And another consumer has taken over "auditors"
      When A aborts
      Then the consumer of "auditors" receives "i1", "i2", "i3" and perhaps others

    Scenario Outline: [10] A newer transaction has ended before the crash
      Given the consumer of shared subscription "workers" has received "i1", "i2", "i3" from inputs
      And A has acknowledged "i1" for "workers"
      And B has acknowledged "i2" for "workers"
      And B has <ended>
      And the system has crashed and restarted
      When A commits
      Then subscription "workers" has <left> left

      Examples:
        | ended     | left       | why                                     |
        | aborted   | "i2", "i3" | the returned message is available again |
        | committed | "i3"       | the deleted message is not redelivered  |

    @needs:more-coordinators
    Scenario: [11] A transaction of another coordinator is pending during the crash
      Given the consumer of shared subscription "workers" has received "i1", "i2", "i3" from inputs
      And C is a transaction of the second coordinator
      And A has acknowledged "i1" for "workers"
      And C has acknowledged "i2" for "workers"
      And A has committed
      When the system crashes and restarts
      Then subscription "workers" has "i3" left

    Scenario: [12] A transaction with two cumulative acknowledgements commits after a crash
      Given the consumer of exclusive subscription "auditors" has received "i1", "i2", "i3" from inputs
      And A has acknowledged everything up to "i1" for "auditors"
      And A has acknowledged everything up to "i2" for "auditors"
      And the system has crashed and restarted
      When A commits
      Then subscription "auditors" has "i3" left

    Scenario: [13] A transaction with an individual acknowledgement and a cumulative one of earlier messages commits after a crash
      Given the consumer of exclusive subscription "auditors" has received "i1", "i2", "i3" from inputs
      And A has acknowledged "i3" for "auditors"
      And A has tried to acknowledge everything up to "i1" for "auditors"
      And the system has crashed and restarted
      When A commits
      Then "auditors" agrees with the answers

    Scenario Outline: [14] A message that an aborted transaction had acknowledged is pending in another one during the crash
      Given the consumer of shared subscription "workers" has received "i1", "i2", "i3" from inputs
      And A has acknowledged "i1" for "workers"
      And A has aborted
      And B has acknowledged "i1" for "workers"
      And the system has crashed and restarted
      When B <ends>
      Then subscription "workers" has <left> left

      Examples:
        | ends    | left             | why                                          |
        | commits | "i2", "i3"       | the earlier abort does not return it         |
        | aborts  | "i1", "i2", "i3" | it is returned once more                     |

    Scenario: [15] A consumer connects after the crash to what an aborted transaction had acknowledged and another one has pending
      Given the consumer of shared subscription "workers" has received "i1", "i2", "i3" from inputs
      And A has acknowledged "i1", "i2" for "workers"
      And A has aborted
      And B has acknowledged "i1" for "workers"
      When the system crashes and restarts
      Then the consumer of "workers" receives "i2", "i3" and nothing else

    Scenario: [16] A cumulative acknowledgement after an aborted one is pending during the crash
      Given the consumer of exclusive subscription "auditors" has received "i1", "i2", "i3" from inputs
      And A has acknowledged everything up to "i2" for "auditors"
      And A has aborted
      And B has acknowledged everything up to "i1" for "auditors"
      And the system has crashed and restarted
      When B commits
      Then subscription "auditors" has "i2", "i3" left

    @needs:buffer-statistics
    Scenario: [17] Nothing is pending after a crash and the commit of a cumulative acknowledgement
      Given the consumer of exclusive subscription "auditors" has received "i1", "i2", "i3" from inputs
      And A has acknowledged everything up to "i2" for "auditors"
      And the system has crashed and restarted
      When A commits
      Then nothing of A is pending in "auditors"
      And subscription "auditors" has "i3" left

    Scenario Outline: [18] The system crashes after another cumulative acknowledgement was refused
      Given the consumer of exclusive subscription "auditors" has received "i1", "i2", "i3" from inputs
      And A has acknowledged everything up to "i2" for "auditors"
      And <one> has tried to acknowledge everything up to "i1" for "auditors"
      And the system has crashed and restarted
      When A commits
      Then subscription "auditors" has "i3" left

      Examples:
        | one | why                                                       |
        | B   | a refused request of another transaction counts for nothing |
        | A   | nor does one that goes less far than the one before it    |
