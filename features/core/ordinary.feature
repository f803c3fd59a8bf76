Feature: Requests that are never refused
  A writer sends what every transaction needs, in the right order.

  @CORE-42 @MUST
  Rule: A system refuses no request of a new writer that writes to a new log and ends its transaction.
    A system that refuses valid requests is safe and useless; in every other scenario such a refusal leaves the verdict open.

    Scenario: [1] A new writer commits to a new log
      When a new writer A commits "a1" to a new log "refunds"
      Then it is done
      And readers of refunds see "a1"

    Scenario: [2] A new writer aborts in a new log
      When a new writer A aborts "a1" to a new log "refunds"
      Then it is done
      And readers of refunds see nothing
