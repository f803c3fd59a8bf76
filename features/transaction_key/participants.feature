Feature: What topics and subscriptions take of a fenced transaction
  The predecessor may be paused for long, and come back with what it was about to send.

  Background:
    Given the topics "orders" and "ledger"
    And the topic "inputs" with "i1", "i2"
    And task one has connected with key "payments"
    And task one has begun transaction A

  @TXKEY-07 @MUST @fencing @aborts
  Rule: A message that is sent in a fenced transaction is refused, and never visible.
    A late message of a paused task would be work that its successor has done already.

    @needs:transaction-keys
    Scenario: [1] A topic of the transaction
      Given A has written "a1" to orders
      And task two has connected with key "payments"
      When A writes "late" to orders
      Then it is refused with InvalidTxnStatus
      And the refusal begins with "ExpiredTransaction"
      And readers of orders see nothing

    @needs:transaction-keys
    Scenario: [2] A topic that the transaction has added, and not written to
      Given A has added ledger
      And task two has connected with key "payments"
      When A writes "late" to ledger
      Then it is refused with InvalidTxnStatus
      And readers of ledger see nothing

    @needs:transaction-keys
    Scenario: [3] A topic that the transaction never had
      Given A has written "a1" to orders
      And task two has connected with key "payments"
      When A writes "late" to ledger, which it has not added
      Then it is refused with InvalidTxnStatus
      And readers of ledger see nothing

    @needs:transaction-keys
    Scenario: [4] A batch
      Given A has written "a1" to orders
      And task two has connected with key "payments"
      When A writes a batch of "late", "later" to orders
      Then it is refused with InvalidTxnStatus
      And readers of orders see nothing

    @needs:transaction-keys
    Scenario: [5] A transaction that was fenced twice
      Given A has written "a1" to orders
      And task two has connected with key "payments"
      And task three has connected with key "payments"
      When A writes "late" to orders
      Then it is refused with InvalidTxnStatus
      And readers of orders see nothing

    @needs:transaction-keys
    Scenario: [6] Beside the open transaction of the successor
      Given A has written "a1" to orders
      And task two has connected with key "payments"
      And task two has begun transaction B
      And B has written "b1" to orders
      When A writes "late" to orders
      Then it is refused with InvalidTxnStatus
      And B is OPEN

    @needs:transaction-keys
    Scenario: [7] When the successor has committed, and the old transaction is forgotten
      Given A has written "a1" to orders
      And task two has connected with key "payments"
      And task two has begun transaction B
      And B has committed "b1" to orders
      When A writes "late" to orders
      Then it is refused with InvalidTxnStatus
      And readers of orders see "b1"

    @needs:transaction-keys @needs:reload
    Scenario: [8] A topic that was unloaded
      Given A has written "a1" to orders
      And task two has connected with key "payments"
      And orders has been unloaded
      When A writes "late" to orders
      Then it is refused with InvalidTxnStatus
      And readers of orders see nothing

    @needs:transaction-keys @needs:crash
    Scenario: [9] After a crash
      Given A has written "a1" to orders
      And task two has connected with key "payments"
      And the system has crashed and come back
      When A writes "late" to orders
      Then it is refused with InvalidTxnStatus
      And readers of orders see nothing

    @needs:transaction-keys @needs:crash
    Scenario: [10] After a crash, to a topic that the transaction never had
      Given task two has connected with key "payments"
      And the system has crashed and come back
      When A writes "late" to ledger, which it has not added
      Then it is refused with InvalidTxnStatus
      And readers of ledger see nothing

    @needs:transaction-keys @needs:crash @needs:key-topic-faults
    Scenario: [11] After a compaction of the key topic
      Given A has written "a1" to orders
      And task two has connected with key "payments"
      And the key topic has been compacted
      And the system has crashed and come back
      When A writes "late" to orders
      Then it is refused with InvalidTxnStatus
      And readers of orders see nothing

    @needs:transaction-keys
    Scenario: [12] A transaction before the one that was fenced last
      Given A has written "a1" to orders
      And task two has connected with key "payments"
      And task two has begun transaction B
      And task three has connected with key "payments"
      When A writes "late" to orders
      Then it is refused with InvalidTxnStatus
      And readers of orders see nothing

    @needs:transaction-keys @needs:crash
    Scenario: [13] A transaction before the one that was fenced last, after two crashes
      Given task two has connected with key "payments"
      And task two has begun transaction B
      And task three has connected with key "payments"
      And the system has crashed and come back
      And the system has crashed and come back
      When A writes "late" to ledger, which it has not added
      Then it is refused with InvalidTxnStatus

    @needs:transaction-keys @needs:crash
    Scenario: [14] One that was fenced before its key was deleted, after two crashes
      Given task two has connected with key "payments"
      And key "payments" has been deleted
      And the system has crashed and come back
      And the system has crashed and come back
      When A writes "late" to ledger, which it has not added
      Then it is refused with InvalidTxnStatus
      And the refusal begins with "ExpiredTransaction"

    @needs:transaction-keys
    Scenario: [15] One that had timed out before its successor began
      Given task one has begun transaction B with a short time-out
      And B has been left open past its time-out
      And task one has begun transaction C
      And task two has connected with key "payments"
      When B writes "late" to ledger, which it has not added
      Then it is refused with InvalidTxnStatus
      And the refusal begins with "ExpiredTransaction"

    @needs:transaction-keys @needs:more-coordinators
    Scenario: [16] One of a coordinator that was added later
      Given the system has 16 coordinators
      And task two has connected with key "refunds" at the last coordinator, not that of task one
      And task two has begun transaction B
      And task three has connected with key "refunds"
      When B writes "late" to ledger, which it has not added
      Then it is refused with InvalidTxnStatus
      And the refusal begins with "ExpiredTransaction"

    @needs:transaction-keys
    Scenario: [17] A message that is sent again, where the topic knows that it has it
      Given the deduplicated topic "payouts"
      And producer P has written "a1" to payouts in A
      And task two has connected with key "payments"
      When producer P sends "a1" again on a new connection
      Then it is refused with InvalidTxnStatus
      And the refusal begins with "ExpiredTransaction"
      And readers of payouts see nothing

    @needs:transaction-keys
    Scenario: [18] One that had timed out before its key was deleted
      Given task one has begun transaction B with a short time-out
      And B has been left open past its time-out
      And key "payments" has been deleted
      When B writes "late" to ledger, which it has not added
      Then it is refused with InvalidTxnStatus
      And the refusal begins with "ExpiredTransaction"
      And readers of ledger see nothing

    @needs:transaction-keys
    Scenario: [19] A message of a task that has come again with its key
      Given task two has connected with key "payments"
      And the topic "payouts" beside the coordinator of task two
      And task one has connected with key "payments"
      When task one itself writes "late" to payouts in A
      Then it is refused with InvalidTxnStatus
      And the refusal begins with "ExpiredTransaction"
      And readers of payouts see nothing

    @needs:transaction-keys
    Scenario: [20] One that was fenced twenty transactions ago
      Given task two has connected with key "payments"
      And task two has begun 20 transactions, each fencing the one before
      When A writes "late" to ledger, which it has not added
      Then it is refused with InvalidTxnStatus

  @TXKEY-08 @MUST @fencing @aborts
  Rule: A cumulative acknowledgement in a fenced transaction is refused, and its subscription does not move.
    A subscription that moves with a paused task takes inputs away from its successor.

    Background:
      Given the consumer of failover subscription "workers" has received "i1", "i2" from inputs

    @needs:transaction-keys
    Scenario: [1] Another acknowledgement for a subscription
      Given A has acknowledged everything up to "i1" for "workers"
      And task two has connected with key "payments"
      When A acknowledges everything up to "i2" for "workers"
      Then it is refused with InvalidTxnStatus
      And subscription "workers" has "i1", "i2" left

    @needs:transaction-keys
    Scenario: [2] A subscription that the transaction has added, and acknowledged nothing of
      Given A has added "workers"
      And task two has connected with key "payments"
      When A acknowledges everything up to "i2" for "workers"
      Then it is refused with InvalidTxnStatus
      And the refusal begins with "ExpiredTransaction"
      And subscription "workers" has "i1", "i2" left

    @needs:transaction-keys
    Scenario: [3] A cumulative acknowledgement for a subscription that the transaction never had
      Given task two has connected with key "payments"
      And A has tried to acknowledge everything up to "i2" for "workers", which it has not added
      When another consumer takes over "workers"
      Then the consumer of "workers" receives "i1", "i2" and nothing else

    @needs:transaction-keys
    Scenario: [4] Before the successor acknowledges
      Given A has acknowledged everything up to "i1" for "workers"
      And task two has connected with key "payments"
      And task two has begun transaction B
      And A has tried to acknowledge everything up to "i2" for "workers"
      When B acknowledges everything up to "i2" for "workers"
      Then it is done

    @needs:transaction-keys
    Scenario: [5] Behind the successor
      Given A has acknowledged everything up to "i1" for "workers"
      And task two has connected with key "payments"
      And task two has begun transaction B
      And B has acknowledged everything up to "i1" for "workers"
      When A acknowledges everything up to "i2" for "workers"
      Then it is refused with InvalidTxnStatus
      And B is OPEN

    @needs:transaction-keys @needs:reload
    Scenario: [6] A cumulative acknowledgement behind an unload
      Given A has acknowledged everything up to "i1" for "workers"
      And task two has connected with key "payments"
      And inputs has been unloaded
      When A acknowledges everything up to "i2" for "workers"
      Then it is refused with InvalidTxnStatus
      And subscription "workers" has "i1", "i2" left

    @needs:transaction-keys @needs:crash
    Scenario: [7] A cumulative acknowledgement after a crash
      Given A has acknowledged everything up to "i1" for "workers"
      And task two has connected with key "payments"
      And the system has crashed and come back
      When A acknowledges everything up to "i2" for "workers"
      Then it is refused with InvalidTxnStatus
      And subscription "workers" has "i1", "i2" left

    @needs:transaction-keys
    Scenario: [8] A cumulative acknowledgement in one that had timed out before its key was deleted
      Given task one has begun transaction B with a short time-out
      And B has added "workers"
      And B has been left open past its time-out
      And key "payments" has been deleted
      When B acknowledges everything up to "i2" for "workers"
      Then the refusal begins with "ExpiredTransaction"
      And subscription "workers" has "i1", "i2" left

    @needs:transaction-keys
    Scenario: [9] A cumulative acknowledgement for which no answer is asked
      Given A has added "workers"
      And task two has connected with key "payments"
      And task two has begun transaction B
      And A has acknowledged everything up to "i2" for "workers" without asking for an answer
      When B acknowledges everything up to "i2" for "workers"
      Then it is done

  @TXKEY-09 @SHOULD @fencing @aborts
  Rule: An individual acknowledgement in a fenced transaction is refused.
    An application that acknowledges one by one would lose what another one loses not.

    Background:
      Given the consumer of shared subscription "workers" has received "i1", "i2" from inputs

    @needs:transaction-keys
    Scenario: [1] Another message of the subscription
      Given A has acknowledged "i1" for "workers"
      And task two has connected with key "payments"
      When A acknowledges "i2" for "workers"
      Then it is refused with InvalidTxnStatus
      And subscription "workers" has "i1", "i2" left

    @needs:transaction-keys
    Scenario: [2] The message that it had acknowledged before
      Given A has acknowledged "i1" for "workers"
      And task two has connected with key "payments"
      When A acknowledges "i1" for "workers"
      Then it is refused with InvalidTxnStatus
      And subscription "workers" has "i1", "i2" left

    @needs:transaction-keys
    Scenario: [3] Individually, for a subscription that the transaction never had
      Given task two has connected with key "payments"
      And A has tried to acknowledge "i1" for "workers", which it has not added
      When another consumer takes over "workers"
      Then the consumer of "workers" receives "i1", "i2" and nothing else

    @needs:transaction-keys @needs:batch-index-acknowledgement
    Scenario: [4] Messages of a batch
      Given the topic "batches"
      And a batch of "c1", "c2" has been written to batches
      And the consumer of shared subscription "packers" has received "c1", "c2" from batches
      And A has acknowledged "c1" for "packers"
      And task two has connected with key "payments"
      When A acknowledges "c2" for "packers"
      Then it is refused with InvalidTxnStatus

    @needs:transaction-keys @needs:crash
    Scenario: [5] An individual acknowledgement after a crash
      Given A has acknowledged "i1" for "workers"
      And task two has connected with key "payments"
      And the system has crashed and come back
      When A acknowledges "i2" for "workers"
      Then it is refused with InvalidTxnStatus
      And subscription "workers" has "i1", "i2" left

    @needs:transaction-keys
    Scenario: [6] An individual acknowledgement for which no answer is asked
      Given A has acknowledged "i1" for "workers"
      And task two has connected with key "payments"
      And task two has begun transaction B
      And A has acknowledged "i2" for "workers" without asking for an answer
      When B acknowledges "i2" for "workers"
      Then it is done

  @TXKEY-34 @MUST @fencing @aborts
  Rule: A late message in a fenced transaction does not open it again, and holds up nobody.
    A transaction that is opened again by a late message has nobody who would end it, and holds up its topic for ever.

    @needs:transaction-keys
    Scenario: [1] A late message, and another one behind it
      Given A has written "a1" to orders
      And task two has connected with key "payments"
      And A has tried to write "late" to orders
      When "p1" is written to orders
      Then readers of orders get as far as "p1"
      And readers of orders see "p1"

    @needs:transaction-keys
    Scenario: [2] To a topic that the transaction never had
      Given task two has connected with key "payments"
      And A has tried to write "late" to ledger, which it has not added
      When "p1" is written to ledger
      Then readers of ledger get as far as "p1"

    @needs:transaction-keys
    Scenario: [3] Several late messages
      Given A has written "a1" to orders
      And task two has connected with key "payments"
      And A has tried to write "late" to orders
      And A has tried to write "later" to orders
      When "p1" is written to orders
      Then readers of orders see "p1"

    @needs:transaction-keys
    Scenario: [4] When the successor has committed
      Given A has written "a1" to orders
      And task two has connected with key "payments"
      And task two has begun transaction B
      And B has committed "b1" to orders
      And A has tried to write "late" to orders
      When "p1" is written to orders
      Then readers of orders see "b1", "p1"

    @needs:transaction-keys @needs:reload
    Scenario: [5] To a topic that was unloaded
      Given A has written "a1" to orders
      And task two has connected with key "payments"
      And orders has been unloaded
      And A has tried to write "late" to orders
      When "p1" is written to orders
      Then readers of orders see "p1"

    @needs:transaction-keys @needs:crash
    Scenario: [6] A late message after a crash, and another one behind it
      Given A has written "a1" to orders
      And task two has connected with key "payments"
      And the system has crashed and come back
      And A has tried to write "late" to orders
      When "p1" is written to orders
      Then readers of orders see "p1"
