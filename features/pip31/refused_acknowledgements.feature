Feature: Acknowledgements that are refused
  A broker refuses a transaction's acknowledgement of a message that another transaction has pending, or that is deleted. The refused
  transaction holds nothing of what it named, and takes nothing from the other one.

  Background:
    Given the topic "inputs" with "i1", "i2", "i3"
    And the consumer of shared subscription "workers" has received "i1", "i2", "i3" from inputs

  @PIP31-55 @MUST
  Rule: A broker answers a transaction's acknowledgement of a message that is pending in another transaction with TransactionConflict or InvalidTxnStatus.
    If two transactions both commit the results of one message, the message is processed twice.

    Scenario: [1] Another transaction acknowledges a pending message
      Given transactions A and B
      And A has acknowledged "i1" for "workers"
      When B acknowledges "i1" for "workers"
      Then it is refused with TransactionConflict or InvalidTxnStatus

    @needs:batch-index-acknowledgement
    Scenario: [2] Another transaction acknowledges a pending message of a batch on an exclusive subscription
      Given transactions A and B
      And a batch of "b1", "b2" has been written to inputs
      And the consumer of exclusive subscription "packers" has received "i1", "i2", "i3", "b1", "b2" from inputs
      And A has acknowledged "b2" for "packers"
      When B acknowledges "b2" for "packers"
      Then it is refused with TransactionConflict or InvalidTxnStatus

    Scenario: [3] Another transaction acknowledges a pending message that a third one had written
      Given transactions A, B and C
      And A has written "a1", "a2" to inputs
      And A has committed
      And the consumer of shared subscription "others" has received "i1", "i2", "i3", "a1", "a2" from inputs
      And B has acknowledged "a1" for "others"
      When C acknowledges "a1" for "others"
      Then it is refused with TransactionConflict or InvalidTxnStatus

    @needs:more-coordinators
    Scenario: [4] A transaction with the same number at another coordinator acknowledges a pending message
      Given A and B are transactions with the same number at two coordinators
      And A has acknowledged "i1" for "workers"
      When B acknowledges "i1" for "workers"
      Then it is refused with TransactionConflict or InvalidTxnStatus

    Scenario: [5] Another transaction acknowledges a pending message once more after a refusal
      Given transactions A and B
      And A has acknowledged "i1" for "workers"
      And B has tried to acknowledge "i1" for "workers"
      When B acknowledges "i1" for "workers"
      Then it is refused with TransactionConflict or InvalidTxnStatus

    Scenario: [6] Another transaction acknowledges two messages of which the first is pending
      Given transactions A and B
      And A has acknowledged "i1" for "workers"
      When B acknowledges "i1", "i2" for "workers"
      Then it is refused with TransactionConflict or InvalidTxnStatus

    @needs:batch-index-acknowledgement
    Scenario: [7] A transaction that has another message of the batch acknowledges a pending one
      Given transactions A and B
      And a batch of "b1", "b2" has been written to inputs
      And the consumer of shared subscription "others" has received "i1", "i2", "i3", "b1", "b2" from inputs
      And A has acknowledged "b1" for "others"
      And B has acknowledged "b2" for "others"
      When B acknowledges "b1" for "others"
      Then it is refused with TransactionConflict or InvalidTxnStatus

    @needs:batch-index-acknowledgement
    Scenario: [8] Another transaction acknowledges a message of a batch, both of which one transaction has acknowledged separately
      Given transactions A and B
      And a batch of "b1", "b2" has been written to inputs
      And the consumer of shared subscription "others" has received "i1", "i2", "i3", "b1", "b2" from inputs
      And A has acknowledged "b2" for "others"
      And A has acknowledged "b1" for "others"
      When B acknowledges "b1" for "others"
      Then it is refused with TransactionConflict or InvalidTxnStatus

  @PIP31-56 @MUST
  Rule: A broker refuses a transaction's acknowledgement of a message that is already deleted from the subscription.
    A client that processes a message which another client has acknowledged must learn of it before the commit.

    Scenario: [1] A transaction acknowledges a message that a plain acknowledgement deleted
      Given transaction A
      And "i1" has been acknowledged for "workers" without a transaction
      When A acknowledges "i1" for "workers"
      Then it is refused with TransactionConflict or InvalidTxnStatus

    Scenario: [2] A transaction acknowledges a message that a committed transaction deleted
      Given transactions A and B
      And A has acknowledged "i1" for "workers"
      And A has committed
      When B acknowledges "i1" for "workers"
      Then it is refused with TransactionConflict or InvalidTxnStatus

    Scenario: [3] A transaction acknowledges cumulatively up to a message that is deleted
      Given transaction A
      And the consumer of exclusive subscription "auditors" has received "i1", "i2", "i3" from inputs
      And everything up to "i2" has been acknowledged for "auditors" without a transaction
      When A acknowledges everything up to "i2" for "auditors"
      Then it is refused with TransactionConflict or InvalidTxnStatus

    @needs:batch-index-acknowledgement
    Scenario: [4] A transaction acknowledges two messages of a batch of which one is deleted
      Given transaction A
      And a batch of "b1", "b2", "b3" has been written to inputs
      And the consumer of shared subscription "packers" has received "i1", "i2", "i3", "b1", "b2", "b3" from inputs
      And "b1" has been acknowledged for "packers" without a transaction
      When A acknowledges "b1", "b2" for "packers"
      Then it is refused with TransactionConflict or InvalidTxnStatus

    Scenario Outline: [5] A transaction acknowledges two messages of which one is deleted
      Given transaction A
      And <deleted> has been acknowledged for "workers" without a transaction
      When A acknowledges "i1", "i2" for "workers"
      Then it is refused with TransactionConflict or InvalidTxnStatus

      Examples:
        | deleted | why                                        |
        | "i1"    | the first of a list counts                 |
        | "i2"    | a free message does not excuse a later one |

  @PIP31-70 @MUST @aborts
  Rule: A transaction whose acknowledgement was refused with a conflict can be aborted, and the abort leaves nothing of it pending.
    A part of a refused request that stays pending would never be released.

    Scenario: [1] A transaction aborts after a conflict
      Given transactions A and B
      And A has acknowledged "i1" for "workers"
      And B has tried to acknowledge "i2", "i1" for "workers"
      When B aborts
      Then subscription "workers" has "i2", "i3" left

    Scenario: [2] Another transaction acknowledges after the abort that followed a conflict
      Given transactions A, B and C
      And A has acknowledged "i1" for "workers"
      And B has tried to acknowledge "i2", "i1" for "workers"
      And B has aborted
      When C acknowledges "i2" for "workers"
      Then it is done

  @PIP31-154 @SHOULD
  Rule: A broker that refuses an acknowledgement withholds none of the messages that the acknowledgement names.
    The other messages of the request would not be processed for as long as the refused transaction is open.

    Scenario: [1] Another transaction acknowledges the free message of a refused request
      Given transactions A, B and C
      And A has acknowledged "i1" for "workers"
      And B has tried to acknowledge "i2", "i1" for "workers"
      When C acknowledges "i2" for "workers"
      Then it is done

    Scenario: [2] Another consumer takes over from one whose acknowledgement was refused
      Given transactions A and B
      And A has acknowledged "i1" for "workers"
      And B has tried to acknowledge "i2", "i1" for "workers"
      When another consumer takes over "workers"
      Then the consumer of "workers" receives "i2", "i3" and nothing else

    @needs:batch-index-acknowledgement
    Scenario: [3] Another transaction acknowledges the free message of a batch of which a refused request named a pending one
      Given transactions A, B and C
      And a batch of "b1", "b2", "b3" has been written to inputs
      And the consumer of shared subscription "packers" has received "i1", "i2", "i3", "b1", "b2", "b3" from inputs
      And A has acknowledged "b1" for "packers"
      And B has tried to acknowledge "b1", "b2" for "packers"
      When C acknowledges "b2" for "packers"
      Then it is done

    @needs:crash
    Scenario Outline: [4] The system crashes after an acknowledgement was refused
      Given transactions A and B
      And <first>
      And B has tried to acknowledge "i2", "i1" for "workers"
      When the system crashes and restarts
      Then the consumer of "workers" receives "i2", "i3" and nothing else

      Examples:
        | first                                                              | why                                     |
        | A has acknowledged "i1" for "workers"                              | the refusal was for a pending message   |
        | "i1" has been acknowledged for "workers" without a transaction     | the refusal was for a deleted message   |
