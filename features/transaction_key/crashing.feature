@needs:transaction-keys
Feature: Connects that are interrupted
  A connect has several steps, and a power failure or a failing disk may come between any two.

  Background:
    Given the topic "orders"
    And task one has connected with key "payments"

  @TXKEY-22 @MUST @recovery
  Rule: A coordinator that cannot make an epoch durable refuses the connect, fences no client and assigns the epoch to none.
    An epoch that only the memory of a coordinator has is given twice after a crash.

    @needs:key-topic-faults
    Scenario: [1] The first connect with a key fails
      Given the key topic fails at the next write
      When task two connects with key "refunds"
      Then it is refused
      And administrators are shown key "payments" and no other

    @needs:key-topic-faults
    Scenario: [2] A connect that would have fenced a client fails
      Given task one has begun transaction A
      And the key topic fails at the next write
      When task two connects with key "payments"
      Then it is refused
      And A is OPEN
      And the connection of task one is open
      And key "payments" is at the epoch of task one, with transaction A open

    @needs:key-topic-faults
    Scenario: [3] A client connects again after its first connect failed
      Given the key topic fails at the next write
      And task two has tried to connect with key "refunds"
      When task two connects with key "refunds"
      Then it is done
      And task two is given epoch 0

    @needs:key-topic-faults
    Scenario: [4] The current epoch is still accepted after the connect of another client failed
      Given the key topic fails at the next write
      And task two has tried to connect with key "payments"
      When task one connects again
      Then it is done

    @needs:key-topic-faults @needs:crash
    Scenario: [5] The system crashes after a connect has failed
      Given task one has begun transaction A
      And the key topic fails at the next write
      And task two has tried to connect with key "payments"
      When the system crashes and restarts
      Then A is OPEN
      And key "payments" is at the epoch of task one, with transaction A open

    @needs:key-topic-faults @needs:crash
    Scenario Outline: [6] The key topic contains an unreadable record
      Given the key topic <trouble>
      And task two has connected with key "payments"
      And the system has crashed and restarted
      When task three connects with key "payments"
      Then it is done
      And task three is given a greater epoch than task two
      And operators are notified of 1 records that cannot be read

      Examples:
        | trouble                         | why                                        |
        | has an empty record             | it could be taken for the end of the topic |
        | has half a record               | a write was cut off                        |
        | has a record of another version | a broker of a later release wrote it       |

    @needs:key-topic-faults @needs:crash
    Scenario: [7] A fenced transaction stays fenced when the key topic contains an unreadable record
      Given task one has begun transaction A
      And task two has connected with key "payments"
      And the key topic has half a record
      And the system has crashed and restarted
      When A writes "late" to orders, which it has not added
      Then it is refused with InvalidTxnStatus

    @needs:key-topic-faults
    Scenario: [8] A connect that fails is not answered with the error of a stale epoch
      Given the key topic fails at the next write
      When task two connects with key "payments"
      Then it is refused with ServiceNotReady or PersistenceError or MetadataError or UnknownError

  @TXKEY-23 @MUST @recovery @fencing
  Rule: If a coordinator crashes after an epoch is durable and before the connect is answered, the old transaction is aborted and its client stays fenced.
    A successor that works while the old transaction is open does not have the clean state that it was promised.

    Background:
      Given task one has begun transaction A
      And A has written "a1" to orders

    @needs:crash-points
    Scenario Outline: [1] The old transaction is aborted after the crash
      Given the system will crash <point>
      And task two has tried to connect with key "payments"
      When the system restarts
      Then A is ABORTED
      And readers of orders see nothing

      Examples:
        | point                 | why                                       |
        | after-epoch-persisted | no participant was notified               |
        | before-abort          | the abort was about to be decided         |
        | after-abort           | it is decided, and no client was answered |
        | after-answer          | the client has its epoch                  |

    @needs:crash-points
    Scenario Outline: [2] Another client connects after the crash
      Given the system will crash <point>
      And task two has tried to connect with key "payments"
      And the system has restarted
      When task three connects with key "payments"
      Then it is done
      And task three is given a greater epoch than task one
      And A is ABORTED

      Examples:
        | point                 | why                                       |
        | after-epoch-persisted | an epoch is used that no client was given |
        | before-abort          | likewise                                  |
        | after-abort           | likewise                                  |
        | after-answer          | the previous client was given its epoch   |

    @needs:crash-points
    Scenario Outline: [3] The predecessor reconnects after the crash
      Given the system will crash <point>
      And task two has tried to connect with key "payments"
      And the system has restarted
      When task one connects again
      Then it is refused with NotAllowedError

      Examples:
        | point                 | why                               |
        | after-epoch-persisted | its epoch is no longer the latest |
        | before-abort          | likewise                          |
        | after-abort           | likewise                          |
        | after-answer          | likewise                          |

    @needs:crash-points
    Scenario Outline: [4] The predecessor writes to its transaction after the crash
      Given the system will crash <point>
      And task two has tried to connect with key "payments"
      And the system has restarted
      When A writes "late" to orders
      Then it is refused with InvalidTxnStatus
      And readers of orders see nothing

      Examples:
        | point                 | why                                        |
        | after-epoch-persisted | the record of the epoch has what it fences |
        | before-abort          | likewise                                   |
        | after-abort           | likewise                                   |
        | after-answer          | likewise                                   |

    @needs:crash-points
    Scenario Outline: [5] The predecessor commits its transaction after the crash
      Given the system will crash <point>
      And task two has tried to connect with key "payments"
      And the system has restarted
      When A commits
      Then it is refused with InvalidTxnStatus
      And readers of orders see nothing

      Examples:
        | point                 | why                          |
        | after-epoch-persisted | the abort is not decided yet |
        | before-abort          | likewise                     |
        | after-abort           | it is decided                |
        | after-answer          | likewise                     |

    @needs:crash-points
    Scenario Outline: [6] Messages that the old transaction acknowledged are available again after the crash
      Given the topic "inputs" with "i1"
      And the consumer of shared subscription "workers" has received "i1" from inputs
      And A has acknowledged "i1" for "workers"
      And the system will crash <point>
      And task two has tried to connect with key "payments"
      When the system restarts
      Then subscription "workers" has "i1" left

      Examples:
        | point                 | why                                         |
        | after-epoch-persisted | no participant was notified                 |
        | before-abort          | likewise                                    |
        | after-abort           | the subscription may not have been notified |
        | after-answer          | the subscription was notified               |

    @needs:crash
    Scenario: [7] A client reconnects whose coordinator crashed after the answer
      Given task two has connected with key "payments"
      And the system has crashed and restarted
      When task two connects again
      Then it is done
      And A is ABORTED

    @needs:crash-points
    Scenario: [8] A coordinator crashes during the deletion of a key
      Given the system will crash before-decision-logged
      And an administrator has tried to delete key "payments"
      When the system restarts
      Then A is ABORTED
      And readers of orders see nothing

    @needs:crash-points
    Scenario: [9] A client of a younger key of the coordinator had connected before the crash
      Given task three has connected with key "refunds" at the coordinator of task one
      And the system will crash after-epoch-persisted
      And task two has tried to connect with key "payments"
      When the system restarts
      Then A is ABORTED
      And readers of orders see nothing

    @needs:crash-points
    Scenario: [10] A client of an older key of the coordinator had connected before the crash
      Given task two has connected with key "refunds" at the coordinator of task one
      And task two has begun transaction B
      And the system will crash after-epoch-persisted
      And task three has tried to connect with key "refunds"
      When the system restarts
      Then B is ABORTED

    @needs:crash-points
    Scenario: [11] The second of two connects that fence a transaction is interrupted
      Given task two has connected with key "payments"
      And task two has begun transaction B
      And the system will crash after-epoch-persisted
      And task three has tried to connect with key "payments"
      When the system restarts
      Then B is ABORTED

  @TXKEY-36 @MUST @recovery @fencing @aborts
  Rule: A coordinator retries the abort of a fenced transaction if the metadata store does not answer.
    The key's record has the transaction as fenced by then, so nothing else would abort it before its timeout.

    Background:
      Given task one has begun transaction A
      And A has written "a1" to orders

    @needs:store-faults
    Scenario Outline: [1] A connect fences a transaction whose abort the store does not answer
      Given the store does not answer the next change of a header, <failure>
      And task two has tried to connect with key "payments"
      When task three connects with key "payments"
      Then task three is given a greater epoch than task one
      And A is ABORTED
      And readers of orders see nothing

      Examples:
        | failure               | why                                            |
        | and does not write it | nothing else would abort it again              |
        | and has written it    | it is decided, and no participant was notified |

    @needs:store-faults
    Scenario Outline: [2] A deletion of the key aborts a transaction whose abort the store does not answer
      Given the store does not answer the next change of a header, <failure>
      When key "payments" is deleted
      Then A is ABORTED
      And readers of orders see nothing

      Examples:
        | failure               | why                                            |
        | and does not write it | no client may ever connect again               |
        | and has written it    | it is decided, and no participant was notified |

    @needs:store-faults
    Scenario Outline: [3] A second transaction of the key fences one whose abort the store does not answer
      Given the store does not answer the next change of a header, <failure>
      When task one begins transaction B
      Then A is ABORTED
      And readers of orders see nothing

      Examples:
        | failure               | why                                            |
        | and does not write it | the client of the key does not abort it again  |
        | and has written it    | it is decided, and no participant was notified |

  @TXKEY-37 @MUST @commits @fencing
  Rule: A coordinator does not fence a committed transaction if the metadata store fails to return its state.
    A client whose commit was not answered retries it, and would repeat its work if it were answered that it was fenced.

    @needs:store-faults
    Scenario: [1] A client connects after a commit, and the predecessor retries the commit
      Given task one has begun transaction A
      And A has committed
      And the store does not answer the next look at a header
      And task two has tried to connect with key "payments"
      When A commits
      Then it is done, or refused with TransactionNotFound
