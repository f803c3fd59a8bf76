Feature: Malformed batches
  A batch that is damaged, or that no producer would send, is not appended, and the transaction stays as it was.

  Background:
    Given a topic "payments" with 2 partitions
    And producer A with transactional id "transfer"

  @KIP890-365 @MUST
  Rule: A leader refuses a batch of an open transaction that is damaged, empty, or without a sequence number, and appends nothing.
    Corrupted records would be committed, or a batch that is sent again would not be recognised.

    Scenario: [1] A batch has a wrong checksum
      Given A has written "a1" to payments-0
      When A writes a damaged batch to payments-0
      Then it is refused with CORRUPT_MESSAGE
      And the log of payments-0 has not grown
      And the open transaction of A in payments-0 starts at "a1"

    Scenario: [2] A batch has no records
      Given A has written "a1" to payments-0
      When A writes an empty batch to payments-0
      Then it is refused with INVALID_RECORD or CORRUPT_MESSAGE
      And the log of payments-0 has not grown

    Scenario: [3] A batch does not begin at offset 0
      Given A has written "a1" to payments-0
      When A writes a batch with a base offset of 1 to payments-0
      Then it is refused with INVALID_RECORD or CORRUPT_MESSAGE
      And the log of payments-0 has not grown

    Scenario: [4] A batch of an old client has no sequence number
      Given A is an old client (transaction version 0)
      And A has added payments-0
      When A writes a batch without a sequence number to payments-0
      Then it is refused with INVALID_RECORD or OUT_OF_ORDER_SEQUENCE_NUMBER
      And the log of payments-0 has not grown

    Scenario: [5] A batch is followed by the beginning of another
      Given A has written "a1" to payments-0
      And A has sent a batch with the beginning of another behind it to payments-0, whatever was answered
      And A has aborted
      When "p1" is written to payments-0
      Then readers of payments-0 see "p1"

    Scenario: [6] The producer continues after a batch that was refused
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has sent a batch with a base offset of 1 to payments-0, whatever was answered
      When A writes "a2" to payments-0
      Then it is done and answers the offset of "a2"

  @KIP890-366 @MUST
  Rule: A leader that has refused a batch at verification answers the producer's next batch with OUT_OF_ORDER_SEQUENCE_NUMBER if that arrives before the retry.
    If the second batch were appended, the first would be refused for ever when it is sent again, and its records would be lost.

    Scenario: [1] A second batch follows one that was refused before its partition was added
      Given A is an old client (transaction version 0)
      And A has sent "a1" to payments-0, whatever was answered
      And A has added payments-0
      When A writes "a2" to payments-0 at sequence 1
      Then it is refused with OUT_OF_ORDER_SEQUENCE_NUMBER
      And the log of payments-0 has not grown

    Scenario: [2] A batch is sent again that was refused before its partition was added
      Given A is an old client (transaction version 0)
      And A has sent "a1" to payments-0, whatever was answered
      And A has added payments-0
      When A writes "a1" to payments-0 at sequence 0
      Then it is done

  @KIP890-367 @MUST @fencing
  Rule: After an idempotent producer has raised its own epoch, a leader answers a batch with its previous epoch with INVALID_PRODUCER_EPOCH.
    The producer gave the batch up when it raised the epoch, and sent its records again; both would be in the log.

    Scenario: [1] A late batch arrives after an idempotent producer has raised its epoch
      Given idempotent producer I
      And I has written "i1" to payments-0
      And I has raised its own epoch
      And I has written "i2" to payments-0
      When I writes "late" to payments-0 with its previous epoch
      Then it is refused with INVALID_PRODUCER_EPOCH
      And the log of payments-0 has not grown
