Feature: Sequence numbers
  Within an epoch the records of a producer in a partition are numbered without gaps, so that a duplicate batch is recognised and a
  missing one is noticed.

  Background:
    Given a topic "payments" with 2 partitions

  @KIP890-108 @MUST
  Rule: A leader answers the first Produce v12 of a producer unknown to the partition with OUT_OF_ORDER_SEQUENCE_NUMBER unless it starts at sequence 0.
    A first batch that does not start at 0 means that an earlier one was lost, which would go unnoticed.

    @needs:transactions-v2
    Scenario: [1] The first batch of a producer has sequence 5
      Given producer A with transactional id "transfer"
      When A writes "early" to payments-0 at sequence 5
      Then it is refused with OUT_OF_ORDER_SEQUENCE_NUMBER
      And the log of payments-0 has not grown
      And the producer id and epoch of A are unchanged

    @needs:transactions-v2
    Scenario: [2] The first batch in a second partition has sequence 1
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      When A writes "early" to payments-1 at sequence 1
      Then it is refused with OUT_OF_ORDER_SEQUENCE_NUMBER
      And the log of payments-1 has not grown
      And the producer id and epoch of A are unchanged

    @needs:transactions-v2
    Scenario: [3] The first batch of a producer has sequence 1, and was refused before
      Given producer A with transactional id "transfer"
      And A has sent a batch that leaves a gap to payments-0, whatever was answered
      When A writes "early" to payments-0 at sequence 1
      Then it is refused with OUT_OF_ORDER_SEQUENCE_NUMBER
      And the log of payments-0 has not grown

    @needs:transactions-v2 @needs:crash
    Scenario: [4] The first batch of a producer has sequence 1 after a crash
      Given "p1" has been written to payments-0
      And producer A with transactional id "transfer"
      And the system has crashed and restarted
      When A writes "early" to payments-0 at sequence 1
      Then it is refused with OUT_OF_ORDER_SEQUENCE_NUMBER
      And the log of payments-0 has not grown

  @KIP890-109 @MUST
  Rule: A leader accepts any first sequence from an idempotent producer, or in Produce v11, if the partition does not know the producer.
    Old clients and idempotent producers may return after their state has expired; the strict rule would lock them out.

    Scenario: [1] An old client starts at sequence 5
      Given producer A with transactional id "transfer"
      And A has added payments-0
      And A uses Produce v11
      When A writes "a1" to payments-0 at sequence 5
      Then it is done

    Scenario: [2] An idempotent producer starts at sequence 5
      Given idempotent producer I
      When I writes "i1" to payments-0 at sequence 5
      Then it is done

  @KIP890-110 @MUST
  Rule: A leader answers a first batch of a new epoch with OUT_OF_ORDER_SEQUENCE_NUMBER unless it starts at sequence 0.
    A first batch of an epoch that does not start at 0 hides that the batches before it were lost.

    @needs:transactions-v2
    Scenario: [1] The epoch from EndTxn v5 starts at sequence 1
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has committed
      When A writes "a2" to payments-0 at sequence 1
      Then it is refused with OUT_OF_ORDER_SEQUENCE_NUMBER
      And the log of payments-0 has not grown
      And the producer id and epoch of A are unchanged

    @needs:transactions-v2
    Scenario: [2] The epoch from InitProducerId starts at sequence 1
      Given producer A with transactional id "transfer"
      And A uses EndTxn v4
      And A has committed "a1" to payments-0
      And A has initialised again
      When A writes "a2" to payments-0 at sequence 1
      Then it is refused with OUT_OF_ORDER_SEQUENCE_NUMBER
      And the log of payments-0 has not grown

  @KIP890-111 @MUST @recovery
  Rule: A leader refuses a non-zero first sequence of a new epoch after a restart too.
    If a restart loses this check, the gap that a crash makes likely is accepted.

    @needs:crash @needs:transactions-v2
    Scenario: [1] A new epoch starts at sequence 1 after a crash
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has committed
      And the system has crashed and restarted
      When A writes "a2" to payments-0 at sequence 1
      Then it is refused with OUT_OF_ORDER_SEQUENCE_NUMBER

  @KIP890-112 @MUST
  Rule: A leader answers an exact repetition of one of the last five batches with success and its original offset, and does not append it again.
    A producer whose answer was lost sends its batch again; if it is appended twice, it is read twice.

    Scenario: [1] The newest of five batches is repeated
      Given producer A with transactional id "transfer"
      And A has written 5 batches to payments-0
      When A writes "again" to payments-0 at sequence 4
      Then it is done and answers the offset of "r4"
      And the log of payments-0 has not grown

    Scenario: [2] The oldest of five batches is repeated
      Given producer A with transactional id "transfer"
      And A has written 5 batches to payments-0
      When A writes "again" to payments-0 at sequence 0
      Then it is done and answers the offset of "r0"
      And the log of payments-0 has not grown

    Scenario: [3] A batch of several records is repeated
      Given producer A with transactional id "transfer"
      And A has written a batch of 3 records to payments-0
      When A writes a batch of 3 records to payments-0 at sequence 0
      Then it is done and answers the offset of "r0"
      And the log of payments-0 has not grown

    Scenario: [4] A producer repeats a batch whose record was deleted
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And the records of payments-0 have been deleted
      When A writes "again" to payments-0 at sequence 0
      Then the log of payments-0 has not grown

    Scenario: [5] An idempotent producer repeats a batch whose record was deleted
      Given idempotent producer I
      And I has written a batch of 1 record to payments-0
      And the records of payments-0 have been deleted
      When I writes "r0" to payments-0 at sequence 0
      Then the log of payments-0 has not grown

    Scenario: [6] The oldest of five batches is repeated after five of another producer
      Given producers A and B with transactional ids "transfer" and "refund"
      And A has written 5 batches to payments-0
      And B has written 5 batches to payments-0
      When A writes "again" to payments-0 at sequence 0
      Then it is done and answers the offset of "r0"
      And the log of payments-0 has not grown

    Scenario: [7] A new batch has the sequence number of another producer's batch
      Given producers A and B with transactional ids "transfer" and "refund"
      And A has written 5 batches to payments-0
      And B has written "b1" to payments-0
      When B writes "b2" to payments-0
      Then it is done and answers the offset of "b2"

    Scenario: [8] A batch is repeated after the next one has wrapped the sequence
      Given idempotent producer I
      And I has written a batch of 1 record to payments-0 at sequence 2147483647
      And I has written a batch of 1 record to payments-0 at sequence 0
      When I writes "r0" to payments-0 at sequence 2147483647
      Then it is done
      And the log of payments-0 has not grown

    Scenario: [9] A batch is repeated in which the sequence wraps
      Given idempotent producer I
      And I has written a batch of 3 records to payments-0 at sequence 2147483646
      When I writes a batch of 3 records to payments-0 at sequence 2147483646
      Then it is done and answers the offset of "r0"
      And the log of payments-0 has not grown

    Scenario: [10] The oldest of five batches is repeated after a batch that left a gap
      Given producer A with transactional id "transfer"
      And A has written 5 batches to payments-0
      And A has sent a batch that leaves a gap to payments-0, whatever was answered
      When A writes "again" to payments-0 at sequence 0
      Then it is done and answers the offset of "r0"
      And the log of payments-0 has not grown

    Scenario: [11] The oldest of five batches of an idempotent producer is repeated
      Given idempotent producer I
      And I has written 5 batches to payments-0
      When I writes "r0" to payments-0 at sequence 0
      Then it is done and answers the offset of "r0"
      And the log of payments-0 has not grown

    @needs:crash
    Scenario: [12] A batch is repeated after a crash
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And the system has crashed and restarted
      When A writes "again" to payments-0 at sequence 0
      Then it is done and answers the offset of "a1"
      And the log of payments-0 has not grown

    Scenario: [13] An idempotent producer repeats a batch after another producer has committed
      Given idempotent producer I
      And producer A with transactional id "transfer"
      And I has written a batch of 1 record to payments-0
      And A has committed "a1" to payments-0
      When I writes "r0" to payments-0 at sequence 0
      Then it is done and answers the offset of "r0"
      And the log of payments-0 has not grown

  @KIP890-113 @MUST
  Rule: A leader answers a gap or a partial overlap with OUT_OF_ORDER_SEQUENCE_NUMBER, and does not append an older duplicate again.
    A gap means lost records, an overlap means records stored twice.

    Scenario: [1] A batch leaves a gap in the sequence
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      When A writes "gap" to payments-0 at sequence 2
      Then it is refused with OUT_OF_ORDER_SEQUENCE_NUMBER
      And the log of payments-0 has not grown

    Scenario: [2] A batch repeats the end of the last one and continues
      Given producer A with transactional id "transfer"
      And A has written a batch of 3 records to payments-0
      When A writes a batch of 2 records to payments-0 at sequence 2
      Then it is refused with OUT_OF_ORDER_SEQUENCE_NUMBER
      And the log of payments-0 has not grown

    Scenario: [3] The sixth batch from the end is repeated
      Given producer A with transactional id "transfer"
      And A has written 6 batches to payments-0
      When A writes "again" to payments-0 at sequence 0
      Then it is refused with OUT_OF_ORDER_SEQUENCE_NUMBER or DUPLICATE_SEQUENCE_NUMBER or answers the offset of "r0"
      And the log of payments-0 has not grown

    Scenario: [4] A batch repeats the beginning of the last one alone
      Given producer A with transactional id "transfer"
      And A has written a batch of 3 records to payments-0
      When A writes a batch of 2 records to payments-0 at sequence 0
      Then it is refused with OUT_OF_ORDER_SEQUENCE_NUMBER
      And the log of payments-0 has not grown

    Scenario: [5] A batch repeats the last one and continues
      Given producer A with transactional id "transfer"
      And A has written a batch of 3 records to payments-0
      When A writes a batch of 5 records to payments-0 at sequence 0
      Then it is refused with OUT_OF_ORDER_SEQUENCE_NUMBER
      And the log of payments-0 has not grown

    Scenario: [6] A batch repeats the end of the last one alone
      Given producer A with transactional id "transfer"
      And A has written a batch of 3 records to payments-0
      When A writes a batch of 2 records to payments-0 at sequence 1
      Then it is refused with OUT_OF_ORDER_SEQUENCE_NUMBER
      And the log of payments-0 has not grown

    Scenario: [7] The batch that is due comes after one that left a gap
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has sent a batch that leaves a gap to payments-0, whatever was answered
      When A writes "a2" to payments-0
      Then it is done and answers the offset of "a2"

    Scenario: [8] A batch of an idempotent producer leaves a gap
      Given idempotent producer I
      And I has written "i1" to payments-0
      When I writes "gap" to payments-0 at sequence 2
      Then it is refused with OUT_OF_ORDER_SEQUENCE_NUMBER
      And the log of payments-0 has not grown

    Scenario: [9] A batch of an idempotent producer repeats the end of the last one and continues
      Given idempotent producer I
      And I has written a batch of 3 records to payments-0
      When I writes a batch of 2 records to payments-0 at sequence 2
      Then it is refused with OUT_OF_ORDER_SEQUENCE_NUMBER
      And the log of payments-0 has not grown

  @KIP890-114 @MUST
  Rule: A leader accepts sequence 0 after 2147483647, and answers any other sequence there with OUT_OF_ORDER_SEQUENCE_NUMBER.
    A long-lived producer reaches the largest sequence number, and must be able to continue.

    Scenario: [1] The sequence wraps from the largest number to 0
      Given idempotent producer I
      And I has written a batch of 1 record to payments-0 at sequence 2147483647
      When I writes "i2" to payments-0 at sequence 0
      Then it is done
      And it is done and answers the offset of "i2"

    Scenario: [2] The sequence wraps from the largest number to 1
      Given idempotent producer I
      And I has written a batch of 1 record to payments-0 at sequence 2147483647
      When I writes "i2" to payments-0 at sequence 1
      Then it is refused with OUT_OF_ORDER_SEQUENCE_NUMBER
      And the log of payments-0 has not grown

    Scenario: [3] The sequence wraps within a batch
      Given idempotent producer I
      And I has written a batch of 3 records to payments-0 at sequence 2147483646
      When I writes "i2" to payments-0 at sequence 1
      Then it is done
      And it is done and answers the offset of "i2"

  @KIP890-115 @MUST
  Rule: A leader answers a control batch of a client with INVALID_RECORD.
    A client that writes markers ends transactions without the coordinator's knowledge.

    Scenario: [1] A producer writes a COMMIT marker
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      When A writes a COMMIT marker to payments-0
      Then it is refused with INVALID_RECORD
      And the log of payments-0 has not grown
      And the open transaction of A in payments-0 starts at "a1"
      And the transaction of A is Ongoing in payments-0

    Scenario: [2] A producer writes an ABORT marker
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      When A writes an ABORT marker to payments-0
      Then it is refused with INVALID_RECORD
      And the log of payments-0 has not grown
      And the open transaction of A in payments-0 starts at "a1"
      And the transaction of A is Ongoing in payments-0

  @KIP890-119 @MUST
  Rule: A leader answers a batch whose producer id does not belong to the transactional id of the Produce with INVALID_PRODUCER_ID_MAPPING.
    Verification covers one producer. A second one in the same request would not be verified.

    Scenario: [1] One request has batches of two producers in two partitions
      Given producers A and B with transactional ids "transfer" and "refund"
      When A writes "of A" to payments-0 and "of B" to payments-1 as B in one request
      Then it is refused for payments-1 with INVALID_PRODUCER_ID_MAPPING
      And the log of payments-1 has not grown
      And the transaction of B is unchanged

    Scenario: [2] One request has a batch of another producer in the partition of its open transaction
      Given producers A and B with transactional ids "transfer" and "refund"
      And B has written "b1" to payments-1
      When A writes "of A" to payments-0 and "of B" to payments-1 as B in one request
      Then it is refused for payments-1 with INVALID_PRODUCER_ID_MAPPING
      And the log of payments-1 has not grown

    Scenario: [3] One request has batches of two producers in two topics
      Given a topic "refunds" with 1 partition
      And producers A and B with transactional ids "transfer" and "refund"
      When A writes "of A" to payments-0 and "of B" to refunds-0 as B in one request
      Then it is refused for refunds-0 with INVALID_PRODUCER_ID_MAPPING
      And the log of refunds-0 has not grown
      And the transaction of B is unchanged
