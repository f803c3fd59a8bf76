"""The paths of the metadata store for scalable topics. PIP-468, "Metadata", with the paths of the first release that has it."""

from urllib.parse import quote, unquote

from .names import TOPIC_DOMAIN

TOPICS = "/topics/"
CHANGES = "/topic-changes/"


def _encoded(topic: str) -> str:
    tenant, namespace, name = topic.removeprefix(TOPIC_DOMAIN).split("/")
    return f"{tenant}/{namespace}/{quote(name, safe='')}"


def topic(key: str) -> str | None:
    """The topic of TENANT/NAMESPACE/NAME as it is in keys; None for a key of no topic, or of something that belongs to one."""
    tenant, _, rest = key.partition("/")
    namespace, _, encoded = rest.partition("/")
    name = unquote(encoded)
    if not (tenant and namespace and name) or "/" in name or quote(name, safe="") != encoded:
        return None
    return f"{TOPIC_DOMAIN}{tenant}/{namespace}/{name}"


def layout(topic: str) -> str:
    """The layout of topic://TENANT/NAMESPACE/NAME."""
    return TOPICS + _encoded(topic)


def controller(topic: str) -> str:
    """The broker that is the topic's controller; the record is ephemeral."""
    return f"{layout(topic)}/controller"


def subscription(topic: str, name: str) -> str:
    """The registration of a subscription for the topic."""
    return f"{layout(topic)}/subscriptions/{quote(name, safe='')}"


def consumer(topic: str, subscription_name: str, name: str) -> str:
    """The session of a stream consumer."""
    return f"{subscription(topic, subscription_name)}/consumers/{quote(name, safe='')}"


def change(topic: str) -> str:
    """The note of a change that has begun and not ended."""
    return CHANGES + _encoded(topic)
