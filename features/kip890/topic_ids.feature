Feature: Topics by their ids
  From version 13 on, Produce and Fetch name a topic by its id. A name may be given to another topic, an id never is.

  Background:
    Given a topic "refunds" with 1 partition
    And a topic "payments" with 1 partition
    And producer A with transactional id "transfer"

  @KIP890-250 @MUST
  Rule: Produce v13 adds the partition of the topic that its topic id names, as v12 does for a topic name.
    The partition of another topic would receive the marker, and the records of this one would stay undecided.

    Scenario: [1] A producer makes the first write of a transaction by topic id
      Given A uses Produce v13
      When A writes "a1" to payments-0
      Then it is done
      And the transaction of A is Ongoing in payments-0

    Scenario: [2] A transaction written by topic id aborts
      Given A uses Produce v13
      And A has written "a1" to payments-0
      When A aborts
      Then one ABORT marker was added to payments-0, with the next epoch of A
      And the last stable offset of payments-0 is the high watermark

    Scenario: [3] A producer writes by topic id with an epoch that has ended
      Given A uses Produce v13
      And A has written "a1" to payments-0
      And A has committed
      When A writes "late" to payments-0 with its previous epoch
      Then it is refused with INVALID_PRODUCER_EPOCH
      And the log of payments-0 has not grown

  @KIP890-251 @MUST
  Rule: A leader answers Produce v13 with the id of a deleted topic with UNKNOWN_TOPIC_ID, and writes to no other topic of that name.
    A producer that has not learned of the deletion would write into the new topic what was meant for the old one.

    Scenario: [1] A producer writes to a topic that was deleted and recreated
      Given topic "payments" has been deleted and made again
      When A writes "a1" to payments-0 by the id of the deleted topic
      Then it is refused with UNKNOWN_TOPIC_ID
      And the log of payments-0 has not grown
      And the transaction of A is unchanged

    Scenario: [2] A producer writes to a topic that was deleted
      Given A has written "a1" to payments-0
      And topic "payments" has been deleted
      When A writes "a2" to payments-0 by the id of the deleted topic
      Then it is refused with UNKNOWN_TOPIC_ID

  @KIP890-252 @MUST
  Rule: Fetch v13 returns the same records to read_committed readers as Fetch v12.
    A consumer that names topics by their ids would see undecided or aborted records.

    Scenario: [1] An open transaction follows an aborted one, and Fetch v12 and v13 are compared
      Given A has written "a1" to payments-0
      And A has aborted
      And "p1" has been written to payments-0
      When A writes "a2" to payments-0
      Then readers of payments-0 see "p1" with Fetch v13
      And readers of payments-0 see "p1" with Fetch v12

    Scenario: [2] A committed transaction is read with Fetch v13
      Given A has written "a1" to payments-0
      When A commits
      Then readers of payments-0 see "a1" with Fetch v13
