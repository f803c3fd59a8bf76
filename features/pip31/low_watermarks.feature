@needs:buffer-statistics
Feature: Low watermarks
  A coordinator reports its progress: a participant treats older transactions that are still open there as abandoned.

  Background:
    Given the topic "orders"
    And transactions A and B
    And A has written "a1" to orders

  @PIP31-157 @MUST
  Rule: A coordinator sends a low watermark that is below every transaction which is not complete.
    A participant that learns of a newer end first would abort a decided transaction whose end is in flight. Its committed messages
    would be lost.

    Scenario: [1] The low watermark is below an open transaction
      When B commits
      Then it is done
      And the coordinator's low watermark lies before A

    @needs:held-ends
    Scenario Outline: [2] The low watermark is below a transaction whose end is incomplete
      Given the <end> of A is incomplete
      When B commits
      Then it is done
      And the coordinator's low watermark lies before A

      Examples:
        | end    | why                                |
        | commit | the decision is not everywhere yet |
        | abort  | the abort is not everywhere yet    |

    @needs:crash @needs:held-ends
    Scenario: [3] The low watermark is below a transaction whose commit is incomplete after a crash
      Given the commit of A is incomplete
      And the system has crashed and restarted
      When B commits
      Then it is done
      And the coordinator's low watermark lies before A

    Scenario: [4] The low watermark is below the newest transaction, which is open
      When A commits
      Then it is done
      And the coordinator's low watermark lies before B
