Feature: Random schedules
  Writes, ends and markers of one producer in random order, with late and repeated requests. Afterwards a new instance takes over, and
  then everything must be decided.

  Background:
    Given a topic "payments" with 2 partitions

  @KIP890-118 @MUST
  Rule: No order of Produce, EndTxn and markers leaves a transaction in a log that can never be ended.
    Whatever the order in which requests arrive, a transaction that can never be ended blocks every reader of that partition.

    Scenario: [1] A new client runs twelve random schedules
      Given producer A with transactional id "transfer"
      When A goes through 12 random schedules
      Then no schedule has left a transaction open
      And the last stable offset of payments-0 and payments-1 is the high watermark

    Scenario: [2] An old client runs twelve random schedules
      Given producer A with transactional id "transfer"
      And A is an old client (transaction version 0)
      When A goes through 12 random schedules
      Then no schedule has left a transaction open
      And the last stable offset of payments-0 and payments-1 is the high watermark
