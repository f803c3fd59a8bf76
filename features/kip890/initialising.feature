Feature: Initialising a transactional id
  A producer requests its identity before its first transaction. The answer makes it the owner of its transactional id, and fences every
  earlier owner by its smaller epoch.

  Background:
    Given a topic "payments" with 2 partitions

  @KIP890-010 @MUST
  Rule: A broker answers every InitProducerId without a transactional id with a new producer id and epoch 0.
    Two producers with the same producer id have their batches dropped as each other's duplicates, and records disappear.

    Scenario: [1] A client initialises twice without a transactional id
      Given a client has initialised with no transactional id
      When a client initialises with no transactional id
      Then it is done and answers a new producer id and epoch 0

    Scenario: [2] A client initialises without a transactional id, with the identity of a producer
      Given producer A with transactional id "transfer"
      And A has initialised again
      When a client initialises with no transactional id and the producer id and epoch of A
      Then it is done and answers a new producer id and epoch 0
      And the producer id and epoch of A are unchanged

    @needs:crash
    Scenario: [3] A client initialises without a transactional id after a crash
      Given producer A with transactional id "transfer"
      And the system has crashed and restarted
      When a client initialises with no transactional id
      Then it is done and answers a new producer id and epoch 0

    @needs:crash
    Scenario: [4] A client initialises without a transactional id before and after a crash
      Given a client has initialised with no transactional id
      And the system has crashed and restarted
      When a client initialises with no transactional id
      Then it is done and answers a new producer id and epoch 0

  @KIP890-011 @MUST
  Rule: A coordinator answers InitProducerId with INVALID_REQUEST if the transactional id is empty.
    All clients that forgot to set an id would share the empty one, and fence each other.

    Scenario: [1] A client initialises with an empty transactional id
      Given producer A with transactional id "transfer"
      When a client initialises with an empty transactional id
      Then it is refused with INVALID_REQUEST

  @KIP890-012 @MUST
  Rule: A coordinator answers InitProducerId with INVALID_TRANSACTION_TIMEOUT if the timeout is not positive or exceeds the broker's maximum.
    A producer that crashes with a timeout of weeks blocks readers of committed data for weeks.

    Scenario: [1] A producer initialises with a timeout of zero
      Given producer A with transactional id "transfer"
      When A initialises again with a timeout of zero
      Then it is refused with INVALID_TRANSACTION_TIMEOUT
      And the producer id and epoch of A are unchanged

    Scenario: [2] A producer initialises with a negative timeout
      Given producer A with transactional id "transfer"
      When A initialises again with a negative timeout
      Then it is refused with INVALID_TRANSACTION_TIMEOUT
      And the producer id and epoch of A are unchanged

    Scenario: [3] A producer initialises with the largest timeout that the message can hold
      Given producer A with transactional id "transfer"
      When A initialises again with the largest timeout
      Then it is refused with INVALID_TRANSACTION_TIMEOUT or answers the same producer id and the next epoch

    @needs:known-limits
    Scenario: [4] A producer initialises with the longest timeout that the broker allows
      Given producer A with transactional id "transfer"
      When A initialises again with the longest timeout that is allowed
      Then it is done
      And the transaction timeout of A is the longest timeout that is allowed

    @needs:known-limits
    Scenario: [5] A producer initialises with a timeout one millisecond longer than the broker allows
      Given producer A with transactional id "transfer"
      When A initialises again with a millisecond more than is allowed
      Then it is refused with INVALID_TRANSACTION_TIMEOUT
      And the producer id and epoch of A are unchanged

    Scenario: [6] A client initialises a new transactional id with a timeout of zero
      Given producer A with transactional id "transfer"
      When a client initialises with an unused transactional id with a timeout of zero
      Then it is refused with INVALID_TRANSACTION_TIMEOUT

    Scenario: [7] A client initialises a new transactional id with a negative timeout
      Given producer A with transactional id "transfer"
      When a client initialises with an unused transactional id with a negative timeout
      Then it is refused with INVALID_TRANSACTION_TIMEOUT

    @needs:known-limits
    Scenario: [8] A client initialises a new transactional id with a timeout one millisecond longer than the broker allows
      Given producer A with transactional id "transfer"
      When a client initialises with an unused transactional id with a millisecond more than is allowed
      Then it is refused with INVALID_TRANSACTION_TIMEOUT

  @KIP890-013 @MUST
  Rule: A coordinator answers InitProducerId v3 and later with INVALID_REQUEST if it has a producer id without an epoch, or an epoch without a producer id.
    Half of an identity is a bug of the client. A coordinator that ignores it lets the client fence itself.

    Scenario: [1] A producer initialises with a producer id and without an epoch
      Given producer A with transactional id "transfer"
      When A initialises again with a producer id but no epoch
      Then it is refused with INVALID_REQUEST
      And the refusal has producer id -1 and epoch -1
      And the producer id and epoch of A are unchanged

    Scenario: [2] A producer initialises with an epoch and without a producer id
      Given producer A with transactional id "transfer"
      When A initialises again with an epoch but no producer id
      Then it is refused with INVALID_REQUEST
      And the refusal has producer id -1 and epoch -1
      And the producer id and epoch of A are unchanged

  @KIP890-014 @MUST
  Rule: A coordinator answers InitProducerId for an unknown transactional id with a new producer id and epoch 0, whatever identity the request has.
    An identity that the coordinator does not know may belong to another producer, and must not be reused.

    Scenario: [1] A client initialises a new transactional id
      Given producer A with transactional id "transfer"
      When a client initialises with an unused transactional id
      Then it is done and answers a new producer id and epoch 0

    Scenario: [2] A client initialises a new transactional id with the identity of another producer
      Given producer A with transactional id "transfer"
      And A has initialised again
      When a client initialises with an unused transactional id and the producer id and epoch of A
      Then it is done and answers a new producer id and epoch 0
      And the producer id and epoch of A are unchanged

    @needs:crash
    Scenario: [3] A new transactional id after a crash, when an idempotent producer had the last producer id
      Given a client has initialised with no transactional id
      And the system has crashed and restarted
      When a client initialises with an unused transactional id
      Then it is done and answers a new producer id and epoch 0

    @needs:crash
    Scenario: [4] A new transactional id after a crash, when another transactional id had the last producer id
      Given producer A with transactional id "transfer"
      And the system has crashed and restarted
      When a client initialises with an unused transactional id
      Then it is done and answers a new producer id and epoch 0

    @needs:aged-ids @needs:crash
    Scenario: [5] A new transactional id after a crash, when an overflow had taken the last producer id
      Given producer A at the last usable epoch
      And A has committed "a1" to payments-0
      And the system has crashed and restarted
      When a client initialises with an unused transactional id
      Then it is done and answers a new producer id and epoch 0

    @needs:aged-ids @needs:crash
    Scenario: [6] A new transactional id after a crash, when an InitProducerId at the last epoch had taken the last producer id
      Given producer A at the last usable epoch
      And A has initialised again
      And the system has crashed and restarted
      When a client initialises with an unused transactional id
      Then it is done and answers a new producer id and epoch 0

    Scenario: [7] Two transactional ids differ in upper and lower case alone
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And producer B with transactional id "Transfer"
      When A commits
      Then it is done
      And readers of payments-0 see "a1"

    Scenario: [8] One of two transactional ids begins with a blank
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And producer B with transactional id " transfer"
      When A commits
      Then it is done
      And readers of payments-0 see "a1"

  @KIP890-015 @MUST
  Rule: A coordinator answers InitProducerId without an identity, for a transactional id with no open transaction, with the same producer id and the next epoch.
    A partition can fence the old instance only if the new one is the same producer with a higher epoch.

    Scenario: [1] A new instance initialises before the first transaction
      Given producer A with transactional id "transfer"
      When B takes over from A
      Then it is done and answers the same producer id and the next epoch
      And the producer id and epoch of A are those of the answer

    Scenario: [2] A new instance initialises after a commit
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has committed
      When B takes over from A
      Then it is done and answers the same producer id and the next epoch
      And readers of payments-0 see "a1"

    Scenario: [3] A new instance initialises as an old client
      Given producer A with transactional id "transfer"
      And B uses InitProducerId v1
      When B takes over from A
      Then it is done and answers the same producer id and the next epoch
      And the producer id and epoch of A are those of the answer

    Scenario: [4] A new instance initialises after an abort
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has aborted
      When B takes over from A
      Then it is done and answers the same producer id and the next epoch
      And the producer id and epoch of A are those of the answer

  @KIP890-016 @MUST
  Rule: A coordinator answers InitProducerId v3 and later that has the current identity with the same producer id and the next epoch.
    Requests from before the producer initialised may still arrive; only a raised epoch causes them to be refused.

    Scenario: [1] An instance initialises again with its identity
      Given producer A with transactional id "transfer"
      When A initialises again
      Then it is done and answers the same producer id and the next epoch
      And the producer id and epoch of A are those of the answer

    Scenario: [2] An instance initialises again with its identity after an abort
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has aborted
      And A uses InitProducerId v3
      When A initialises again
      Then it is done and answers the same producer id and the next epoch
      And the producer id and epoch of A are those of the answer

  @KIP890-019 @MUST @fencing
  Rule: A coordinator answers InitProducerId v3 with INVALID_PRODUCER_EPOCH if its epoch is neither the current nor the last one.
    A client older than PRODUCER_FENCED does not know that error, and reports an unknown failure.

    Scenario: [1] An older client initialises with an epoch two behind
      Given producer A with transactional id "transfer"
      And A has initialised again
      And A has initialised again
      And A uses InitProducerId v3
      When A initialises again with the epoch before its previous one
      Then it is refused with INVALID_PRODUCER_EPOCH
      And the refusal has producer id -1 and epoch -1

    Scenario: [2] An older client initialises with an epoch that was never assigned
      Given producer A with transactional id "transfer"
      And A uses InitProducerId v3
      When A initialises again with an epoch ahead of the current one
      Then it is refused with INVALID_PRODUCER_EPOCH
      And the refusal has producer id -1 and epoch -1
      And the producer id and epoch of A are unchanged

  @KIP890-020 @MUST @fencing
  Rule: A coordinator answers InitProducerId v4 and later with PRODUCER_FENCED if its producer id does not belong to the transactional id.
    A producer of another id that has the same epoch by chance would take over this id.

    Scenario: [1] A producer initialises with the producer id of another transactional id
      Given producers A and B with transactional ids "transfer" and "audit"
      When A initialises again with the producer id of B
      Then it is refused with PRODUCER_FENCED
      And the refusal has no producer id
      And the producer id and epoch of A are unchanged

    Scenario: [2] A producer initialises with the producer id of another transactional id, in InitProducerId v4
      Given producers A and B with transactional ids "transfer" and "audit"
      And A uses InitProducerId v4
      When A initialises again with the producer id of B
      Then it is refused with PRODUCER_FENCED
      And the producer id and epoch of A are unchanged

  @KIP890-021 @MUST @fencing
  Rule: After a takeover by a new instance, a coordinator answers the old instance's InitProducerId that has its old identity with PRODUCER_FENCED.
    An old instance that only repeats its request would be given the new instance's epoch, and both would write as one producer.

    Scenario: [1] An old instance initialises after a takeover between two transactions
      Given producer A with transactional id "transfer"
      And B has taken over from A
      When A initialises again
      Then it is refused with PRODUCER_FENCED
      And the refusal has no producer id
      And the producer id and epoch of B are unchanged

    Scenario: [2] An old instance initialises after a takeover of an open transaction
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And B has taken over from A
      When A initialises again
      Then it is refused with PRODUCER_FENCED
      And the producer id and epoch of B are unchanged

    @needs:crash
    Scenario: [3] An old instance initialises after a takeover and a crash
      Given producer A with transactional id "transfer"
      And B has taken over from A
      And the system has crashed and restarted
      When A initialises again
      Then it is refused with PRODUCER_FENCED
      And the producer id and epoch of B are unchanged

    @needs:aged-ids
    Scenario: [4] An old instance initialises after a takeover at its last usable epoch
      Given producer A at the last usable epoch
      And B has taken over from A
      When A initialises again
      Then it is refused with PRODUCER_FENCED
      And the producer id and epoch of B are unchanged

  @KIP890-029 @MUST
  Rule: A coordinator stores the transaction timeout of each successful InitProducerId, and the latest one applies.
    A new instance that inherits the longer timeout of its predecessor blocks readers for longer than it requested, if it abandons a
    transaction.

    Scenario: [1] The owner initialises with a longer timeout
      Given producer A with transactional id "transfer"
      When A initialises again with a longer timeout
      Then it is done and answers the same producer id and the next epoch
      And the transaction timeout of A is a longer timeout

    Scenario: [2] The owner initialises with a shorter timeout after a commit
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has committed
      When A initialises again with a shorter timeout
      Then it is done and answers the same producer id and the next epoch
      And the transaction timeout of A is a shorter timeout

    Scenario: [3] A new instance initialises with a shorter timeout
      Given producer A with transactional id "transfer"
      When B takes over from A with a shorter timeout
      Then it is done and answers the same producer id and the next epoch
      And the transaction timeout of B is a shorter timeout

    @needs:crash
    Scenario: [4] The system crashes after an initialisation with a longer timeout
      Given producer A with transactional id "transfer" and a longer timeout
      When the system crashes and restarts
      Then the transaction timeout of A is a longer timeout

    @needs:crash
    Scenario: [5] The system crashes while a transaction with a longer timeout is open
      Given producer A with transactional id "transfer" and a longer timeout
      And A has written "a1" to payments-0
      When the system crashes and restarts
      Then the transaction timeout of A is a longer timeout

    Scenario: [6] The owner retries its initialisation with a shorter timeout
      Given producer A with transactional id "transfer"
      And A has initialised again
      When A initialises again with its previous epoch with a shorter timeout
      Then it is done and answers the producer id and epoch in force
      And the transaction timeout of A is a shorter timeout

    @needs:aged-ids
    Scenario: [7] The owner at the last usable epoch initialises with a shorter timeout
      Given producer A at the last usable epoch
      When A initialises again with a shorter timeout
      Then it is done and answers a new producer id and epoch 0
      And the transaction timeout of A is a shorter timeout

    Scenario: [8] A transaction of a new instance is open when another one times out after the shorter timeout of the old instance
      Given producers A and C with transactional ids "transfer" and "refund" and a short timeout
      And B has taken over from A
      And B has written "b1" to payments-0
      And C has written "c1" to payments-1
      When C leaves its transaction open past its timeout
      Then the transaction of B is Ongoing in payments-0
