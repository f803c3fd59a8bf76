Feature: Partition verification switched off
  An operator may give up the protection of old clients. What it costs is a transaction in a log that no coordinator knows of,
  and there is one way to end it.

  Background:
    Given a topic "payments" with 2 partitions

  @KIP890-116 @MUST
  Rule: Switching partition verification off lets Produce v11 pass unannounced, while Produce v12 still adds its partition.

    @needs:verification-off
    Scenario: [1] An old client
      Given producer A with transactional id "transfer"
      When A writes "a1" to payments-0 in Produce v11
      Then the write is accepted
      And the transaction of A is Empty
      And the open transaction of A in payments-0 starts at "a1"

    @needs:verification-off
    Scenario: [2] A new client
      Given producer A with transactional id "transfer"
      When A writes "a1" to payments-0
      Then the write is accepted
      And the transaction of A is Ongoing in payments-0 and nowhere else

  @KIP890-170 @MUST
  Rule: WriteTxnMarkers v1 at the open epoch ends a transaction that the coordinator knows nothing of.

    @needs:verification-off
    Scenario: [1] An abort
      Given producer A with transactional id "transfer"
      And A has slipped "a1" into payments-0, of which the coordinator knows nothing
      When an ABORT marker for A with its own epoch reaches payments-0
      Then the marker is accepted
      And readers of committed data see nothing in payments-0
      And the last stable offset of payments-0 is the end of the log

    @needs:verification-off
    Scenario: [2] A commit
      Given producer A with transactional id "transfer"
      And A has slipped "a1" into payments-0, of which the coordinator knows nothing
      When a COMMIT marker for A with its own epoch reaches payments-0
      Then the marker is accepted
      And readers of committed data see "a1" in payments-0
      And the transaction of A is Empty
