Feature: What a refused or empty request leaves behind
  A request that did nothing for its sender has to have done nothing at all: no transaction that is open or was aborted by it, and no
  transactional id that is stuck.

  Background:
    Given a topic "payments" with 2 partitions

  @KIP890-271 @MUST
  Rule: At transaction.version 0 a request of a new client is served, or refused so that its transactional id can go on.
    A client that was started before a downgrade sends one request, and its transactional id is lost to every later instance.

    @needs:feature-levels
    Scenario: [1] The first record of a new client
      Given transaction.version has been set to 0
      And producer A with transactional id "transfer"
      And A has sent "a1" to payments-0, whatever was answered
      When A initialises again with neither producer id nor epoch
      Then it is done

    @needs:feature-levels
    Scenario: [2] The first end of a new client
      Given transaction.version has been set to 0
      And producer A with transactional id "transfer"
      And A has sent an abort, whatever was answered
      When A initialises again with neither producer id nor epoch
      Then it is done

  @KIP890-272 @MUST @fencing
  Rule: InitProducerId with an epoch that is not the current one cannot abort the owner's open transaction.
    An instance that was replaced long ago starts up again, and the transaction of the one in office is gone.

    Scenario: [1] The instance before initialises again
      Given producer A with transactional id "transfer"
      And B has taken over from A
      And B has written "b1" to payments-0
      When A initialises again
      Then it is refused with PRODUCER_FENCED
      And the transaction of B is unchanged

    Scenario: [2] An epoch that was never given
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      When A initialises again with an epoch ahead of its own
      Then it is refused with PRODUCER_FENCED
      And the transaction of A is unchanged

  @KIP890-273 @SHOULD
  Rule: A first batch that Produce v12 refuses leaves its partition out of the transaction.
    The producer has written nothing, and yet has a transaction that blocks its transactional id until it is ended.

    @needs:transactions-v2
    Scenario: [1] The sequence number is wrong
      Given producer A with transactional id "transfer"
      And A has committed "a1" to payments-0
      When A writes "early" to payments-0 at sequence 5
      Then it is refused with OUT_OF_ORDER_SEQUENCE_NUMBER
      And the transaction of A is unchanged

    @needs:transactions-v2
    Scenario: [2] The batch is a marker
      Given producer A with transactional id "transfer"
      When A writes a COMMIT marker to payments-0
      Then it is refused with INVALID_RECORD
      And the transaction of A is unchanged

    @needs:transactions-v2
    Scenario: [3] The partition is one of the broker's own
      Given producer A with transactional id "transfer"
      And A has sent offset 3 of payments-0 to group "shop"
      And A has committed
      When A writes "stray" to the partition of group "shop"
      Then it is refused with INVALID_TOPIC_EXCEPTION
      And the transaction of A is unchanged

  @KIP890-274 @SHOULD @fencing
  Rule: A Produce v12 that repeats a batch of a transaction that is over opens no other transaction.
    A record that is sent twice would open a transaction of which its producer knows nothing, and a time-out would fence it.

    Scenario: [1] The batch that an EndTxn v4 has committed
      Given producer A with transactional id "transfer"
      And A uses EndTxn v4
      And A has committed "a1" to payments-0
      When A writes "a1" to payments-0 at sequence 0
      Then the log of payments-0 has not grown
      And the transaction of A is unchanged

  @KIP890-275 @SHOULD
  Rule: AddPartitionsToTxn without a partition opens no transaction.
    A transaction that is in no partition has nothing to end, and still its time-out fences the producer.

    Scenario: [1] An idle transactional id
      Given producer A with transactional id "transfer"
      When A adds no partition at all
      Then the transaction of A is unchanged

  @KIP890-276 @MUST @aborts
  Rule: At epoch 32766 the owner's InitProducerId over its open transaction aborts that and moves it to a new producer id.
    The owner has used its last epoch. If nothing comes after it, its transactional id can never be used again.

    @needs:aged-ids @needs:transactions-v2
    Scenario: [1] The owner starts afresh
      Given producer A at the last usable epoch
      And A has written "a1" to payments-0
      When A initialises again
      Then it is done and answers a new producer id and epoch 0
      And readers of payments-0 see nothing
      And the last stable offset of payments-0 is the high watermark
