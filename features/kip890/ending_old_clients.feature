Feature: Ending a transaction as an old client
  A client of transaction version 0 adds its partitions, and ends its transactions with EndTxn v4 or older. It keeps one epoch for all of
  them, even on a broker of transaction version 2.

  Background:
    Given a topic "payments" with 2 partitions

  @KIP890-083 @MUST @commits @aborts
  Rule: A coordinator that receives EndTxn v4 ends the transaction and keeps the epoch.
    An old client cannot learn of a raised epoch; its next transaction would be fenced.

    Scenario: [1] An old client commits
      Given producer A with transactional id "transfer"
      And A is an old client (transaction version 0)
      And A has written "a1" to payments-0
      When A commits
      Then it is done
      And the producer id and epoch of A are unchanged
      And readers of payments-0 see "a1"

    Scenario: [2] An old client aborts
      Given producer A with transactional id "transfer"
      And A is an old client (transaction version 0)
      And A has written "a1" to payments-0
      When A aborts
      Then it is done
      And the producer id and epoch of A are unchanged
      And readers of payments-0 see nothing

  @KIP890-084 @MUST @commits @aborts
  Rule: A coordinator answers a repeated EndTxn v4 with the decision of a completed transaction with success, and writes no further marker.
    An old client that lost the answer retries, and a second marker could end its next transaction.

    Scenario: [1] An old client repeats a complete commit
      Given producer A with transactional id "transfer"
      And A is an old client (transaction version 0)
      And A has written "a1" to payments-0
      And A has committed
      When A commits
      Then it is done
      And the log of payments-0 has not grown

    Scenario: [2] An old client repeats a complete abort
      Given producer A with transactional id "transfer"
      And A is an old client (transaction version 0)
      And A has written "a1" to payments-0
      And A has aborted
      When A aborts
      Then it is done
      And the log of payments-0 has not grown

    @needs:transactions-v2
    Scenario: [3] EndTxn v4 repeats the commit of a new client with the epoch in force
      Given producer A with transactional id "transfer"
      And A has committed "a1" to payments-0
      And A uses EndTxn v4
      When A commits
      Then it is done
      And the producer id and epoch of A are unchanged
      And the log of payments-0 has not grown

    @needs:crash
    Scenario: [4] An old client repeats a complete commit after a crash
      Given producer A with transactional id "transfer"
      And A is an old client (transaction version 0)
      And A has committed "a1" to payments-0
      And the system has crashed and restarted
      When A commits
      Then it is done
      And the log of payments-0 has not grown

    Scenario: [5] An old client repeats a complete commit after its abort was refused
      Given producer A with transactional id "transfer"
      And A is an old client (transaction version 0)
      And A has written "a1" to payments-0
      And A has committed
      And A has tried to abort
      When A commits
      Then it is done

    @needs:crash
    Scenario: [6] An old client repeats a complete abort after a crash
      Given producer A with transactional id "transfer"
      And A is an old client (transaction version 0)
      And A has written "a1" to payments-0
      And A has aborted
      And the system has crashed and restarted
      When A aborts
      Then it is done

  @KIP890-085 @MUST @commits @aborts
  Rule: A coordinator answers EndTxn v4 with the opposite decision of a completed transaction with INVALID_TXN_STATE.
    A client would be answered the opposite of what has happened to its transaction.

    Scenario: [1] An old client aborts after a complete commit
      Given producer A with transactional id "transfer"
      And A is an old client (transaction version 0)
      And A has written "a1" to payments-0
      And A has committed
      When A aborts
      Then it is refused with INVALID_TXN_STATE
      And readers of payments-0 see "a1"

    Scenario: [2] An old client commits after a complete abort
      Given producer A with transactional id "transfer"
      And A is an old client (transaction version 0)
      And A has written "a1" to payments-0
      And A has aborted
      When A commits
      Then it is refused with INVALID_TXN_STATE
      And readers of payments-0 see nothing

  @KIP890-086 @MUST @commits @aborts
  Rule: A coordinator answers EndTxn v4 without an open transaction with INVALID_TXN_STATE, for commit and abort alike.
    The empty abort belongs to the new protocol. For an old client it would hide that the client's writes were never announced.

    Scenario: [1] An old client commits with nothing added
      Given producer A with transactional id "transfer"
      And A uses EndTxn v4
      When A commits
      Then it is refused with INVALID_TXN_STATE
      And the producer id and epoch of A are unchanged

    Scenario: [2] An old client aborts with nothing added
      Given producer A with transactional id "transfer"
      And A uses EndTxn v4
      When A aborts
      Then it is refused with INVALID_TXN_STATE
      And the producer id and epoch of A are unchanged

    Scenario: [3] An old client aborts with nothing added after its commit was refused
      Given producer A with transactional id "transfer"
      And A uses EndTxn v4
      And A has tried to commit
      When A aborts
      Then it is refused with INVALID_TXN_STATE
      And the producer id and epoch of A are unchanged

  @KIP890-087 @MUST @fencing
  Rule: A coordinator refuses EndTxn below v5 with any epoch but the current one: PRODUCER_FENCED from v2 on, INVALID_PRODUCER_EPOCH before.
    A zombie of the old protocol is recognised by its epoch only, and each version has its own name for the refusal.

    Scenario: [1] An old client commits with the epoch before it initialised again
      Given producer A with transactional id "transfer"
      And A has initialised again
      And A is an old client (transaction version 0)
      And A has written "a1" to payments-0
      When A commits with its previous epoch
      Then it is refused with PRODUCER_FENCED
      And the transaction of A is Ongoing in payments-0

    Scenario: [2] An old client commits with the epoch before it initialised again, in EndTxn v1
      Given producer A with transactional id "transfer"
      And A has initialised again
      And A is an old client (transaction version 0) and uses EndTxn v1
      And A has written "a1" to payments-0
      When A commits with its previous epoch
      Then it is refused with INVALID_PRODUCER_EPOCH
      And the transaction of A is Ongoing in payments-0

    Scenario: [3] An old client aborts with an epoch that was never assigned, in EndTxn v2
      Given producer A with transactional id "transfer"
      And A is an old client (transaction version 0) and uses EndTxn v2
      And A has written "a1" to payments-0
      When A aborts with an epoch ahead of the current one
      Then it is refused with PRODUCER_FENCED
      And the transaction of A is Ongoing in payments-0

    Scenario: [4] EndTxn v4 repeats the commit of a new client with the epoch that it ended
      Given producer A with transactional id "transfer"
      And A has committed "a1" to payments-0
      And A uses EndTxn v4
      When A commits with its previous epoch
      Then it is refused with PRODUCER_FENCED
      And the producer id and epoch of A are unchanged

    Scenario: [5] EndTxn v4 repeats the abort of a new client with the epoch that it ended
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has aborted
      And A uses EndTxn v4
      When A aborts with its previous epoch
      Then it is refused with PRODUCER_FENCED
      And the producer id and epoch of A are unchanged

  @KIP890-088 @MUST @commits @aborts
  Rule: While a decision is prepared, a coordinator answers EndTxn v4 with a retriable error if it is the same decision, and never with success if it is the opposite.
    A decision that changes after it was taken may be committed in one partition and aborted in another.

    @needs:hold-markers
    Scenario: [1] An old client commits while its commit is incomplete
      Given producer A with transactional id "transfer"
      And completion of A's transactions is blocked
      And A is an old client (transaction version 0)
      And A has been asked to commit
      When A commits
      Then it is refused with CONCURRENT_TRANSACTIONS
      And the transaction of A is PrepareCommit

    @needs:hold-markers
    Scenario: [2] An old client aborts while its commit is incomplete
      Given producer A with transactional id "transfer"
      And completion of A's transactions is blocked
      And A is an old client (transaction version 0)
      And A has been asked to commit
      When A aborts
      Then it is refused with INVALID_TXN_STATE or CONCURRENT_TRANSACTIONS
      And the transaction of A is PrepareCommit

    @needs:hold-markers
    Scenario: [3] An old client commits while its abort is incomplete
      Given producer A with transactional id "transfer"
      And completion of A's transactions is blocked
      And A is an old client (transaction version 0)
      And A has been asked to abort
      When A commits
      Then it is refused with INVALID_TXN_STATE or CONCURRENT_TRANSACTIONS
      And the transaction of A is PrepareAbort

  @KIP890-089 @MUST
  Rule: A coordinator keeps the epoch from one transaction to the next if both are ended with EndTxn v4.
    Old clients keep their epoch across transactions. A raised epoch would fence them after the first one.

    Scenario: [1] An old client commits a second transaction after a commit
      Given producer A with transactional id "transfer"
      And A is an old client (transaction version 0)
      And A has written "a1" to payments-0
      And A has committed
      When A commits "a2" to payments-0
      Then it is done
      And the producer id and epoch of A are those it began with

    Scenario: [2] An old client commits a second transaction after an abort
      Given producer A with transactional id "transfer"
      And A is an old client (transaction version 0)
      And A has written "a1" to payments-0
      And A has aborted
      When A commits "a2" to payments-0
      Then the producer id and epoch of A are those it began with
      And readers of payments-0 see "a2"

    @needs:aged-ids
    Scenario: [3] An old client commits two transactions at the last usable epoch
      Given producer A at the last usable epoch
      And A is an old client (transaction version 0)
      And A has committed "a1" to payments-0
      When A commits "a2" to payments-0
      Then it is done
      And the producer id and epoch of A are unchanged
      And readers of payments-0 see "a1", "a2"

    @needs:aged-ids
    Scenario: [4] An old client aborts at the last usable epoch
      Given producer A at the last usable epoch
      And A is an old client (transaction version 0)
      And A has written "a1" to payments-0
      When A aborts
      Then it is done
      And the producer id and epoch of A are unchanged
      And readers of payments-0 see nothing
