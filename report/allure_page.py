"""What is changed in the page that Allure writes: it calls no server, it is small, and it has no empty panel.

The generator writes a script into the page that would load a tag manager from the network; it is taken out. The data of the report
stand in the page as they are; they are packed, for they repeat themselves. Where a later Allure writes its page in another way, the
page stays as it is but for the tag manager.
"""

import base64
import gzip
import json
import re
from importlib import resources

_TAG_MANAGER = re.compile(r"<script\b(?:(?!</script>).)*googletagmanager(?:(?!</script>).)*</script>", re.S)
_TAG_CALL = re.compile(r"<script\b[^>]*>(?:(?!</script>).)*gtag\((?:(?!</script>).)*</script>", re.S)
_READY = r"\.then\(function\(\)\{\s*window\.allureReportDataReady = true;\s*\}\)"
_DATA = re.compile(rf"<script defer>\s*Promise\.allSettled\(\[(.*?)\]\)\s*{_READY}\s*</script>", re.S)
_ENTRY = re.compile(r'd\("([^"\\]*)","([A-Za-z0-9+/=]*)"\)')
_DEAD = ("nav-tab-qualityGate", "nav-tab-globalAttachments", "nav-tab-globalErrors", "retry-filter", "flaky-filter", "transition-filter")
"""Tabs and filters for what a run never has, by the names that Allure's own tests know them by."""

_SKIPPED = '[data-testid="metadata-item-skipped"] > div:first-child'
"""Allure's word for what was not asked; here it is only ever that the system does not offer what a scenario needs."""

_RATE = '[aria-label^="Success rate"]'
"""The percentage in the ring: of what passed or failed, so that it says 100 % also where scenarios did not run."""


def tidied(page: str, whole: bool) -> str:
    """The page as it is kept; `whole` says that every scenario was asked and none is excused."""
    dead = ", ".join([*(f'[data-testid="{name}"]' for name in _DEAD), *([] if whole else [_RATE])])
    words = f"{_SKIPPED} {{ font-size: 0; }} {_SKIPPED}::after {{ content: 'Not offered'; font-size: 0.8rem; }}"
    style = f"<style>{dead} {{ display: none !important; }} {words}</style>"
    return packed(without_tag_manager(page)).replace("</head>", f"{style}\n</head>", 1)


def without_tag_manager(page: str) -> str:
    """The page without the scripts that load or feed a tag manager."""
    return _TAG_CALL.sub("", _TAG_MANAGER.sub("", page))


def packed(page: str) -> str:
    """The page with its data compressed; as it was, where they do not stand as expected."""
    found = _DATA.search(page)
    entries = _ENTRY.findall(found[1]) if found else []
    if found is None or ",".join(f'd("{name}","{value}")' for name, value in entries) != found[1]:
        return page
    data = base64.b64encode(gzip.compress(json.dumps(dict(entries)).encode(), mtime=0)).decode()
    script = resources.files("fencepost.fixtures").joinpath("unpack.js").read_text(encoding="utf-8").replace("{packed}", data)
    return f"{page[: found.start()]}<script>\n{script}</script>{page[found.end() :]}"
