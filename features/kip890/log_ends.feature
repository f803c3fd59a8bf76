Feature: The beginning and the end of a log
  Where a log begins, where it ends and what its newest record is: readers set out from these, and producers do not see them change.

  Background:
    Given a topic "payments" with 2 partitions

  @KIP890-362 @MUST
  Rule: DeleteRecords moves the start of a log forward, never back, and beyond the high watermark it is OFFSET_OUT_OF_RANGE.
    A start that goes back shows what was deleted, and one beyond the end makes readers wait for records that were never written.

    Scenario: [1] Up to a record
      Given "p1" has been written to payments-0
      And "p2" has been written to payments-0
      When the records of payments-0 before "p2" are deleted
      Then it is done
      And payments-0 begins with "p2"
      And readers of payments-0 see "p2"

    Scenario: [2] All records, and the next one
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And the records of payments-0 have been deleted
      When A writes "a2" to payments-0
      Then it is done and answers the offset of "a2"
      And payments-0 begins with "a2"
      And read_uncommitted readers of payments-0 see "a2"

    Scenario: [3] All records
      Given "p1" has been written to payments-0
      When the records of payments-0 are deleted
      Then it is done
      And payments-0 begins with what comes next

    Scenario: [4] Beyond the end
      Given "p1" has been written to payments-0
      When the records of payments-0 are deleted up to behind its end
      Then it is refused with OFFSET_OUT_OF_RANGE
      And payments-0 begins with "p1"

    Scenario: [5] An offset that there cannot be
      Given "p1" has been written to payments-0
      When the records of payments-0 are deleted up to a negative offset
      Then it is refused with OFFSET_OUT_OF_RANGE
      And payments-0 begins with "p1"

    Scenario: [6] Before the start
      Given "p1" has been written to payments-0
      And "p2" has been written to payments-0
      And the records of payments-0 before "p2" have been deleted
      When the records of payments-0 are deleted up to before its start
      Then it is done
      And payments-0 begins with "p2"

    Scenario: [7] A log in which nothing was written yet
      When the records of payments-0 are deleted up to its start
      Then it is done
      And payments-0 begins with what comes next

  @KIP890-363 @MUST
  Rule: A Fetch from an offset that a log does not have is refused OFFSET_OUT_OF_RANGE, and one from its end gets nothing.
    A consumer whose next record was deleted would skip committed ones and never hear of it.

    Scenario: [1] Below the start
      Given "p1" has been written to payments-0
      And "p2" has been written to payments-0
      And the records of payments-0 before "p2" have been deleted
      When payments-0 is read from before its start for read_committed
      Then it is refused with OFFSET_OUT_OF_RANGE

    Scenario: [2] Behind the end
      Given "p1" has been written to payments-0
      When payments-0 is read from behind its end for read_committed
      Then it is refused with OFFSET_OUT_OF_RANGE

    Scenario: [3] The end, behind an open transaction
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      When payments-0 is read from its end for read_committed
      Then it is done and gets nothing

    Scenario: [4] As many bytes as two of three batches have
      Given producer A with transactional id "transfer"
      And A has written 2 batches to payments-0
      When A writes "a1" to payments-0
      Then a Fetch with room for 2 batches of payments-0 gets "r0", "r1", or the first of them

  @KIP890-364 @MUST
  Rule: ListOffsets finds the start of a log, its newest record and the first one of a time, and answers -1 where there is none.
    A consumer begins where this answer says. Each record that it is too far on is one that nobody processes.

    Scenario: [1] The start of a new log
      When the start of payments-0 is looked up for read_committed
      Then the look-up answers offset 0 and no time

    Scenario: [2] The start on the broker's own disk
      Given "p1" has been written to payments-0
      When the start on the broker's own disk of payments-0 is looked up for read_committed
      Then the look-up answers offset 0 and no time

    Scenario: [3] The newest of several records
      Given a topic "ledger" with 1 partition and a new segment for each batch
      And producer A with transactional id "transfer"
      And A has written 3 batches to ledger-0
      When the newest record of ledger-0 is looked up for read_uncommitted
      Then the look-up finds "r2"

    Scenario: [4] The newest record of an empty log
      When the newest record of payments-0 is looked up for read_uncommitted
      Then the look-up finds nothing

    Scenario: [5] A time that has not come
      Given "p1" has been written to payments-0
      When the first record from the next century of payments-0 is looked up for read_uncommitted
      Then the look-up finds nothing

    Scenario: [6] The end of what is stored elsewhere, where nothing is
      Given "p1" has been written to payments-0
      When the end of what is stored elsewhere of payments-0 is looked up for read_uncommitted
      Then the look-up finds nothing

    Scenario: [7] The second of two records with times of their own
      Given a topic "ledger" with 1 partition and a new segment for each batch
      And producer A with transactional id "transfer"
      And A has written 3 batches to ledger-0
      When the offset for the time of "r1" in ledger-0 is looked up for read_uncommitted
      Then the look-up finds "r1"
