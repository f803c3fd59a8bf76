"""What a browser reports of pages that are opened from a disk: errors of the console, and what it requests from outside.

The pages are shown in frames of one page, so that one start of the browser is enough.
"""

import json
import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

CHROMIUM = next((found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))), None)
_CONSOLE = re.compile(r"CONSOLE[:(]\d+[)\]]+ (.*)")
_URL = re.compile(r"^(?:https?|wss?)://")
_DEADLINE_S = 120


@dataclass(frozen=True)
class BrowserReport:
    """The messages of the console, and the addresses outside that pages requested; `words` is the text that was shown."""

    console: tuple[str, ...]
    outside: tuple[str, ...]
    words: str


def opened(pages: Sequence[str], folder: Path, script: str = "", width: int = 1000) -> BrowserReport:
    """Open the pages at these addresses, each in a frame of that width in pixels. `script` runs when all are loaded, with `frames` as
    their documents. Raises CalledProcessError.
    """
    assert CHROMIUM is not None
    net, top = folder / "net.json", folder / "frames.html"
    frames = "".join(f'<iframe src="{page}" width="{width}" height="800" style="border: 0"></iframe>' for page in pages)
    run = f"const frames = [...document.querySelectorAll('iframe')].map((one) => one.contentDocument);{script}"
    top.write_text(f"<body>{frames}<script>addEventListener('load', () => {{{run}}})</script>", encoding="utf-8")
    switches = ["--headless=new", "--no-sandbox", "--disable-gpu", "--allow-file-access-from-files", "--enable-logging=stderr", "--v=0"]
    switches += [
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--no-first-run",
        "--host-resolver-rules=MAP * ~NOTFOUND",
    ]
    switches += [f"--user-data-dir={folder / 'profile'}", f"--log-net-log={net}", "--virtual-time-budget=5000", "--dump-dom"]
    done = subprocess.run([CHROMIUM, *switches, top.as_uri()], capture_output=True, text=True, timeout=_DEADLINE_S, check=True)
    return BrowserReport(tuple(_CONSOLE.findall(done.stderr)), tuple(sorted(_requested(net))), done.stdout)


def _requested(net: Path) -> set[str]:
    """The addresses that pages requested: requests of the browser itself have no page that began them."""
    events = json.loads(net.read_text(encoding="utf-8"))["events"]
    requests = (event.get("params", {}) for event in events)
    return {
        one["url"] for one in requests if _URL.match(str(one.get("url", ""))) and str(one.get("initiator", "")).startswith(("file", "null"))
    }
