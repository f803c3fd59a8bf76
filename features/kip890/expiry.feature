Feature: Expiry
  Nobody signs off: a producer that is gone for good just stays silent. So what is known of it is given up after a while, but
  never while a transaction depends on it.

  Background:
    Given a topic "payments" with 2 partitions

  @KIP890-165 @MUST
  Rule: A transactional id left idle beyond its expiration time is forgotten and starts over at epoch 0.

    @needs:short-expiry
    Scenario: [1] A producer that is gone
      Given producer A with transactional id "transfer"
      When A stays idle for longer than its transactional id is kept
      Then the coordinator knows nothing of A
      And a commit of A is refused with INVALID_PRODUCER_ID_MAPPING

    @needs:short-expiry
    Scenario: [2] A new instance, later
      Given producer A with transactional id "transfer"
      And A has initialised again
      And A has stayed idle for longer than its transactional id is kept
      When B takes over the transactional id of A
      Then the answer is success, with a producer id other than that of A and epoch 0

    @needs:short-expiry @needs:crash
    Scenario: [3] A restart brings nothing back
      Given producer A with transactional id "transfer"
      And A has stayed idle for longer than its transactional id is kept
      When the broker crashes and comes back
      Then the coordinator knows nothing of A

  @KIP890-166 @MUST
  Rule: An open transaction keeps its transactional id from expiring, however long it stays idle.

    @needs:short-expiry
    Scenario: [1] A transaction that is older than an id that expires
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And producer B with transactional id "refund"
      When B stays idle for longer than its transactional id is kept
      Then the coordinator knows nothing of B
      And the transaction of A is Ongoing in payments-0 and nowhere else

  @KIP890-167 @MUST
  Rule: Producer state expires after its idle time unless a transaction is open, and an old client may then start anywhere.

    @needs:short-expiry
    Scenario: [1] A producer that is gone, and one whose transaction is open
      Given producers A and B with transactional ids "transfer" and "refund"
      And A has written "a1" to payments-0
      And B has committed "b1" to payments-0 as an old client
      When nothing is written to payments-0 for longer than it remembers B
      Then payments-0 no longer lists B among its producers
      And the open transaction of A in payments-0 starts at "a1"

    @needs:short-expiry
    Scenario: [2] An old client that comes back
      Given producer A with transactional id "transfer"
      And A has committed "a1" to payments-0 as an old client
      And A has announced payments-0
      And payments-0 has forgotten A
      When A writes "a2" to payments-0 at sequence 7 in Produce v11
      Then the write is accepted

  @KIP890-168 @SHOULD
  Rule: After its producer state expired, Produce v12 has to start again at sequence 0, else OUT_OF_ORDER_SEQUENCE_NUMBER.

    @needs:short-expiry
    Scenario: [1] The sequence goes on where it was
      Given producer A with transactional id "transfer"
      And A has committed "a1" to payments-0 as an old client
      And A has announced payments-0
      And payments-0 has forgotten A
      When A writes "a2" to payments-0 at sequence 1
      Then the request is refused with OUT_OF_ORDER_SEQUENCE_NUMBER

    @needs:short-expiry
    Scenario: [2] The sequence begins again
      Given producer A with transactional id "transfer"
      And A has committed "a1" to payments-0 as an old client
      And A has announced payments-0
      And payments-0 has forgotten A
      When A writes "a2" to payments-0 at sequence 0
      Then the answer is the offset of "a2"
