Feature: The start and the end of a log
  The start and the end of a log and its newest record: readers start from these, and producers do not see them change.

  Background:
    Given a topic "payments" with 2 partitions

  @KIP890-362 @MUST
  Rule: DeleteRecords moves the start of a log forward and never back, and answers OFFSET_OUT_OF_RANGE beyond the high watermark.
    A start that moves back shows deleted records, and one beyond the end makes readers wait for records that were never written.

    Scenario: [1] The records before one record are deleted
      Given "p1" has been written to payments-0
      And "p2" has been written to payments-0
      When the records of payments-0 before "p2" are deleted
      Then it is done
      And payments-0 begins with "p2"
      And readers of payments-0 see "p2"

    Scenario: [2] A transaction writes after all records were deleted
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And the records of payments-0 have been deleted
      When A writes "a2" to payments-0
      Then it is done and answers the offset of "a2"
      And payments-0 begins with "a2"
      And read_uncommitted readers of payments-0 see "a2"

    Scenario: [3] All records are deleted
      Given "p1" has been written to payments-0
      When the records of payments-0 are deleted
      Then it is done
      And payments-0 begins with what comes next

    Scenario: [4] Records are deleted beyond the end
      Given "p1" has been written to payments-0
      When the records of payments-0 up to past its end are deleted
      Then it is refused with OFFSET_OUT_OF_RANGE
      And payments-0 begins with "p1"

    Scenario: [5] Records are deleted up to a negative offset
      Given "p1" has been written to payments-0
      When the records of payments-0 up to a negative offset are deleted
      Then it is refused with OFFSET_OUT_OF_RANGE
      And payments-0 begins with "p1"

    Scenario: [6] Records are deleted up to an offset before the start
      Given "p1" has been written to payments-0
      And "p2" has been written to payments-0
      And the records of payments-0 before "p2" have been deleted
      When the records of payments-0 up to before its start are deleted
      Then it is done
      And payments-0 begins with "p2"

    Scenario: [7] The records of an empty log are deleted
      When the records of payments-0 up to its start are deleted
      Then it is done
      And payments-0 begins with what comes next

  @KIP890-363 @MUST
  Rule: A leader answers Fetch from an offset outside of the log with OFFSET_OUT_OF_RANGE, and from the log end with no records.
    A consumer whose next record was deleted would skip committed ones without an error.

    Scenario: [1] A Fetch from an offset before the start
      Given "p1" has been written to payments-0
      And "p2" has been written to payments-0
      And the records of payments-0 before "p2" have been deleted
      When payments-0 is read from before its start for read_committed
      Then it is refused with OFFSET_OUT_OF_RANGE

    Scenario: [2] A Fetch from an offset beyond the end
      Given "p1" has been written to payments-0
      When payments-0 is read from past its end for read_committed
      Then it is refused with OFFSET_OUT_OF_RANGE

    Scenario: [3] A Fetch from the end, after an open transaction
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      When payments-0 is read from its end for read_committed
      Then it is done and answers no records

    Scenario: [4] A Fetch with a limit of two of three batches
      Given producer A with transactional id "transfer"
      And A has written 2 batches to payments-0
      When A writes "a1" to payments-0
      Then a Fetch with room for 2 batches of payments-0 gets "r0", "r1", or the first of them

  @KIP890-364 @MUST
  Rule: ListOffsets returns the start of a log, its newest record, or the first record from a given time on, and -1 if there is none.
    A consumer starts where this answer points. Every record that it skips is never processed.

    Scenario: [1] ListOffsets for the start of a new log
      When the start of payments-0 is looked up for read_committed
      Then the look-up finds offset 0 and no time

    Scenario: [2] ListOffsets for the local start of a log
      Given "p1" has been written to payments-0
      When the start on the broker's own disk of payments-0 is looked up for read_committed
      Then the look-up finds offset 0 and no time

    Scenario: [3] ListOffsets for the newest of several records
      Given a topic "ledger" with 1 partition and a new segment for each batch
      And producer A with transactional id "transfer"
      And A has written 3 batches to ledger-0
      When the newest record of ledger-0 is looked up for read_uncommitted
      Then the look-up finds "r2"

    Scenario: [4] ListOffsets for the newest record of an empty log
      When the newest record of payments-0 is looked up for read_uncommitted
      Then the look-up finds nothing

    Scenario: [5] ListOffsets for a time in the future
      Given "p1" has been written to payments-0
      When the first record from the next century of payments-0 is looked up for read_uncommitted
      Then the look-up finds nothing

    Scenario: [6] ListOffsets for the end of tiered storage without any
      Given "p1" has been written to payments-0
      When the end of what is stored elsewhere of payments-0 is looked up for read_uncommitted
      Then the look-up finds nothing

    Scenario: [7] ListOffsets for the time of the second of three records
      Given a topic "ledger" with 1 partition and a new segment for each batch
      And producer A with transactional id "transfer"
      And A has written 3 batches to ledger-0
      When the first record from the time of "r1" of ledger-0 is looked up for read_uncommitted
      Then the look-up finds "r1"
