@needs:transaction-keys
Feature: How topics and subscriptions treat a fenced transaction
  The predecessor may be paused for long, and resume with what it was about to send.

  Background:
    Given the topics "orders" and "ledger"
    And the topic "inputs" with "i1", "i2"
    And task one has connected with key "payments"
    And task one has begun transaction A

  @TXKEY-07 @MUST @fencing @aborts
  Rule: A topic refuses a message in a fenced transaction, and never makes the message visible.
    A late message of a paused task duplicates work that its successor has done.

    Scenario: [1] The late message is sent to a topic of the transaction
      Given A has written "a1" to orders
      And task two has connected with key "payments"
      When A writes "late" to orders
      Then it is refused with InvalidTxnStatus
      And the refusal begins with "ExpiredTransaction"
      And readers of orders see nothing

    Scenario: [2] The late message is sent to a topic that the transaction has added without writing to it
      Given A has added ledger
      And task two has connected with key "payments"
      When A writes "late" to ledger
      Then it is refused with InvalidTxnStatus
      And readers of ledger see nothing

    Scenario: [3] The late message is sent to a topic that the transaction has not added
      Given A has written "a1" to orders
      And task two has connected with key "payments"
      When A writes "late" to ledger, which it has not added
      Then it is refused with InvalidTxnStatus
      And readers of ledger see nothing

    Scenario: [4] The late message is a batch
      Given A has written "a1" to orders
      And task two has connected with key "payments"
      When A writes a batch of "late", "later" to orders
      Then it is refused with InvalidTxnStatus
      And readers of orders see nothing

    Scenario: [5] The late message belongs to a transaction that was fenced twice
      Given A has written "a1" to orders
      And task two has connected with key "payments"
      And task three has connected with key "payments"
      When A writes "late" to orders
      Then it is refused with InvalidTxnStatus
      And readers of orders see nothing

    Scenario: [6] The late message is sent while the successor's transaction is open
      Given A has written "a1" to orders
      And task two has connected with key "payments"
      And task two has begun transaction B
      And B has written "b1" to orders
      When A writes "late" to orders
      Then it is refused with InvalidTxnStatus
      And B is OPEN

    Scenario: [7] The late message is sent after the successor has committed
      Given A has written "a1" to orders
      And task two has connected with key "payments"
      And task two has begun transaction B
      And B has committed "b1" to orders
      When A writes "late" to orders
      Then it is refused with InvalidTxnStatus
      And readers of orders see "b1"

    @needs:reload
    Scenario: [8] The late message is sent to a topic that was unloaded
      Given A has written "a1" to orders
      And task two has connected with key "payments"
      And orders has been unloaded
      When A writes "late" to orders
      Then it is refused with InvalidTxnStatus
      And readers of orders see nothing

    @needs:crash
    Scenario: [9] The late message is sent after a crash
      Given A has written "a1" to orders
      And task two has connected with key "payments"
      And the system has crashed and restarted
      When A writes "late" to orders
      Then it is refused with InvalidTxnStatus
      And readers of orders see nothing

    @needs:crash
    Scenario: [10] The late message is sent after a crash to a topic that the transaction has not added
      Given task two has connected with key "payments"
      And the system has crashed and restarted
      When A writes "late" to ledger, which it has not added
      Then it is refused with InvalidTxnStatus
      And readers of ledger see nothing

    @needs:crash @needs:key-topic-faults
    Scenario: [11] The late message is sent after the key topic was compacted and the system crashed
      Given A has written "a1" to orders
      And task two has connected with key "payments"
      And the key topic has been compacted
      And the system has crashed and restarted
      When A writes "late" to orders
      Then it is refused with InvalidTxnStatus
      And readers of orders see nothing

    Scenario: [12] The late message belongs to the transaction before the one that was fenced last
      Given A has written "a1" to orders
      And task two has connected with key "payments"
      And task two has begun transaction B
      And task three has connected with key "payments"
      When A writes "late" to orders
      Then it is refused with InvalidTxnStatus
      And readers of orders see nothing

    @needs:crash
    Scenario: [13] The late message belongs to an earlier fenced transaction and is sent after two crashes
      Given task two has connected with key "payments"
      And task two has begun transaction B
      And task three has connected with key "payments"
      And the system has crashed and restarted
      And the system has crashed and restarted
      When A writes "late" to ledger, which it has not added
      Then it is refused with InvalidTxnStatus

    @needs:crash
    Scenario: [14] The late message is sent after the key was deleted and the system crashed twice
      Given task two has connected with key "payments"
      And key "payments" has been deleted
      And the system has crashed and restarted
      And the system has crashed and restarted
      When A writes "late" to ledger, which it has not added
      Then it is refused with InvalidTxnStatus
      And the refusal begins with "ExpiredTransaction"

    Scenario: [15] The late message belongs to a transaction that had timed out before its successor began
      Given task one has begun transaction B with a short timeout
      And B has been left open past its timeout
      And task one has begun transaction C
      And task two has connected with key "payments"
      When B writes "late" to ledger, which it has not added
      Then it is refused with InvalidTxnStatus
      And the refusal begins with "ExpiredTransaction"

    @needs:more-coordinators
    Scenario: [16] The late message belongs to a transaction of a coordinator that was added later
      Given the system has 16 coordinators
      And task two has connected with key "refunds" at the last coordinator, not that of task one
      And task two has begun transaction B
      And task three has connected with key "refunds"
      When B writes "late" to ledger, which it has not added
      Then it is refused with InvalidTxnStatus
      And the refusal begins with "ExpiredTransaction"

    Scenario: [17] The late message is a duplicate that the topic has already stored
      Given the deduplicated topic "payouts"
      And producer P has written "a1" to payouts in A
      And task two has connected with key "payments"
      When producer P sends "a1" again on a new connection
      Then it is refused with InvalidTxnStatus
      And the refusal begins with "ExpiredTransaction"
      And readers of payouts see nothing

    Scenario: [18] The late message belongs to a transaction that had timed out before its key was deleted
      Given task one has begun transaction B with a short timeout
      And B has been left open past its timeout
      And key "payments" has been deleted
      When B writes "late" to ledger, which it has not added
      Then it is refused with InvalidTxnStatus
      And the refusal begins with "ExpiredTransaction"
      And readers of ledger see nothing

    Scenario: [19] The late message is sent by a task that has reconnected with the key
      Given task two has connected with key "payments"
      And the topic "payouts" next to the coordinator of task two
      And task one has connected with key "payments"
      When task one itself writes "late" to payouts in A
      Then it is refused with InvalidTxnStatus
      And the refusal begins with "ExpiredTransaction"
      And readers of payouts see nothing

    Scenario: [20] The late message belongs to a transaction that was fenced twenty transactions ago
      Given task two has connected with key "payments"
      And task two has begun 20 transactions, each fencing the one before
      When A writes "late" to ledger, which it has not added
      Then it is refused with InvalidTxnStatus

  @TXKEY-08 @MUST @fencing @aborts
  Rule: A subscription refuses a cumulative acknowledgement in a fenced transaction, and does not move its position.
    A subscription that follows a paused task takes inputs away from the task's successor.

    Background:
      Given the consumer of failover subscription "workers" has received "i1", "i2" from inputs

    Scenario: [1] A fenced transaction acknowledges cumulatively again
      Given A has acknowledged everything up to "i1" for "workers"
      And task two has connected with key "payments"
      When A acknowledges everything up to "i2" for "workers"
      Then it is refused with InvalidTxnStatus
      And subscription "workers" has "i1", "i2" left

    Scenario: [2] A fenced transaction acknowledges cumulatively in a subscription that it had only added
      Given A has added "workers"
      And task two has connected with key "payments"
      When A acknowledges everything up to "i2" for "workers"
      Then it is refused with InvalidTxnStatus
      And the refusal begins with "ExpiredTransaction"
      And subscription "workers" has "i1", "i2" left

    Scenario: [3] A fenced transaction acknowledges cumulatively in a subscription that it had not added
      Given task two has connected with key "payments"
      And A has tried to acknowledge everything up to "i2" for "workers", which it has not added
      When another consumer takes over "workers"
      Then the consumer of "workers" receives "i1", "i2" and nothing else

    Scenario: [4] A fenced transaction acknowledges cumulatively before its successor does
      Given A has acknowledged everything up to "i1" for "workers"
      And task two has connected with key "payments"
      And task two has begun transaction B
      And A has tried to acknowledge everything up to "i2" for "workers"
      When B acknowledges everything up to "i2" for "workers"
      Then it is done

    Scenario: [5] A fenced transaction acknowledges cumulatively after its successor did
      Given A has acknowledged everything up to "i1" for "workers"
      And task two has connected with key "payments"
      And task two has begun transaction B
      And B has acknowledged everything up to "i1" for "workers"
      When A acknowledges everything up to "i2" for "workers"
      Then it is refused with InvalidTxnStatus
      And B is OPEN

    @needs:reload
    Scenario: [6] A fenced transaction acknowledges cumulatively after the topic was unloaded
      Given A has acknowledged everything up to "i1" for "workers"
      And task two has connected with key "payments"
      And inputs has been unloaded
      When A acknowledges everything up to "i2" for "workers"
      Then it is refused with InvalidTxnStatus
      And subscription "workers" has "i1", "i2" left

    @needs:crash
    Scenario: [7] A fenced transaction acknowledges cumulatively after a crash
      Given A has acknowledged everything up to "i1" for "workers"
      And task two has connected with key "payments"
      And the system has crashed and restarted
      When A acknowledges everything up to "i2" for "workers"
      Then it is refused with InvalidTxnStatus
      And subscription "workers" has "i1", "i2" left

    Scenario: [8] A transaction that had timed out acknowledges cumulatively after its key was deleted
      Given task one has begun transaction B with a short timeout
      And B has added "workers"
      And B has been left open past its timeout
      And key "payments" has been deleted
      When B acknowledges everything up to "i2" for "workers"
      Then the refusal begins with "ExpiredTransaction"
      And subscription "workers" has "i1", "i2" left

    Scenario: [9] A fenced transaction acknowledges cumulatively without requesting a response
      Given A has added "workers"
      And task two has connected with key "payments"
      And task two has begun transaction B
      And A has acknowledged everything up to "i2" for "workers" without asking for an answer
      When B acknowledges everything up to "i2" for "workers"
      Then it is done

  @TXKEY-09 @SHOULD @fencing @aborts
  Rule: A subscription refuses an individual acknowledgement in a fenced transaction.
    An application that acknowledges individually would lose inputs that one with cumulative acknowledgements keeps.

    Background:
      Given the consumer of shared subscription "workers" has received "i1", "i2" from inputs

    Scenario: [1] A fenced transaction acknowledges another message of its subscription
      Given A has acknowledged "i1" for "workers"
      And task two has connected with key "payments"
      When A acknowledges "i2" for "workers"
      Then it is refused with InvalidTxnStatus
      And subscription "workers" has "i1", "i2" left

    Scenario: [2] A fenced transaction acknowledges a message that it had acknowledged before
      Given A has acknowledged "i1" for "workers"
      And task two has connected with key "payments"
      When A acknowledges "i1" for "workers"
      Then it is refused with InvalidTxnStatus
      And subscription "workers" has "i1", "i2" left

    Scenario: [3] A fenced transaction acknowledges individually in a subscription that it had not added
      Given task two has connected with key "payments"
      And A has tried to acknowledge "i1" for "workers", which it has not added
      When another consumer takes over "workers"
      Then the consumer of "workers" receives "i1", "i2" and nothing else

    @needs:batch-index-acknowledgement
    Scenario: [4] A fenced transaction acknowledges a message of a batch
      Given the topic "batches"
      And a batch of "c1", "c2" has been written to batches
      And the consumer of shared subscription "packers" has received "c1", "c2" from batches
      And A has acknowledged "c1" for "packers"
      And task two has connected with key "payments"
      When A acknowledges "c2" for "packers"
      Then it is refused with InvalidTxnStatus

    @needs:crash
    Scenario: [5] A fenced transaction acknowledges individually after a crash
      Given A has acknowledged "i1" for "workers"
      And task two has connected with key "payments"
      And the system has crashed and restarted
      When A acknowledges "i2" for "workers"
      Then it is refused with InvalidTxnStatus
      And subscription "workers" has "i1", "i2" left

    Scenario: [6] A fenced transaction acknowledges individually without requesting a response
      Given A has acknowledged "i1" for "workers"
      And task two has connected with key "payments"
      And task two has begun transaction B
      And A has acknowledged "i2" for "workers" without asking for an answer
      When B acknowledges "i2" for "workers"
      Then it is done

  @TXKEY-34 @MUST @fencing @aborts
  Rule: A late message in a fenced transaction does not reopen the transaction in its topic, and blocks no reader.
    A transaction that a late message reopens is never ended, and blocks its topic for ever.

    Scenario: [1] A plain message follows a late message
      Given A has written "a1" to orders
      And task two has connected with key "payments"
      And A has tried to write "late" to orders
      When "p1" is written to orders
      Then readers of orders get as far as "p1"
      And readers of orders see "p1"

    Scenario: [2] A plain message follows a late message in a topic that the transaction had not added
      Given task two has connected with key "payments"
      And A has tried to write "late" to ledger, which it has not added
      When "p1" is written to ledger
      Then readers of ledger get as far as "p1"

    Scenario: [3] A plain message follows several late messages
      Given A has written "a1" to orders
      And task two has connected with key "payments"
      And A has tried to write "late" to orders
      And A has tried to write "later" to orders
      When "p1" is written to orders
      Then readers of orders see "p1"

    Scenario: [4] A plain message follows a late message after the successor's commit
      Given A has written "a1" to orders
      And task two has connected with key "payments"
      And task two has begun transaction B
      And B has committed "b1" to orders
      And A has tried to write "late" to orders
      When "p1" is written to orders
      Then readers of orders see "b1", "p1"

    @needs:reload
    Scenario: [5] A plain message follows a late message in a topic that was unloaded
      Given A has written "a1" to orders
      And task two has connected with key "payments"
      And orders has been unloaded
      And A has tried to write "late" to orders
      When "p1" is written to orders
      Then readers of orders see "p1"

    @needs:crash
    Scenario: [6] A plain message follows a late message after a crash
      Given A has written "a1" to orders
      And task two has connected with key "payments"
      And the system has crashed and restarted
      And A has tried to write "late" to orders
      When "p1" is written to orders
      Then readers of orders see "p1"
