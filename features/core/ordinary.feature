Feature: What nobody is refused
  A writer that asks for what every transaction needs, in the order in which it is due.

  @CORE-42 @MUST
  Rule: A new writer that writes to a new log and ends its transaction is refused nothing.
    A system that refuses what is lawful is safe and of no use; in every other scenario such a refusal leaves the question open.

    Scenario: [1] A commit
      When a new writer A commits "a1" to a new log "refunds"
      Then it is done
      And readers of refunds see "a1"

    Scenario: [2] An abort
      When a new writer A aborts "a1" to a new log "refunds"
      Then it is done
      And readers of refunds see nothing
