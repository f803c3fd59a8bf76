Feature: Sequence numbers
  Within an epoch the records of a producer in a partition are numbered without gaps, so that a batch that comes twice is known,
  and one that is missing is missed.

  Background:
    Given a topic "payments" with 2 partitions

  @KIP890-108 @MUST
  Rule: Produce v12 from a producer unknown to the partition must start at sequence 0, else OUT_OF_ORDER_SEQUENCE_NUMBER.
    A first batch that does not start at 0 means that an earlier one was lost, and nobody would notice.

    @needs:transactions-v2
    Scenario: [1] The first batch of a producer
      Given producer A with transactional id "transfer"
      When A writes "early" to payments-0 at sequence 5
      Then it is refused with OUT_OF_ORDER_SEQUENCE_NUMBER
      And the log of payments-0 has not grown
      And the producer id and epoch of A are unchanged

    @needs:transactions-v2
    Scenario: [2] The producer is known to another partition only
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      When A writes "early" to payments-1 at sequence 1
      Then it is refused with OUT_OF_ORDER_SEQUENCE_NUMBER
      And the log of payments-1 has not grown
      And the producer id and epoch of A are unchanged

  @KIP890-109 @MUST
  Rule: Produce v11 and plain idempotent producers may start at any sequence in a partition that does not know them.
    Old clients and plain producers may come back after their state expired; the strict rule would lock them out.

    Scenario: [1] An old client begins in the middle
      Given producer A with transactional id "transfer"
      And A has added payments-0
      And A uses Produce v11
      When A writes "a1" to payments-0 at sequence 5
      Then it is done

    Scenario: [2] An idempotent producer begins in the middle
      Given idempotent producer I
      When I writes "i1" to payments-0 at sequence 5
      Then it is done

  @KIP890-110 @MUST
  Rule: A new epoch starts at sequence 0, any other first sequence is refused OUT_OF_ORDER_SEQUENCE_NUMBER.
    The first batch of an epoch that starts in the middle hides that the batches before it were lost.

    @needs:transactions-v2
    Scenario: [1] The epoch that EndTxn v5 answered
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has committed
      When A writes "a2" to payments-0 at sequence 1
      Then it is refused with OUT_OF_ORDER_SEQUENCE_NUMBER
      And the log of payments-0 has not grown
      And the producer id and epoch of A are unchanged

    @needs:transactions-v2
    Scenario: [2] The epoch that InitProducerId answered
      Given producer A with transactional id "transfer"
      And A uses EndTxn v4
      And A has committed "a1" to payments-0
      And A has initialised again
      When A writes "a2" to payments-0 at sequence 1
      Then it is refused with OUT_OF_ORDER_SEQUENCE_NUMBER
      And the log of payments-0 has not grown

  @KIP890-111 @MUST @recovery
  Rule: A restart does not change the verdict on a non-zero first sequence of a new epoch.
    A rule that a restart forgets lets through just the gap that a crash makes likely.

    @needs:crash @needs:transactions-v2
    Scenario: [1] A first batch at sequence 1, after a crash
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has committed
      And the system has crashed and come back
      When A writes "a2" to payments-0 at sequence 1
      Then it is refused with OUT_OF_ORDER_SEQUENCE_NUMBER

  @KIP890-112 @MUST
  Rule: A batch that repeats one of the last five exactly succeeds with its original offset and is not appended again.
    A producer whose answer was lost sends its batch again; appended twice, it is read twice.

    Scenario: [1] The newest of five
      Given producer A with transactional id "transfer"
      And A has written 5 batches to payments-0
      When A writes "again" to payments-0 at sequence 4
      Then it is done and answers the offset of "r4"
      And the log of payments-0 has not grown

    Scenario: [2] The oldest of five
      Given producer A with transactional id "transfer"
      And A has written 5 batches to payments-0
      When A writes "again" to payments-0 at sequence 0
      Then it is done and answers the offset of "r0"
      And the log of payments-0 has not grown

    Scenario: [3] A batch of several records
      Given producer A with transactional id "transfer"
      And A has written a batch of 3 records to payments-0
      When A writes a batch of 3 records to payments-0 at sequence 0
      Then it is done and answers the offset of "r0"
      And the log of payments-0 has not grown

    Scenario: [4] A batch whose record has been deleted
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And the records of payments-0 have been deleted
      When A writes "again" to payments-0 at sequence 0
      Then the log of payments-0 has not grown

    Scenario: [5] A batch outside of transactions whose record has been deleted
      Given idempotent producer I
      And I has written a batch of 1 record to payments-0
      And the records of payments-0 have been deleted
      When I writes "r0" to payments-0 at sequence 0
      Then the log of payments-0 has not grown

    Scenario: [6] The oldest of five, in front of five of another producer
      Given producers A and B with transactional ids "transfer" and "refund"
      And A has written 5 batches to payments-0
      And B has written 5 batches to payments-0
      When A writes "again" to payments-0 at sequence 0
      Then it is done and answers the offset of "r0"
      And the log of payments-0 has not grown

    Scenario: [7] The sequence number of another producer's batch
      Given producers A and B with transactional ids "transfer" and "refund"
      And A has written 5 batches to payments-0
      And B has written "b1" to payments-0
      When B writes "b2" to payments-0
      Then it is done and answers the offset of "b2"

  @KIP890-113 @MUST
  Rule: A gap or a partial overlap is refused OUT_OF_ORDER_SEQUENCE_NUMBER, and an older duplicate is not appended again.
    A gap means lost records, an overlap means records stored twice.

    Scenario: [1] A gap in the sequence numbers
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      When A writes "gap" to payments-0 at sequence 2
      Then it is refused with OUT_OF_ORDER_SEQUENCE_NUMBER
      And the log of payments-0 has not grown

    Scenario: [2] A batch that repeats the end of the last one and goes on
      Given producer A with transactional id "transfer"
      And A has written a batch of 3 records to payments-0
      When A writes a batch of 2 records to payments-0 at sequence 2
      Then it is refused with OUT_OF_ORDER_SEQUENCE_NUMBER
      And the log of payments-0 has not grown

    Scenario: [3] The sixth batch from the end
      Given producer A with transactional id "transfer"
      And A has written 6 batches to payments-0
      When A writes "again" to payments-0 at sequence 0
      Then it is refused with OUT_OF_ORDER_SEQUENCE_NUMBER or DUPLICATE_SEQUENCE_NUMBER or answers the offset of "r0"
      And the log of payments-0 has not grown

  @KIP890-114 @MUST
  Rule: Sequences wrap from 2147483647 to 0, and a wrap to anything else is refused OUT_OF_ORDER_SEQUENCE_NUMBER.
    A producer that lives for long enough comes to the last number, and must be able to go on.

    Scenario: [1] The number after the largest is 0
      Given idempotent producer I
      And I has written a batch of 1 record to payments-0 at sequence 2147483647
      When I writes "i2" to payments-0 at sequence 0
      Then it is done
      And it is done and answers the offset of "i2"

    Scenario: [2] The number after the largest is not 1
      Given idempotent producer I
      And I has written a batch of 1 record to payments-0 at sequence 2147483647
      When I writes "i2" to payments-0 at sequence 1
      Then it is refused with OUT_OF_ORDER_SEQUENCE_NUMBER
      And the log of payments-0 has not grown

    Scenario: [3] The numbers wrap within a batch
      Given idempotent producer I
      And I has written a batch of 3 records to payments-0 at sequence 2147483646
      When I writes "i2" to payments-0 at sequence 1
      Then it is done
      And it is done and answers the offset of "i2"

  @KIP890-115 @MUST
  Rule: Clients may not write control batches, an attempt is refused INVALID_RECORD.
    A client that writes markers ends transactions behind the coordinator's back.

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
  Rule: Of a Produce that mixes producer ids, batches foreign to its transactional id are refused INVALID_PRODUCER_ID_MAPPING.
    Verification asks about one producer. A second one in the same request would go unasked.

    Scenario: [1] Two producers, each in a partition of its own
      Given producers A and B with transactional ids "transfer" and "refund"
      When A writes "of A" to payments-0 and "of B" to payments-1 as B in one request
      Then it is refused for payments-1 with INVALID_PRODUCER_ID_MAPPING
      And the log of payments-1 has not grown
      And the transaction of B is unchanged

    Scenario: [2] The transaction of the other one is open in its partition
      Given producers A and B with transactional ids "transfer" and "refund"
      And B has written "b1" to payments-1
      When A writes "of A" to payments-0 and "of B" to payments-1 as B in one request
      Then it is refused for payments-1 with INVALID_PRODUCER_ID_MAPPING
      And the log of payments-1 has not grown
