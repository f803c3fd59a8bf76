@needs:verification-off
Feature: Partition verification switched off
  An operator may give up the protection of old clients. The cost is a transaction in a log that no coordinator knows, and there is one
  way to end it.

  Background:
    Given a topic "payments" with 2 partitions

  @KIP890-116 @MUST
  Rule: With partition verification switched off, a leader accepts Produce v11 outside the transaction, and Produce v12 still adds its partition.
    The switch is for old clients. A new client whose partition is not added would write into a transaction that was never opened.

    Scenario: [1] An old client writes without adding
      Given producer A with transactional id "transfer"
      And A uses Produce v11
      When A writes "a1" to payments-0
      Then it is done
      And the transaction of A is Empty
      And the open transaction of A in payments-0 starts at "a1"

    Scenario: [2] A new client writes without adding
      Given producer A with transactional id "transfer"
      When A writes "a1" to payments-0
      Then it is done
      And the transaction of A is Ongoing in payments-0

  @KIP890-170 @MUST
  Rule: WriteTxnMarkers v1 at the epoch of an open transaction ends it, even if the coordinator does not know it.
    A transaction that the coordinator does not know is the one that hangs: operators must be able to end it.

    Scenario: [1] An operator aborts a transaction that the coordinator does not know
      Given producer A with transactional id "transfer"
      And A uses Produce v11
      And A has written "a1" to payments-0
      When an ABORT marker for A reaches payments-0
      Then it is done
      And readers of payments-0 see nothing
      And the last stable offset of payments-0 is the high watermark

    Scenario: [2] An operator commits a transaction that the coordinator does not know
      Given producer A with transactional id "transfer"
      And A uses Produce v11
      And A has written "a1" to payments-0
      When a COMMIT marker for A reaches payments-0
      Then it is done
      And readers of payments-0 see "a1"
      And the transaction of A is Empty
