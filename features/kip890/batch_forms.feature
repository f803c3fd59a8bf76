Feature: Batches in every format
  A transaction consists of records, however their bytes are encoded.

  Background:
    Given a topic "payments" with 2 partitions

  @KIP890-209 @MUST
  Rule: A compressed batch of a transaction is verified, counted and decided like an uncompressed one.
    Most producers compress. A batch that is accepted unread escapes verification, or advances the sequence by too little.

    Scenario: [1] A transaction with a compressed batch commits
      Given producer A with transactional id "transfer"
      And A compresses its batches with gzip
      And A has written a batch of 3 records to payments-0
      When A commits
      Then readers of payments-0 see "r0", "r1", "r2"

    Scenario: [2] A transaction with a compressed batch aborts
      Given producer A with transactional id "transfer"
      And A compresses its batches with gzip
      And A has written a batch of 3 records to payments-0
      When A aborts
      Then readers of payments-0 see nothing
      And the last stable offset of payments-0 is the high watermark

    Scenario: [3] A batch follows one that is compressed with gzip
      Given producer A with transactional id "transfer"
      And A compresses its batches with gzip
      And A has written a batch of 3 records to payments-0
      When A writes "a1" to payments-0
      Then it is done and answers the offset of "a1"
      And read_uncommitted readers of payments-0 see "r0", "r1", "r2", "a1"

    Scenario: [4] A compressed batch is sent again
      Given producer A with transactional id "transfer"
      And A compresses its batches with gzip
      And A has written a batch of 3 records to payments-0
      When A writes a batch of 3 records to payments-0 at sequence 0
      Then it is done
      And the log of payments-0 has not grown

    Scenario: [5] A compressed batch is sent to a partition that was not added
      Given producer A with transactional id "transfer"
      And A compresses its batches with gzip
      And A uses Produce v10
      When A writes "stray" to payments-0
      Then it is refused with INVALID_TXN_STATE
      And the log of payments-0 has not grown

    Scenario: [6] A batch follows one that is compressed with snappy
      Given producer A with transactional id "transfer"
      And A compresses its batches with snappy
      And A has written a batch of 3 records to payments-0
      When A writes "a1" to payments-0
      Then it is done and answers the offset of "a1"
      And read_uncommitted readers of payments-0 see "r0", "r1", "r2", "a1"

    Scenario: [7] A batch follows one that is compressed with lz4
      Given producer A with transactional id "transfer"
      And A compresses its batches with lz4
      And A has written a batch of 3 records to payments-0
      When A writes "a1" to payments-0
      Then it is done and answers the offset of "a1"
      And read_uncommitted readers of payments-0 see "r0", "r1", "r2", "a1"

    Scenario: [8] A batch follows one that is compressed with zstd
      Given producer A with transactional id "transfer"
      And A compresses its batches with zstd
      And A has written a batch of 3 records to payments-0
      When A writes "a1" to payments-0
      Then it is done and answers the offset of "a1"
      And read_uncommitted readers of payments-0 see "r0", "r1", "r2", "a1"

  @KIP890-210 @MUST
  Rule: A leader answers a Produce with more than one batch for a partition with INVALID_RECORD there, and appends none of them.
    If the first batch is appended and the second refused, an answer with one error does not say which.

    Scenario: [1] A request with two batches for a partition begins a transaction
      Given producer A with transactional id "transfer"
      When A writes 2 batches to payments-0 in one request
      Then it is refused with INVALID_RECORD
      And the log of payments-0 has not grown
      And the transaction of A is unchanged

    Scenario: [2] A request has two batches for a partition of an open transaction
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      When A writes 2 batches to payments-0 in one request
      Then it is refused with INVALID_RECORD
      And the log of payments-0 has not grown

    Scenario: [3] A Produce v11 has two batches for a partition
      Given producer A with transactional id "transfer"
      And A has added payments-0
      And A uses Produce v11
      When A writes 2 batches to payments-0 in one request
      Then it is refused with INVALID_RECORD
      And the log of payments-0 has not grown
