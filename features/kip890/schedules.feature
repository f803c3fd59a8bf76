Feature: Random schedules
  Writes, ends and markers of one producer in an order that nobody thought of, from late and repeated requests too.
  Afterwards a new instance takes over, and with that everything must be decided.

  Background:
    Given a topic "payments" with 2 partitions

  @KIP890-118 @MUST
  Rule: No interleaving of Produce, EndTxn and markers leaves an open transaction in a log that nobody can end.
    Whatever the order in which requests arrive, a transaction that nobody can end stops every reader of that partition.

    Scenario: [1] Schedules of a new client
      Given producer A with transactional id "transfer"
      When A goes through 12 random schedules
      Then no schedule has left a transaction open
      And the last stable offset of payments-0 and payments-1 is the high watermark

    Scenario: [2] Schedules of an old client
      Given producer A with transactional id "transfer"
      And A is an old client (transaction version 0)
      When A goes through 12 random schedules
      Then no schedule has left a transaction open
      And the last stable offset of payments-0 and payments-1 is the high watermark
