Feature: What the metadata store contains of a transaction
  A header that decides and a record of each operation, all under the id of the transaction.

  Background:
    Given the topic "orders"
    And transactions A and B

  @PIP471-01 @MUST
  Rule: A coordinator that begins a transaction writes a header with the state OPEN, the start time and the deadline.
    A transaction without a header cannot be ended, and one without a deadline never expires.

    @needs:metadata-store
    Scenario: [1] The header of a transaction that has written
      Given B has committed "b1" to orders
      When A writes "a1" to orders
      Then the store has an open header with the deadline of A

    @needs:metadata-store @needs:short-retention @needs:crash
    Scenario: [2] The ids of collected transactions are not reused
      Given 2 transactions have committed
      And A has committed
      And the retention of A has passed
      And the system has crashed and restarted
      When 3 transactions begin
      Then the transaction ids are distinct

    @needs:store-faults
    Scenario: [3] The store reports another version when the header is created
      Given the next change of a header meets another version
      And transaction C
      When C commits
      Then it is done

    @needs:store-faults
    Scenario Outline: [4] The store does not answer when the header is created
      Given the store does not answer the next change of a header, <failure>
      And transaction C
      When C commits
      Then it is done

      Examples:
        | failure               |
        | and does not write it |
        | and has written it    |

    @needs:crash
    Scenario: [5] The system crashes after a transaction has begun and done nothing else
      Given the system has crashed and restarted
      When A commits
      Then it is done

  @PIP471-07 @MUST
  Rule: A broker writes the operation record of a message in a transaction before it acknowledges the message.
    An acknowledged message without a record is never decided.

    @needs:metadata-store
    Scenario: [1] A transaction writes three messages to two segments
      Given the topic "payments"
      And A has written "a1" to orders
      And A has written "a2" to payments
      When A writes "a3" to orders
      Then the store has 2 writes to orders in A
      And the store has 1 writes to payments in A

    @needs:metadata-store
    Scenario: [2] A transaction has one operation on a segment and one on a subscription
      Given the topic "inputs" with "i1", "i2"
      And the consumer of shared subscription "workers" has received "i1", "i2" from inputs
      And A has acknowledged "i1" for "workers"
      When A writes "a1" to orders
      Then the store has acknowledgements of "i1" for "workers" in A
      And the store has 1 writes to orders in A

  @PIP471-08 @MUST
  Rule: A broker writes an operation record with the position for each individual acknowledgement in a transaction.
    After a crash the position is all that is left of an acknowledgement.

    @needs:metadata-store
    Scenario: [1] A transaction acknowledges two of three messages
      Given the topic "inputs" with "i1", "i2", "i3"
      And the consumer of shared subscription "workers" has received "i1", "i2", "i3" from inputs
      When A acknowledges "i1", "i3" for "workers"
      Then the store has acknowledgements of "i1", "i3" for "workers" in A

  @PIP471-09 @MUST
  Rule: A broker writes a single operation record for a cumulative acknowledgement in a transaction.
    With one record for each message, the acknowledgement of a large backlog would be as large as the backlog.

    @needs:metadata-store
    Scenario: [1] A transaction acknowledges cumulatively up to the second of three messages
      Given the topic "inputs" with "i1", "i2", "i3"
      And the consumer of exclusive subscription "workers" has received "i1", "i2", "i3" from inputs
      When A acknowledges everything up to "i2" for "workers"
      Then the store has acknowledgements of everything up to "i2" for "workers" in A

  @PIP471-12 @MUST
  Rule: The header and the operation records of a transaction have the transaction id as partition key.
    A store that spreads a transaction over its shards cannot list its operations at the end.

    @needs:metadata-indexes
    Scenario: [1] The records of a message and of an acknowledgement
      Given the topic "inputs" with "i1", "i2"
      And the consumer of shared subscription "workers" has received "i1", "i2" from inputs
      And A has acknowledged "i1" for "workers"
      When A writes "a1" to orders
      Then the store has one partition key for all records of A

  @PIP471-36 @MUST
  Rule: A participant deletes its operation records after it has applied the end.
    Records that remain keep their header for ever, and the next load repeats what was already done.

    @needs:metadata-store
    Scenario: [1] A message and an acknowledgement are committed
      Given the topic "inputs" with "i1", "i2"
      And the consumer of shared subscription "workers" has received "i1", "i2" from inputs
      And A has acknowledged "i1" for "workers"
      And A has written "a1" to orders
      When A commits
      Then the store soon has no operation records of A

    @needs:metadata-store
    Scenario: [2] A message and an acknowledgement are aborted
      Given the topic "inputs" with "i1", "i2"
      And the consumer of shared subscription "workers" has received "i1", "i2" from inputs
      And A has acknowledged "i1" for "workers"
      And A has written "a1" to orders
      When A aborts
      Then the store soon has no operation records of A

    @needs:metadata-store
    Scenario: [3] The records of another transaction remain
      Given B has written "b1" to orders
      When A commits "a1" to orders
      Then the store soon has no operation records of A
      And the store has 1 writes to orders in B

    @needs:metadata-store
    Scenario: [4] The younger of two transactions on one subscription commits
      Given the topic "inputs" with "i1", "i2"
      And the consumer of shared subscription "workers" has received "i1", "i2" from inputs
      And A has acknowledged "i1" for "workers"
      And B has acknowledged "i2" for "workers"
      When B commits
      Then the store soon has no operation records of B

    @needs:metadata-store @needs:store-faults
    Scenario: [5] The store fails when the record of a message is deleted
      Given A has written "a1" to orders
      And the store does not answer the next write of an operation record, and does not write it
      When A commits
      Then readers of orders see "a1"
      And the store soon has no operation records of A

    @needs:metadata-store @needs:store-faults
    Scenario Outline: [6] The store fails when the record of an acknowledgement is deleted
      Given the topic "inputs" with "i1", "i2"
      And the consumer of shared subscription "workers" has received "i1", "i2" from inputs
      And A has acknowledged "i1" for "workers"
      And the store does not answer the next write of an operation record, and does not write it
      When A <ends>
      Then the store soon has no operation records of A
      And subscription "workers" has <left> left

      Examples:
        | ends    | left       |
        | commits | "i2"       |
        | aborts  | "i1", "i2" |

    @needs:metadata-store @needs:crash-points
    Scenario Outline: [7] The system crashes while a transaction ends
      Given A has written "a1" to orders
      And the system will crash <point>
      And A has tried to <end>
      When the system restarts
      Then readers of orders see <seen>
      And the store soon has no operation records of A

      Examples:
        | point            | end    | seen    | why                                           |
        | after-header-cas | commit | "a1"    | the segment was not notified                  |
        | after-header-cas | abort  | nothing | the segment was not notified                  |
        | before-op-delete | commit | "a1"    | it has applied the end and deletes nothing    |
        | before-op-delete | abort  | nothing | it has recorded the abort and deletes nothing |

    @needs:metadata-store @needs:crash-points
    Scenario: [8] A record was written, and its message was lost in a crash
      Given the system will crash after-op-record
      And A has tried to write "a1" to orders
      And the system has restarted
      When A aborts
      Then readers of orders see nothing
      And the store soon has no operation records of A

    @needs:metadata-store @needs:store-faults
    Scenario: [9] The store reports another version of an unchanged header
      Given A has written "a1" to orders
      And the next change of a header meets another version
      When A commits
      Then it is done
      And readers of orders see "a1"
      And the store soon has no operation records of A

    @needs:metadata-store
    Scenario: [10] The records of a transaction remain if its number begins with the number of the ended one
      Given C and D are transactions with numbers that begin alike at the second coordinator
      And D has written "d1" to orders
      When C commits "c1" to orders
      Then the store soon has no operation records of C
      And the store has 1 writes to orders in D

    @needs:metadata-store
    Scenario: [11] A hundred and fifty acknowledgements are committed
      Given A has acknowledged 150 messages of orders for "workers", one by one
      When A commits
      Then the store soon has no operation records of A

  @PIP471-41 @MUST
  Rule: The index by deadline lists every open transaction and no ended one.
    A transaction that is missing never expires; one that has ended and is still listed is ended twice.

    @needs:metadata-indexes
    Scenario: [1] The index lists an open and not a committed transaction
      Given A has written "a1" to orders
      When B commits "b1" to orders
      Then A is found by its deadline
      And B is not found by its deadline

    @needs:metadata-indexes
    Scenario: [2] The index does not list an aborted transaction
      Given A has written "a1" to orders
      When A aborts
      Then A is not found by its deadline

    @needs:metadata-indexes
    Scenario: [3] The index lists two transactions that are open at the same time
      Given A has written "a1" to orders
      When B writes "b1" to orders
      Then A is found by its deadline
      And B is found by its deadline

  @PIP471-42 @MUST
  Rule: The index by final state lists ended transactions in the order in which they ended.
    The collection begins with the oldest, and stops at the first one that is too young.

    @needs:metadata-indexes
    Scenario: [1] The younger transaction ends before the older one
      Given B has committed "b1" to orders
      And 4 transactions have committed within a second
      When A commits "a1" to orders
      Then B is found before A among those that committed

    @needs:metadata-indexes
    Scenario: [2] A repeated commit does not change the order
      Given B has committed "b1" to orders
      And 4 transactions have committed within a second
      And A has committed "a1" to orders
      When B commits
      Then B is found before A among those that committed
