Feature: While the coordinator loads
  A coordinator that has just started knows nothing until it has read its log, and says so.
  Whoever asks again is served, without anybody's help.

  Background:
    Given a topic "payments" with 2 partitions

  @KIP890-057 @SHOULD
  Rule: TxnOffsetCommit answers a coordinator that is loading or absent with a retriable coordinator error.

    @needs:crash
    Scenario: [1] A new client sends an offset
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      When A sends offset 5 of payments-0 for group "billing" in TxnOffsetCommit v5 while the broker comes back from a crash
      Then nobody was told anything but that the coordinator is away, and the request has succeeded

    @needs:crash
    Scenario: [2] An old client sends an offset
      Given producer A with transactional id "transfer"
      And the offsets of group "billing" are in the transaction of A
      When A sends offset 5 of payments-0 for group "billing" in TxnOffsetCommit v3 while the broker comes back from a crash
      Then nobody was told anything but that the coordinator is away, and the request has succeeded

  @KIP890-169 @SHOULD
  Rule: While the coordinator loads, requests get retriable errors, and they succeed later without any help.

    @needs:crash
    Scenario: [1] A producer commits
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      When A commits while the broker comes back from a crash
      Then nobody was told anything but to ask again, and the request has succeeded
      And readers of committed data see "a1" in payments-0

    @needs:crash
    Scenario: [2] A producer initialises
      Given producer A with transactional id "transfer"
      When A initialises again while the broker comes back from a crash
      Then nobody was told anything but to ask again, and the request has succeeded

    @needs:crash
    Scenario: [3] A producer writes to one more partition
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      When A writes "a2" to payments-1 while the broker comes back from a crash
      Then nobody was told anything but to ask again, and the request has succeeded
      And the transaction of A is Ongoing
