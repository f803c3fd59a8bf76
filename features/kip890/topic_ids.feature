Feature: Topics by their ids
  From version 13 on, Produce and Fetch name a topic by its id. A name may be given to another topic, an id never is.

  Background:
    Given a topic "refunds" with 1 partition
    And a topic "payments" with 1 partition
    And producer A with transactional id "transfer"

  @KIP890-250 @MUST
  Rule: Produce v13 adds the partition of the topic that has the id, as v12 does of the one that has the name.
    The partition of another topic would get the marker, and this one's records would stay undecided.

    Scenario: [1] The first write of a transaction
      Given A uses Produce v13
      When A writes "a1" to payments-0
      Then it is done
      And the transaction of A is Ongoing in payments-0

    Scenario: [2] Its end
      Given A uses Produce v13
      And A has written "a1" to payments-0
      When A aborts
      Then one ABORT marker was added to payments-0, with the next epoch of A
      And the last stable offset of payments-0 is the high watermark

    Scenario: [3] An epoch that has ended
      Given A uses Produce v13
      And A has written "a1" to payments-0
      And A has committed
      When A writes "late" to payments-0 with its previous epoch
      Then it is refused with INVALID_PRODUCER_EPOCH
      And the log of payments-0 has not grown

  @KIP890-251 @MUST
  Rule: Produce v13 with the id of a deleted topic is refused UNKNOWN_TOPIC_ID, and reaches no topic of its name.
    A producer that has not heard of the deletion would write into the new topic what was meant for the old one.

    Scenario: [1] There is a new topic of that name
      Given topic "payments" has been deleted and made again
      When A writes "a1" to payments-0 by the id of the deleted topic
      Then it is refused with UNKNOWN_TOPIC_ID
      And the log of payments-0 has not grown
      And the transaction of A is unchanged

    Scenario: [2] There is no such topic any more
      Given A has written "a1" to payments-0
      And topic "payments" has been deleted
      When A writes "a2" to payments-0 by the id of the deleted topic
      Then it is refused with UNKNOWN_TOPIC_ID

  @KIP890-252 @MUST
  Rule: Fetch v13 shows readers of committed data what Fetch v12 shows.
    A consumer that names topics by their ids would see what is undecided, or what was aborted.

    Scenario: [1] A transaction that is open behind one that was aborted
      Given A has written "a1" to payments-0
      And A has aborted
      And "p1" has been written to payments-0
      When A writes "a2" to payments-0
      Then readers of payments-0 see "p1" with Fetch v13
      And readers of payments-0 see "p1" with Fetch v12

    Scenario: [2] A transaction that was committed
      Given A has written "a1" to payments-0
      When A commits
      Then readers of payments-0 see "a1" with Fetch v13
