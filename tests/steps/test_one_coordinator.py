"""Scenarios whose one request is about several producers: on a cluster, a request goes to one coordinator."""

import re

from fencepost.contract.gherkin import bundled_for, requirement_of

MADE_TOGETHER = re.compile(r"producers ([A-Z]) and ([A-Z]) with transactional ids")
MADE_NEAR = re.compile(r"producer ([A-Z]) with transactional id .* at the coordinator of [A-Z]$")
ONE_REQUEST = re.compile(r" for ([A-Z])\b.* for ([A-Z])\b.* in one request$")


def test_producers_of_one_request_have_one_coordinator() -> None:
    """Each producer that AddPartitionsToTxn names was made with the sender's coordinator, except where the sender lacks the right to ask:
    the broker refuses that before it looks for coordinators.
    """
    asked, apart = 0, []
    for feature in bundled_for("kip890"):
        for rule in feature.rules:
            for scenario in (one for one in rule.scenarios if "needs:authorizer" not in {tag.lstrip("@") for tag in one.tags}):
                steps = [step.text for step in (*feature.background, *rule.background, *scenario.examples[0])]
                made = {name for text in steps for name in sum(MADE_TOGETHER.findall(text), ()) or MADE_NEAR.findall(text)}
                for text in filter(ONE_REQUEST.search, steps):
                    asked += 1
                    if missing := set(re.findall(r" for ([A-Z])\b", text)) - made:
                        apart.append(f"{requirement_of(rule.tags)} {scenario.name}: {missing}")

    assert asked >= 5
    assert apart == []
