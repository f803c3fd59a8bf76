Feature: Retrying the initialisation of a transactional id
  A producer that gets no answer to InitProducerId sends it again. The coordinator recognises the identity of the first attempt, and
  answers what it answered then.

  Background:
    Given a topic "payments" with 2 partitions

  @KIP890-017 @MUST
  Rule: A coordinator answers an InitProducerId that is retried with the same identity as it answered the first, and does not raise the epoch a second time.
    A client that lost the answer retries. A second raise would fence the epoch of the first answer.

    Scenario: [1] The answer to InitProducerId is lost, and the client retries
      Given producer A with transactional id "transfer"
      And A has initialised again
      When A initialises again with its previous epoch
      Then it is done and answers the producer id and epoch in force
      And the producer id and epoch of A are unchanged

    @needs:aged-ids
    Scenario: [2] The answer with the last usable epoch is lost, and the client retries
      Given producer A at the last usable epoch
      When A initialises again with its previous epoch
      Then it is done and answers the producer id and epoch in force
      And the producer id and epoch of A are unchanged

    Scenario: [3] The client retries a second time
      Given producer A with transactional id "transfer"
      And A has initialised again
      And A has tried to initialise again with its previous epoch
      When A initialises again with its previous epoch
      Then it is done and answers the producer id and epoch in force

    Scenario: [4] A commit without an open transaction is refused before the retry
      Given producer A with transactional id "transfer"
      And A has initialised again
      And A has tried to commit
      When A initialises again with its previous epoch
      Then it is done and answers the producer id and epoch in force

    Scenario: [5] An InitProducerId with an epoch that was never assigned is refused before the retry
      Given producer A with transactional id "transfer"
      And A has initialised again
      And A has tried to initialise again with the next epoch
      When A initialises again with its previous epoch
      Then it is done and answers the producer id and epoch in force

  @KIP890-412 @MUST
  Rule: A coordinator answers InitProducerId that has the identity of the last ended transaction with the identity in force, and does not raise the epoch.
    A producer that lost the answer to its EndTxn, and initialises, must not be fenced by its own success.

    @needs:transactions-v2
    Scenario: [1] The answer to a commit is lost, and the client initialises
      Given producer A with transactional id "transfer"
      And A has committed "a1" to payments-0
      When A initialises again with its previous epoch
      Then it is done and answers the producer id and epoch in force
      And the producer id and epoch of A are unchanged

    @needs:transactions-v2
    Scenario: [2] The answer to an abort is lost, and the client initialises
      Given producer A with transactional id "transfer"
      And A has written "a1" to payments-0
      And A has aborted
      When A initialises again with its previous epoch
      Then it is done and answers the producer id and epoch in force
      And the producer id and epoch of A are unchanged

    @needs:transactions-v2
    Scenario: [3] The answer to an abort without an open transaction is lost, and the client initialises
      Given producer A with transactional id "transfer"
      And A has committed "a1" to payments-0
      And A has aborted
      When A initialises again with its previous epoch
      Then it is done and answers the producer id and epoch in force
      And the producer id and epoch of A are unchanged

    @needs:transactions-v2
    Scenario: [4] The client initialises twice
      Given producer A with transactional id "transfer"
      And A has committed "a1" to payments-0
      And A has tried to initialise again with its previous epoch
      When A initialises again with its previous epoch
      Then it is done and answers the producer id and epoch in force

    @needs:aged-ids @needs:transactions-v2
    Scenario: [5] The answer to a commit with a new producer id is lost, and the client initialises
      Given producer A at the last usable epoch
      And A has committed "a1" to payments-0
      When A initialises again with its previous epoch
      Then it is done and answers the producer id and epoch in force
