Feature: The end of a cumulative acknowledgement
  Everything up to a message is pending until the transaction ends, and then has that end, all of it.

  Background:
    Given the topic "inputs" with "i1", "i2", "i3"
    And the consumer of exclusive subscription "auditors" has received "i1", "i2", "i3" from inputs
    And transactions A and B

  @PIP31-83 @MUST @commits
  Rule: A commit takes away everything up to a message that was acknowledged cumulatively.
    A stream processor acknowledges its position: what its commit leaves behind would be processed twice.

    Scenario: [1] A commit of two of three messages
      Given A has acknowledged everything up to "i2" for "auditors"
      When A commits
      Then subscription "auditors" has "i3" left

    Scenario: [2] A commit of the second of two acknowledgements
      Given A has acknowledged everything up to "i1" for "auditors"
      And A has acknowledged everything up to "i2" for "auditors"
      When A commits
      Then subscription "auditors" has "i3" left

    @needs:crash
    Scenario: [3] A crash after the commit
      Given A has acknowledged everything up to "i2" for "auditors"
      And A has committed
      When the system crashes and comes back
      Then subscription "auditors" has "i3" left

    Scenario: [4] The other subscription of the topic
      Given the consumer of exclusive subscription "others" has received "i1", "i2", "i3" from inputs
      And A has acknowledged everything up to "i2" for "auditors"
      When A commits
      Then subscription "others" has "i1", "i2", "i3" left

    Scenario: [5] Up to the first of three messages of a committed transaction
      Given A has written "a1", "a2", "a3" to inputs
      And A has committed
      And the consumer of exclusive subscription "others" has received "i1", "i2", "i3", "a1", "a2", "a3" from inputs
      And B has acknowledged everything up to "a1" for "others"
      When B commits
      Then subscription "others" has "a2", "a3" left

    Scenario: [6] A message behind it that the same transaction acknowledged alone
      Given A has acknowledged everything up to "i1" for "auditors"
      And A has acknowledged "i3" for "auditors"
      When A commits
      Then subscription "auditors" has "i2" left

    @needs:buffer-statistics
    Scenario: [7] What is pending when the transaction has acknowledged in both ways
      Given A has acknowledged everything up to "i1" for "auditors"
      And A has acknowledged "i3" for "auditors"
      When A commits
      Then nothing of A is pending in "auditors"

    Scenario: [8] Up to the first of three messages of a batch
      Given a batch of "b1", "b2", "b3" has been written to inputs
      And the consumer of exclusive subscription "others" has received "i1", "i2", "i3", "b1", "b2", "b3" from inputs
      And A has acknowledged everything up to "b1" for "others"
      When A commits
      Then subscription "others" has at least "b2", "b3" left

  @PIP31-84 @MUST @aborts
  Rule: An abort gives everything up to a message that was acknowledged cumulatively back for delivery.
    What an aborted transaction had read would never be processed.

    Scenario: [1] An abort of two of three messages
      Given A has acknowledged everything up to "i2" for "auditors"
      When A aborts
      Then subscription "auditors" has "i1", "i2", "i3" left

    Scenario: [2] Another transaction acknowledges after the abort
      Given A has acknowledged everything up to "i2" for "auditors"
      And A has aborted
      When B acknowledges everything up to "i1" for "auditors"
      Then it is done

    Scenario: [3] Another consumer has taken over before the abort
      Given A has acknowledged everything up to "i2" for "auditors"
      And another consumer has taken over "auditors"
      When A aborts
      Then the consumer of "auditors" receives at least "i1", "i2", "i3"

    Scenario: [4] The consumer has asked for redelivery before the abort
      Given A has acknowledged everything up to "i2" for "auditors"
      And the consumer of "auditors" has asked for redelivery
      When A aborts
      Then the consumer of "auditors" receives at least "i1", "i2"

    Scenario: [5] The consumer that had the messages asks for them
      Given A has acknowledged everything up to "i2" for "auditors"
      And A has aborted
      When the consumer of "auditors" asks for redelivery
      Then the consumer of "auditors" receives "i1", "i2", "i3" and nothing else

    Scenario: [6] An abort of it and of a message behind it in the same transaction
      Given A has acknowledged everything up to "i1" for "auditors"
      And A has acknowledged "i3" for "auditors"
      When A aborts
      Then subscription "auditors" has "i1", "i2", "i3" left

  @PIP31-85 @MUST @commits @aborts
  Rule: An individual acknowledgement beside another transaction's cumulative one is a conflict, or has its own transaction's end.
    Of two transactions, one would lose what it was told that it has, or take what was given back.

    Scenario: [1] The message lies under the cumulative one, which aborts
      Given A has acknowledged everything up to "i2" for "auditors"
      And B has tried to acknowledge "i1" for "auditors"
      And A has aborted
      When B commits
      Then "auditors" agrees with the answers

    Scenario: [2] The message lies behind the cumulative one, which aborts
      Given A has acknowledged everything up to "i2" for "auditors"
      And B has tried to acknowledge "i3" for "auditors"
      And A has aborted
      When B commits
      Then "auditors" agrees with the answers

    Scenario: [3] The message lies behind the cumulative one, which commits
      Given A has acknowledged everything up to "i2" for "auditors"
      And B has tried to acknowledge "i3" for "auditors"
      And B has aborted
      When A commits
      Then "auditors" agrees with the answers

    @needs:buffer-statistics
    Scenario: [4] The message lies behind the cumulative one, and both commit
      Given A has acknowledged everything up to "i2" for "auditors"
      And B has tried to acknowledge "i3" for "auditors"
      And B has committed
      When A commits
      Then nothing of B is pending in "auditors"
      And "auditors" agrees with the answers

    @needs:crash
    Scenario: [5] The message lies behind the cumulative one, and a crash comes between the two commits
      Given A has acknowledged everything up to "i1" for "auditors"
      And B has tried to acknowledge "i3" for "auditors"
      And B has committed
      And the system has crashed and come back
      When A commits
      Then "auditors" agrees with the answers
