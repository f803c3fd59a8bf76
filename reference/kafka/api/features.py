"""An administrator's change of a feature's level: UpdateFeatures."""

from typing import Any

from kio.static.protocol import ResponsePayload

from fencepost.reference.kafka.kafka_errors import Errors, RequestRefused
from fencepost.reference.kafka.node import KafkaNode
from fencepost.wire.kafka.entities import response

_UPGRADE = 1


def update_features(node: KafkaNode, asked: Any) -> ResponsePayload:
    """Change levels, all or none. Before version 2 each feature has a separate result."""
    error, message = Errors.NONE, None
    wanted = [(str(update.feature), int(update.max_version_level), _may_lower(update)) for update in asked.feature_updates]
    try:
        for feature, level, may_lower in wanted:
            node.levels.check(feature, level, may_lower=may_lower)
        for feature, level, _ in wanted:
            if not getattr(asked, "validate_only", False):
                node.levels.change(feature, level)
    except RequestRefused as refusal:
        error, message = refusal.error, refusal.message
    results = [{"feature": feature, "error_code": error, "error_message": message} for feature, _, _ in wanted]
    return response(asked, throttle_time=0, error_code=error, error_message=message, results=results)


def _may_lower(update: Any) -> bool:
    """Version 0 has a flag for it, later ones the kind of the change."""
    return bool(getattr(update, "allow_downgrade", False)) or int(getattr(update, "upgrade_type", _UPGRADE)) != _UPGRADE
