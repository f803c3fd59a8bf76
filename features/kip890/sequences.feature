Feature: Sequence numbers
  Within an epoch the records of a producer in a partition are numbered without gaps, so that a batch that comes twice is known,
  and one that is missing is missed.

  Background:
    Given a topic "payments" with 2 partitions

  @KIP890-108 @MUST
  Rule: Produce v12 from a producer unknown to the partition must start at sequence 0, else OUT_OF_ORDER_SEQUENCE_NUMBER.

    Scenario: [1] The first batch of a producer
      Given producer A with transactional id "transfer"
      When A writes "early" to payments-0 at sequence 5
      Then it is refused with OUT_OF_ORDER_SEQUENCE_NUMBER
      And the log of payments-0 has not grown

    Scenario: [2] The producer is known to another partition only
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      When A writes "early" to payments-1 at sequence 1
      Then it is refused with OUT_OF_ORDER_SEQUENCE_NUMBER
      And the log of payments-1 has not grown

  @KIP890-109 @MUST
  Rule: Produce v11 and plain idempotent producers may start at any sequence in a partition that does not know them.

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

    Scenario: [1] The epoch that EndTxn v5 answered
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has committed
      When A writes "a2" to payments-0 at sequence 1
      Then it is refused with OUT_OF_ORDER_SEQUENCE_NUMBER
      And the log of payments-0 has not grown

    Scenario: [2] The epoch that InitProducerId answered
      Given producer A with transactional id "transfer"
      And A uses EndTxn v4
      And A has committed "a1" to payments-0
      And A has initialised again
      When A writes "a2" to payments-0 at sequence 1
      Then it is refused with OUT_OF_ORDER_SEQUENCE_NUMBER
      And the log of payments-0 has not grown

  @KIP890-111 @MUST
  Rule: A restart does not change the verdict on a non-zero first sequence of a new epoch.

    @needs:crash
    Scenario: [1] A first batch at sequence 1, after a crash
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has committed
      And the system has crashed and come back
      When A writes "a2" to payments-0 at sequence 1
      Then it is refused with OUT_OF_ORDER_SEQUENCE_NUMBER

  @KIP890-112 @MUST
  Rule: A batch that repeats one of the last five exactly succeeds with its original offset and is not appended again.

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

  @KIP890-113 @MUST
  Rule: A gap, a partial overlap or a duplicate older than five batches is refused OUT_OF_ORDER_SEQUENCE_NUMBER.

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
      Then it is refused with OUT_OF_ORDER_SEQUENCE_NUMBER
      And the log of payments-0 has not grown

  @KIP890-114 @MUST
  Rule: Sequences wrap from 2147483647 to 0, and a wrap to anything else is refused OUT_OF_ORDER_SEQUENCE_NUMBER.

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

    Scenario: [1] A producer writes a COMMIT marker
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      When A writes a COMMIT marker to payments-0
      Then it is refused with INVALID_RECORD
      And the log of payments-0 has not grown
      And the open transaction of A in payments-0 starts at "a1"

    Scenario: [2] A producer writes an ABORT marker
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      When A writes an ABORT marker to payments-0
      Then it is refused with INVALID_RECORD
      And the log of payments-0 has not grown
      And the open transaction of A in payments-0 starts at "a1"

  @KIP890-119 @MUST
  Rule: A Produce whose transactional batches mix producer ids is refused INVALID_PRODUCER_ID_MAPPING.

    Scenario: [1] Two producers, each in a partition of its own
      Given producers A and B with transactional ids "transfer" and "refund"
      When A writes "of A" to payments-0 and "of B" to payments-1 as B in one request
      Then it is refused for payments-0 with INVALID_PRODUCER_ID_MAPPING
      And it is refused for payments-1 with INVALID_PRODUCER_ID_MAPPING
      And the log of payments-0 has not grown
      And the log of payments-1 has not grown
