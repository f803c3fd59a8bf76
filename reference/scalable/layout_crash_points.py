"""The places of a change of a layout at which a scenario can crash the controller, and what is true there. PIP-468, "Split"."""

CRASH_POINTS = {
    "after-subscriptions": "a change is noted with the subscriptions that the children get, and no child is there",
    "after-children": "the children are there with their subscriptions, and the parent takes messages",
    "before-terminate": "it is noted that the parents are being sealed, and they take messages",
    "after-terminate": "the parents are sealed, and the layout does not say so",
    "after-layout": "the layout has the children, and no client was notified",
    "after-told": "the consumers were notified, and the administrator has no answer",
}
