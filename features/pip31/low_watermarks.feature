Feature: Low watermarks
  A coordinator tells how far it has come: a participant takes what an older transaction has left there for abandoned.

  Background:
    Given the topic "orders"
    And transactions A and B
    And A has written "a1" to orders

  @PIP31-157 @MUST
  Rule: The low watermark of a coordinator lies before every transaction that is not complete.
    A participant that is told of a newer end first would abort what is decided and on its way to it: a commit would lose its messages.

    @needs:buffer-statistics
    Scenario: [1] An open transaction
      When B commits
      Then it is done
      And the coordinator's low watermark lies before A

    @needs:held-ends @needs:buffer-statistics
    Scenario Outline: [2] An end that is incomplete
      Given the <end> of A is incomplete
      When B commits
      Then it is done
      And the coordinator's low watermark lies before A

      Examples:
        | end    | why                                     |
        | commit | the decision is not everywhere yet      |
        | abort  | what is withdrawn is not withdrawn yet  |

    @needs:crash @needs:held-ends @needs:buffer-statistics
    Scenario: [3] An incomplete commit through a crash
      Given the commit of A is incomplete
      And the system has crashed and come back
      When B commits
      Then it is done
      And the coordinator's low watermark lies before A
