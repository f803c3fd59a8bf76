Feature: Batches that no producer sends
  What is damaged, or is not what a producer would send, does not enter a log, and the transaction is as it was.

  Background:
    Given a topic "payments" with 2 partitions
    And producer A with transactional id "transfer"

  @KIP890-365 @MUST
  Rule: A batch of an open transaction that is damaged, empty, or has no sequence number is refused, and nothing is appended.
    What a broken network made of a record would be committed, or a batch that is sent again would not be known for the same.

    Scenario: [1] A wrong checksum
      Given A has written "a1" to payments-0
      When A writes a damaged batch to payments-0
      Then it is refused with CORRUPT_MESSAGE
      And the log of payments-0 has not grown
      And the open transaction of A in payments-0 starts at "a1"

    Scenario: [2] No records
      Given A has written "a1" to payments-0
      When A writes an empty batch to payments-0
      Then it is refused with INVALID_RECORD or CORRUPT_MESSAGE
      And the log of payments-0 has not grown

    Scenario: [3] An offset of its own
      Given A has written "a1" to payments-0
      When A writes a batch with an offset of its own to payments-0
      Then it is refused with INVALID_RECORD or CORRUPT_MESSAGE
      And the log of payments-0 has not grown

    Scenario: [4] No sequence number, from an old client, which may begin with any
      Given A is an old client (transaction version 0)
      And A has added payments-0
      When A writes a batch without a sequence number to payments-0
      Then it is refused with INVALID_RECORD or OUT_OF_ORDER_SEQUENCE_NUMBER
      And the log of payments-0 has not grown

    Scenario: [5] The beginning of another batch behind it
      Given A has written "a1" to payments-0
      And A has sent a batch with the beginning of another behind it to payments-0, whatever was answered
      And A has aborted
      When "p1" is written to payments-0
      Then readers of payments-0 see "p1"

  @KIP890-366 @MUST
  Rule: A batch must not overtake an earlier one of its transaction that was refused at verification, else OUT_OF_ORDER_SEQUENCE_NUMBER.
    The first batch would be refused for ever when it is sent again, since the second one is there, and its records would be lost.

    Scenario: [1] The first batch came before its partition was added
      Given A is an old client (transaction version 0)
      And A has sent "a1" to payments-0, whatever was answered
      And A has added payments-0
      When A writes "a2" to payments-0 at sequence 1
      Then it is refused with OUT_OF_ORDER_SEQUENCE_NUMBER
      And the log of payments-0 has not grown

    Scenario: [2] The first batch is sent again
      Given A is an old client (transaction version 0)
      And A has sent "a1" to payments-0, whatever was answered
      And A has added payments-0
      When A writes "a1" to payments-0 at sequence 0
      Then it is done

  @KIP890-367 @MUST @fencing
  Rule: Of an idempotent producer that has raised its own epoch, a batch of the one before is refused INVALID_PRODUCER_EPOCH.
    It was given up when the epoch was raised, and its records sent once more; both would be in the log.

    Scenario: [1] A late batch
      Given idempotent producer I
      And I has written "i1" to payments-0
      And I has raised its own epoch
      And I has written "i2" to payments-0
      When I writes "late" to payments-0 with its previous epoch
      Then it is refused with INVALID_PRODUCER_EPOCH
      And the log of payments-0 has not grown
